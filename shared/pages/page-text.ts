import { Readability } from '@mozilla/readability';
import { decoded } from '../decoded.ts';
import { decodeHtml, htmlText as markdownOf } from '../documents/html-text.ts';
import { typeBySignature } from '../documents/signatures.ts';
import { type HtmlDocument, maxCharacters, parsePage } from './html-document.ts';
import { kindOf, maxPageCharacters, type Page, UnreadableError } from './page.ts';
import { pdfText } from './pdf-text.ts';

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
  const [, charset] = /charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType) ?? [];
  const text = decodeHtml(Buffer.from(bytes), undefined, charset);
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
  return decoded(pathname.split('/').findLast((part) => part !== '') ?? hostname);
}

/** A shorter article isn't one: Readability has found a teaser or a notice. */
const minArticleCharacters = 200;

/** Returns a page's title as a browser shows it, and its article as Markdown, or all of its text if it has none. */
export function htmlText(html: string): { title: string; text: string } {
  const document = parsePage(html);
  // Readability takes the document apart, so this comes before.
  const { title } = document;
  const all = markdownOf(document.body.innerHTML, maxCharacters);
  const article = markdownOf(articleIn(document), maxCharacters);
  return { title, text: article.length < minArticleCharacters ? all : article };
}

function articleIn(document: HtmlDocument): string {
  try {
    return new Readability(document, { disableJSONLD: true }).parse()?.content ?? '';
  } catch {
    // Readability isn't written for every page that a stranger can think of.
    return '';
  }
}
