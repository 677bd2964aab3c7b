import { mkdtemp, rm } from 'node:fs/promises';
import { ServiceError } from '../../http/errors.ts';
import { tooLongDocument, unreadableDocument } from '../errors.ts';
import { type CompositeKind, isComposite } from '../kind.ts';
import { lossInWords } from '../loss.ts';
import { refusal } from '../processes/answer-requests.ts';
import type { DocumentReading } from '../processes/read-in-process.ts';
import type { WarnedText } from '../warnings.ts';
import { type Part, underName } from './part.ts';
import { takeApart } from './take-apart.ts';
import { textLayersIn } from './text-layers.ts';

/** The most text that is read of a document, and the key whose turns its reading takes. */
export interface TextLimits {
  pages: number;
  characters: number;
  /**
   * A longer text is refused (the default) or cut. Then pages that are pictures are counted at
   * its end.
   */
  longer?: 'refused' | 'cut';
  /** The id of the key that it is read for. */
  turn: string;
  /** How long all of it may take, from its first turn. */
  ms?: number;
  /** Ends the reading, also while it waits for a turn. */
  signal?: AbortSignal | undefined;
}

/** A page's text, or what to say in its place. */
type Page = WarnedText | { note: string };

const picture = { note: 'A picture, which was not read.' };

/**
 * Returns the text of a PDF's layers, or of a document and the files in it, each under its name, without OCR.
 * Pictures and unreadable parts say so. Throws 422 for one without text, unreadable, or beyond the limits, and its
 * `signal`'s reason.
 */
export async function documentTexts(
  path: string,
  kind: 'pdf' | CompositeKind,
  name: string,
  { turn, ms, signal, ...limits }: TextLimits,
): Promise<WarnedText[]> {
  const time = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const reading: DocumentReading = {
    turn,
    losses: { count: 0 },
    signal: AbortSignal.any([time.signal, ...(signal ? [signal] : [])]),
    // The time begins with the first turn, however long the document waits for that.
    onTurn: () => {
      if (ms !== undefined) timer ??= setTimeout(() => time.abort(), ms);
    },
  };
  try {
    return (await textsOf(path, kind, limits, reading)) ?? refuseScan(name);
  } catch (error) {
    if (error === time.signal.reason) throw unreadableDocument(lossInWords.time, error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a document's texts; undefined if there are only notes in their place. */
async function textsOf(
  path: string,
  kind: 'pdf' | CompositeKind,
  { longer = 'refused', ...limits }: Pick<TextLimits, 'pages' | 'characters' | 'longer'>,
  reading: DocumentReading,
): Promise<WarnedText[] | undefined> {
  const folder = await mkdtemp(`${path}-`);
  const texts: WarnedText[] = [];
  let hasText = false;
  let characters = 0;
  let pictures = 0;
  let empty = 0;
  try {
    const options = {
      path,
      folder,
      forceOcr: false,
      ...(longer === 'cut' && { maxCharacters: limits.characters }),
    };
    const parts: Part[] = isComposite(kind)
      ? await takeApart({ ...options, kind }, reading)
      : [{ name: '', is: 'pages', kind, path, isIllustration: false }];
    throwIfUnreadable(parts);
    for await (const { name, page } of pagesOf(parts, reading)) {
      const isText = 'text' in page && page.text.trim() !== '';
      hasText ||= isText;
      if (longer === 'cut' && page === picture && !name) pictures += 1;
      else if (!name && 'text' in page && page.text === '') empty += 1;
      else texts.push(told(name, page));
      characters += 'text' in page ? page.text.length : 0;
      const count = texts.length + pictures + empty;
      if (count <= limits.pages && characters <= limits.characters) continue;
      if (longer === 'refused') throw tooLongDocument();
      break;
    }
    if (pictures > 0) texts.push({ text: leftOut(pictures, texts.length + pictures + empty) });
    return hasText ? texts : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function refuseScan(name: string): never {
  throw new ServiceError(
    422,
    'no_text',
    `${name} has no text that can be read without OCR: read it with a batch job of job_type ocr, or with the pipeline ocr_then_chat.`,
  );
}

const leftOut = (pictures: number, pages: number) =>
  `(Left out: ${pictures} of ${pages} pages, which are scans or pictures.)`;

/** A page as a model reads it, under the name of the file that begins with it. */
function told(name: string, page: Page): WarnedText {
  if ('text' in page) return { ...page, text: underName(name, page.text) };
  return { text: underName(name, `[${page.note}]`), warnings: ['part_not_read'] };
}

/** A document of which nothing can be read says why, and not that it has no text. */
function throwIfUnreadable(parts: Part[]): void {
  const errors = parts.flatMap((part) => (part.is === 'unreadable' ? [part.error] : []));
  if (errors[0] && errors.length === parts.length) throw refusal(errors[0]);
}

/** Yields the pages of all parts; the first of each is named as its file. */
async function* pagesOf(
  parts: Part[],
  reading: DocumentReading,
): AsyncGenerator<{ name: string; page: Page }> {
  for (const part of parts) {
    let { name } = part;
    for await (const page of pagesIn(part, reading)) {
      yield { name, page };
      name = '';
    }
  }
}

async function* pagesIn(part: Part, reading: DocumentReading): AsyncGenerator<Page> {
  if (part.is === 'text') return yield part;
  if (part.is === 'unreadable') return yield { note: part.error.message };
  if (part.kind === 'image') return yield picture;
  try {
    for await (const layer of textLayersIn(part.path, reading)) yield layer ?? picture;
  } catch (error) {
    // A PDF among other files that can't be read keeps none of them from being read.
    if (!part.name || !(error instanceof ServiceError)) throw error;
    yield { note: error.message };
  }
}
