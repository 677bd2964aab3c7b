import { readFile, stat } from 'node:fs/promises';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { strFromU8, unzipSync } from 'fflate';
import { DomUtils, parseDocument } from 'htmlparser2';

/** The texts by which Drive and the web find a file. */
export interface FileText {
  /** A page's title or first heading; else empty. */
  title: string;
  text: string;
}

type Reader = (bytes: Buffer) => FileText | Promise<FileText>;

/** A larger file has no text here. */
const maxBytes = 20_000_000;

const readers: [type: RegExp, read: Reader][] = [
  [/^application\/pdf$/, pdfText],
  [/^(text\/html|application\/xhtml\+xml)$/, pageText],
  [/^application\/vnd\.(openxmlformats-officedocument|oasis\.opendocument)\./, officeText],
  [/^text\/markdown$/, markdownText],
  [/^text\/|^application\/(json|xml|x-ndjson|vnd\.google-apps\.)/, plainText],
];

const readerOf = (mimeType: string) => readers.find(([type]) => type.test(mimeType))?.[1];

/** Whether files of a type have text. */
export const hasText = (mimeType: string) => readerOf(mimeType) !== undefined;

/** Returns a file's text; none if its type has none, or if it is too large, damaged, encrypted or gone. */
export async function fileText(path: string, mimeType: string): Promise<FileText> {
  const read = readerOf(mimeType);
  try {
    if (read && (await stat(path)).size <= maxBytes) return await read(await readFile(path));
  } catch {}
  return { title: '', text: '' };
}

/** Leaves out the marks of headings, lists, tables, emphasis and links. */
function markdownText(bytes: Buffer): FileText {
  const markdown = bytes.toString();
  const text = markdown
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+])[ \t]+/gm, '')
    .replace(/^[ \t]*\|?[ \t]*:?-{3,}[-:| \t]*$/gm, '')
    .replace(/[*_`|]+/g, ' ');
  return { title: markdown.match(/^#{1,6}[ \t]+(.+)$/m)?.[1] ?? '', text };
}

function plainText(bytes: Buffer): FileText {
  return { title: '', text: bytes.toString() };
}

let library: Promise<PDFiumLibrary> | undefined;

async function pdfText(bytes: Buffer): Promise<FileText> {
  library ??= PDFiumLibrary.init();
  const document = await (await library).loadDocument(bytes);
  try {
    return { title: '', text: [...document.pages()].map((page) => page.getText()).join('\n') };
  } finally {
    document.destroy();
  }
}

const { findOne, getName, isTag, isText, textContent } = DomUtils;

type Node = ReturnType<typeof parseDocument>['children'][number];

/** What these hold is no text of the page. */
const hidden = /^(script|style|noscript|template|svg|title)$/;
/** These stand within a line of a page. Any other element ends a word. */
const inline =
  /^(a|abbr|b|bdi|bdo|cite|code|data|dfn|em|i|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|u|var|wbr)$/;

function pageText(bytes: Buffer): FileText {
  const { children } = parseDocument(bytes.toString());
  const title = findOne((element) => getName(element) === 'title', children);
  const heading = findOne((element) => /^h[1-6]$/.test(getName(element)), children);
  return {
    title: textContent(title ?? []).trim() || textContent(heading ?? []),
    text: textOf(children, (name) => !inline.test(name)),
  };
}

/** The parts of an Office file that hold its text: Word's, PowerPoint's, Excel's and OpenDocument's. */
const textParts =
  /^(word\/(document|footnotes|endnotes)\.xml|ppt\/(slides|notesSlides)\/[^/]+\.xml|xl\/(sharedStrings|workbook)\.xml|xl\/worksheets\/[^/]+\.xml|content\.xml)$/;
/** Elements of an Office file that end a word. Any other may stand in the middle of one. */
const wordEnd = /^(\w+:)?(p|h|tab|br|cr|line-break|s|si|rPh|c|v|tc|table-cell|sheet|table)$/;

function officeText(bytes: Buffer): FileText {
  const parts = unzipSync(bytes, { filter: ({ name }) => textParts.test(name) });
  const texts = Object.values(parts).map((part) => {
    const { children } = parseDocument(strFromU8(part), { xmlMode: true });
    return textOf(children, (name) => wordEnd.test(name));
  });
  return { title: '', text: texts.join(' ') };
}

/** Returns the text of elements, and the names of sheets, which are attributes. */
function textOf(nodes: Node[], endsWord: (name: string) => boolean): string {
  return nodes
    .map((node) => {
      if (isText(node)) return node.data;
      if (!isTag(node) || hidden.test(node.name)) return '';
      const inside = textOf(node.children, endsWord);
      if (!endsWord(node.name)) return inside;
      const { name = '', 'table:name': sheet = node.name === 'sheet' ? name : '' } = node.attribs;
      return ` ${sheet} ${inside} `;
    })
    .join('');
}
