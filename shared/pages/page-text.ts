import { typeBySignature } from '../documents/signatures.ts';
import { decodePage } from './charset.ts';
import { htmlText } from './html-text.ts';
import { maxPageCharacters, type Page } from './page.ts';
import { kindOf } from './page-kind.ts';
import { pdfText } from './pdf-text.ts';
import { UnreadableError } from './unreadable.ts';

const maxTitleCharacters = 300;

/** Returns a page's title and text. Throws `unsupported_type`, or `broken` if there is no text in it. */
export async function pageOf(url: URL, bytes: Uint8Array, contentType: string): Promise<Page> {
  const { title, text } = await readText(bytes, contentType);
  const clean = withoutControls(text);
  if (clean.trim() === '') throw new UnreadableError('broken');
  return {
    url: url.href,
    title: titleFrom(title) || titleFrom(nameOf(url)),
    // The cut may go through a character.
    text: clean.slice(0, maxPageCharacters).toWellFormed(),
  };
}

interface TitledText {
  title: string;
  text: string;
}

/** Reads content as what it is: its first bytes count more than the type that it declares. */
async function readText(bytes: Uint8Array, contentType: string): Promise<TitledText> {
  const type = typeBySignature(bytes);
  if (type && type !== 'application/pdf') throw new UnreadableError('unsupported_type');
  const kind = kindOf(contentType);
  if (type || kind === 'pdf') return { title: '', text: await pdfText(bytes) };
  const text = decodePage(bytes, contentType);
  if (!isText(text)) throw new UnreadableError('unsupported_type');
  const isHtml = kind === 'html' || (kind === 'unknown' && text.trimStart().startsWith('<'));
  return isHtml ? htmlText(text) : { title: '', text };
}

/** A binary file that calls itself a text is full of these. */
const isText = (text: string) => {
  const start = text.slice(0, 10_000);
  return start.length - withoutControls(start).length <= start.length / 200;
};

const withoutControls = (text: string) => text.replace(/(?![\t\n\r])\p{Cc}/gu, '');

const titleFrom = (text: string) =>
  withoutControls(text.replace(/\s+/g, ' ')).slice(0, maxTitleCharacters).toWellFormed().trim();

/** Returns a file's name, or the host's: what a browser shows for a page without a title. */
function nameOf({ pathname, hostname }: URL): string {
  const name = pathname.split('/').findLast((part) => part !== '') ?? hostname;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
