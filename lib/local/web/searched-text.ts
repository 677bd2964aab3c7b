import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { htmlText, pdfText } from '../page-text.ts';
import type { WebFile } from './web-folder.ts';

/** What a page is found by. */
export interface PageText {
  title: string;
  /** One line. */
  text: string;
}

interface ReadText {
  /** If there is none, the page is called by its file's name. */
  title?: string | undefined;
  text: string;
}

type Reader = (bytes: Buffer) => ReadText | Promise<ReadText>;

const readers: Record<string, Reader> = {
  '.html': (bytes) => htmlText(bytes.toString()),
  '.htm': (bytes) => htmlText(bytes.toString()),
  '.xhtml': (bytes) => htmlText(bytes.toString()),
  '.md': (bytes) => readMarkdown(bytes.toString()),
  '.markdown': (bytes) => readMarkdown(bytes.toString()),
  '.txt': (bytes) => ({ text: bytes.toString() }),
  '.pdf': async (bytes) => ({ text: await pdfText(bytes) }),
};

/** A larger file is found by its name alone. */
const maxReadBytes = 32 * 1024 * 1024;

const readerOf = (path: string) => readers[extname(path).toLowerCase()];

/** Whether a file has text that can be searched. */
export const isReadable = ({ path }: WebFile) => readerOf(path) !== undefined;

/** Returns a file's title and text; its name alone if it is too large, damaged, encrypted or gone. */
export async function readPage({ path, diskPath, sizeBytes }: WebFile): Promise<PageText> {
  const name = basename(path);
  if (sizeBytes > maxReadBytes) return { title: name, text: '' };
  try {
    const { title, text } = (await readerOf(path)?.(await readFile(diskPath))) ?? { text: '' };
    return { title: inOneLine(title ?? '') || name, text: inOneLine(text) };
  } catch {
    return { title: name, text: '' };
  }
}

const inOneLine = (text: string) => text.replace(/[\s\uFEFF]+/g, ' ').trim();

/** Leaves out the marks of headings, lists, tables, emphasis and links. */
function readMarkdown(markdown: string): ReadText {
  const text = markdown
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+])[ \t]+/gm, '')
    .replace(/^[ \t]*\|?[ \t]*:?-{3,}[-:| \t]*$/gm, '')
    .replace(/[*_`|]+/g, ' ');
  return { title: markdown.match(/^#{1,6}[ \t]+(.+)$/m)?.[1], text };
}
