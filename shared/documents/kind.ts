import { extname } from 'node:path';
import { officeKindOf, officeTypes } from './office-kind.ts';
import { typeBySignature } from './signatures.ts';
import { looksLikeText } from './text.ts';

/**
 * How a file is read. An `archive` is a ZIP (an Office file, an e-book, files), a tar, or a gzip: its content tells
 * which.
 */
export type DocumentKind =
  | 'pdf'
  | 'image'
  | 'text'
  | 'json'
  | 'jsonl'
  | 'csv'
  | 'markdown'
  | 'html'
  | 'rtf'
  | 'email'
  | 'archive';

/** How many of a file's first bytes tell its kind. */
export const sniffedBytes = 4_100;

/** The kinds of files that are taken apart: their text, their pictures, and the files in them. */
const compositeKinds = ['html', 'rtf', 'email', 'archive'] as const;

export type CompositeKind = (typeof compositeKinds)[number];

/** A format of files by its media type: its reader, if it has one; its extensions; and its everyday name. */
interface Format {
  kind?: DocumentKind;
  extensions?: string[];
  words?: string;
}

/** The formats that are known. The first of a kind is its usual one. */
export const formats: ReadonlyMap<string, Format> = new Map(
  Object.entries<Format>({
    'application/pdf': { kind: 'pdf', extensions: ['pdf'], words: 'a PDF' },
    'image/jpeg': { kind: 'image', extensions: ['jpg', 'jpeg'] },
    'image/png': { kind: 'image', extensions: ['png'] },
    'image/tiff': { kind: 'image', extensions: ['tif', 'tiff'] },
    'image/webp': { kind: 'image', extensions: ['webp'] },
    'image/avif': { kind: 'image', extensions: ['avif'] },
    'image/gif': { kind: 'image', extensions: ['gif'] },
    'image/bmp': { kind: 'image', extensions: ['bmp'] },
    'image/heic': { extensions: ['heic'], words: 'a HEIC picture' },
    'image/heif': { extensions: ['heif'], words: 'a HEIF picture' },
    'image/jp2': { words: 'a JPEG 2000 picture' },
    'image/x-portable-anymap': { words: 'a Netpbm picture' },
    'text/plain': { kind: 'text', extensions: ['txt', 'log'] },
    'application/json': { kind: 'json', extensions: ['json'], words: 'a JSON file' },
    'application/jsonl': { kind: 'jsonl', extensions: ['jsonl'], words: 'a JSON Lines file' },
    'application/x-ndjson': { kind: 'jsonl', extensions: ['ndjson'], words: 'a JSON Lines file' },
    'text/csv': { kind: 'csv', extensions: ['csv'], words: 'a CSV table' },
    'text/markdown': { kind: 'markdown', extensions: ['md', 'markdown'], words: 'a Markdown file' },
    'text/html': { kind: 'html', extensions: ['html', 'htm'], words: 'a web page' },
    'application/xhtml+xml': { kind: 'html', extensions: ['xhtml'] },
    'application/rtf': { kind: 'rtf', extensions: ['rtf'], words: 'an RTF document' },
    'text/rtf': { kind: 'rtf' },
    'message/rfc822': { kind: 'email', extensions: ['eml'], words: 'an email' },
    'application/zip': { kind: 'archive', extensions: ['zip'], words: 'a ZIP archive' },
    'application/x-zip-compressed': { kind: 'archive' },
    'application/gzip': { kind: 'archive', extensions: ['gz', 'tgz'], words: 'a gzip archive' },
    'application/x-gzip': { kind: 'archive' },
    'application/x-tar': { kind: 'archive', extensions: ['tar'], words: 'a tar archive' },
    'application/epub+zip': { kind: 'archive', extensions: ['epub'], words: 'an e-book' },
    [officeTypes.docx]: { words: 'a Word document' },
    [officeTypes.pptx]: { words: 'a PowerPoint presentation' },
    [officeTypes.xlsx]: { words: 'an Excel workbook' },
    [officeTypes.odt]: { words: 'an OpenDocument text' },
    [officeTypes.odp]: { words: 'an OpenDocument presentation' },
    [officeTypes.ods]: { words: 'an OpenDocument spreadsheet' },
    // Google's own documents, by the format in which Drive exports them.
    'application/vnd.google-apps.document': { kind: 'markdown' },
    'application/vnd.google-apps.spreadsheet': { kind: 'csv' },
    'application/vnd.google-apps.presentation': { kind: 'text' },
    'application/vnd.ms-xpsdocument': { words: 'an XPS document' },
    'application/oxps': { words: 'an XPS document' },
    'application/vnd.apple.pages': { words: 'a document of Pages' },
    'application/vnd.apple.numbers': { words: 'a spreadsheet of Numbers' },
    'application/vnd.apple.keynote': { words: 'a presentation of Keynote' },
    'application/vnd.ms-excel.sheet.binary.macroenabled.12': { words: 'a binary Excel workbook' },
    'application/postscript': { words: 'a PostScript file' },
    'application/x-ole-storage': {
      words: 'an Office file of an older format, or one with a password',
    },
  }),
);

const typeByExtension = new Map(
  [...formats].flatMap(([type, { extensions = [] }]) =>
    extensions.map((extension) => [extension, type] as const),
  ),
);

const kindByType = (type: string | undefined) => formats.get(type ?? '')?.kind;

/** The kinds that a file without a known signature may have: its bytes are then text. */
const textKinds = new Set<DocumentKind | undefined>([
  ...(['text', 'json', 'jsonl', 'csv', 'markdown', 'html', 'email'] as const),
]);
/** The kinds that say so by their first bytes. */
const signedKinds = new Set<DocumentKind | undefined>(['archive', 'rtf']);

/** Whether a kind of files is taken apart. */
export const isComposite = (kind: DocumentKind): kind is CompositeKind =>
  compositeKinds.some((each) => each === kind);

/** Returns a file's kind by its first bytes, else by its declared type and name; undefined if it is unsupported. */
export function kindOf(
  bytes: Uint8Array,
  mimeType: string,
  filename: string,
): DocumentKind | undefined {
  const firstBytes = bytes.subarray(0, sniffedBytes);
  const type = typeBySignature(firstBytes);
  if (type) return kindByType(type);
  const declared = likelyKindOf(mimeType, filename);
  const unsigned = signedKinds.has(declared) ? undefined : declared;
  if (!looksLikeText(firstBytes)) return textKinds.has(unsigned) ? undefined : unsigned;
  return kindByType(textTypeOf(firstBytes)) ?? unsigned ?? 'text';
}

/** Returns a file's likely kind before its download, by its name, else by its type; undefined if it is unsupported. */
export function likelyKindOf(mimeType: string, filename: string): DocumentKind | undefined {
  if (officeKindOf(mimeType, filename)) return 'archive';
  const type = declaredType(mimeType, filename);
  return kindByType(type) ?? (type.startsWith('text/') ? 'text' : undefined);
}

/** Returns the media type of a file: by its first bytes, else the declared one, unless that is a text's and these are none. */
export function mediaTypeOf(firstBytes: Uint8Array, mimeType: string, filename: string): string {
  const declared = declaredType(mimeType, filename);
  const isNoText = textKinds.has(kindByType(declared)) && !looksLikeText(firstBytes);
  return typeBySignature(firstBytes) ?? (isNoText ? 'application/octet-stream' : declared);
}

function declaredType(mimeType: string, filename: string): string {
  const extension = extname(`_${filename}`).slice(1).toLowerCase();
  const essence = mimeType.split(';')[0]?.trim().toLowerCase();
  return typeByExtension.get(extension) ?? (essence || 'application/octet-stream');
}

/** The root of a page, after a declaration and comments. Anything less may be a text about pages. */
const htmlStart =
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html)\b/i;
/** A line that a mailbox file puts above a message, then header fields with their continuation lines. */
const headerBlock = /^(?:From [^\n]*\n)?((?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+)/;
/** What a program has put on a message's way. A note that begins with `From:` and `To:` has none of these. */
const transportField = /^(?:received|return-path|delivered-to|message-id|mime-version):/im;

/** Returns the media type of a text that is told by how it begins; undefined for any other text. */
function textTypeOf(firstBytes: Uint8Array): string | undefined {
  const start = Buffer.from(firstBytes.subarray(0, 4_096))
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '');
  if (htmlStart.test(start)) return 'text/html';
  const fields = start.replaceAll('\r\n', '\n').match(headerBlock)?.[1] ?? '';
  const isSent = /^from:/im.test(fields) && transportField.test(fields);
  // A page saved as one file, and Confluence's export to Word, come from nobody.
  const isMime = /^mime-version:/im.test(fields) && /^content-type:/im.test(fields);
  return isSent || isMime ? 'message/rfc822' : undefined;
}
