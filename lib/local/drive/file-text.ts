import { readFile } from 'node:fs/promises';
import { strFromU8, unzipSync } from 'fflate';
import { formatOfType } from './google-files.ts';

/** The parts of an Office file that hold its text: Word's, PowerPoint's, Excel's and OpenDocument's. */
const textParts =
  /^(word\/(document|footnotes|endnotes)\.xml|ppt\/(slides|notesSlides)\/[^/]+\.xml|xl\/(sharedStrings|workbook)\.xml|xl\/worksheets\/[^/]+\.xml|content\.xml)$/;
const officeTypes = /^application\/vnd\.(openxmlformats-officedocument|oasis\.opendocument)\./;
/** The elements after which a word ends. All others may stand in the middle of one. */
const wordEnds = /<\/?(\w+:)?(p|h|tab|br|cr|line-break|s|si|rPh|c|v|tc|table-cell)(\s[^>]*)?\/?>/g;

const textTypes = new Set(['application/json', 'application/xml', 'application/x-ndjson']);

/** Returns the text that Drive would index of a file; '' for one that holds none or can't be read. */
export async function textOfFile(path: string, mimeType: string): Promise<string> {
  const read = readerOf(mimeType);
  if (!read) return '';
  try {
    return await read(await readFile(path));
  } catch {
    // It is damaged or gone: Drive finds it by its name only.
    return '';
  }
}

function readerOf(mimeType: string): ((bytes: Buffer) => string | Promise<string>) | undefined {
  if (mimeType === 'text/html') return (bytes) => withoutTags(bytes.toString());
  if (mimeType === 'application/pdf') return pdfText;
  if (officeTypes.test(mimeType)) return officeText;
  const isText = mimeType.startsWith('text/') || textTypes.has(mimeType) || formatOfType(mimeType);
  return isText ? (bytes) => bytes.toString() : undefined;
}

const withoutTags = (html: string) =>
  html.replace(/<(script|style)\b.*?<\/\1\s*>/gis, ' ').replace(/<[^>]*>/g, ' ');

function officeText(bytes: Buffer): string {
  const parts = unzipSync(bytes, { filter: ({ name }) => textParts.test(name) });
  return Object.values(parts)
    .map((part) => xmlText(strFromU8(part)))
    .join(' ');
}

/** Returns the text of XML, and the names of sheets, which are attributes. */
function xmlText(xml: string): string {
  const names = [...xml.matchAll(/<(?:\w+:)?(?:sheet|table)\b[^>]*?\bname="([^"]*)"/g)];
  const text = xml.replace(wordEnds, ' ').replace(/<[^>]*>/g, '');
  return decoded([...names.map(([, name]) => name), text].join(' '));
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decoded = (text: string) =>
  text.replace(/&(\w+);/g, (entity, name: string) => entities[name] ?? entity);

async function pdfText(bytes: Buffer): Promise<string> {
  const { PDFiumLibrary } = await import('@hyzyla/pdfium');
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(bytes);
    const pages = [...document.pages()].map((page) => page.getText());
    document.destroy();
    return pages.join('\n');
  } finally {
    library.destroy();
  }
}
