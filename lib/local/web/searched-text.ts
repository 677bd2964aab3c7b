import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { DomUtils, parseDocument } from 'htmlparser2';
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
  '.html': (bytes) => readHtml(bytes.toString()),
  '.htm': (bytes) => readHtml(bytes.toString()),
  '.xhtml': (bytes) => readHtml(bytes.toString()),
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

let library: Promise<PDFiumLibrary> | undefined;

/** Returns the text of a PDF's pages. Throws if it is damaged or encrypted. */
async function pdfText(bytes: Uint8Array): Promise<string> {
  library ??= PDFiumLibrary.init();
  const document = await (await library).loadDocument(bytes);
  try {
    return [...document.pages()].map((page) => page.getText()).join('\n');
  } finally {
    document.destroy();
  }
}

const { findOne, getName, isTag, isText, textContent } = DomUtils;

type Node = ReturnType<typeof parseDocument>['children'][number];

/** What these hold is no text of the page. */
const hidden = new Set(['script', 'style', 'noscript', 'template', 'svg', 'title']);
/** These stand within a line. Any other element ends a word. */
const inline = new Set(
  `a abbr b bdi bdo cite code data dfn em i kbd mark q s samp small span strong sub sup time u var
  wbr`.split(/\s+/),
);

/** Reads a page's title, or its first heading, and the text that a browser shows. */
function readHtml(html: string): { title: string; text: string } {
  const { children } = parseDocument(html);
  const title = findOne((element) => getName(element) === 'title', children);
  const heading = findOne((element) => /^h[1-6]$/.test(getName(element)), children);
  return {
    title: textContent(title ?? []).trim() || textContent(heading ?? []),
    text: textOf(children),
  };
}

function textOf(nodes: Node[]): string {
  return nodes
    .map((node) => {
      if (isText(node)) return node.data;
      if (!isTag(node) || hidden.has(node.name)) return '';
      const inside = textOf(node.children);
      return inline.has(node.name) ? inside : ` ${inside} `;
    })
    .join('');
}
