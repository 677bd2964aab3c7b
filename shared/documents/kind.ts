import { extname } from 'node:path';
import { officeKindOf } from './office-kind.ts';
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

const kindByType = new Map<string, DocumentKind>(
  Object.entries({
    'application/pdf': 'pdf',
    'image/jpeg': 'image',
    'image/png': 'image',
    'image/tiff': 'image',
    'image/webp': 'image',
    'image/avif': 'image',
    'image/gif': 'image',
    'image/bmp': 'image',
    'text/plain': 'text',
    'application/json': 'json',
    'application/jsonl': 'jsonl',
    'application/x-ndjson': 'jsonl',
    'text/csv': 'csv',
    'text/markdown': 'markdown',
    'text/html': 'html',
    'application/xhtml+xml': 'html',
    'application/rtf': 'rtf',
    'text/rtf': 'rtf',
    'message/rfc822': 'email',
    'application/zip': 'archive',
    'application/x-zip-compressed': 'archive',
    'application/gzip': 'archive',
    'application/x-gzip': 'archive',
    'application/x-tar': 'archive',
    'application/epub+zip': 'archive',
    // Google's own documents, by the format in which Drive exports them.
    'application/vnd.google-apps.document': 'markdown',
    'application/vnd.google-apps.spreadsheet': 'csv',
    'application/vnd.google-apps.presentation': 'text',
  }),
);

const typeByExtension = new Map(
  Object.entries({
    pdf: 'application/pdf',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    png: 'image/png',
    tif: 'image/tiff',
    tiff: 'image/tiff',
    webp: 'image/webp',
    avif: 'image/avif',
    gif: 'image/gif',
    bmp: 'image/bmp',
    heic: 'image/heic',
    heif: 'image/heif',
    json: 'application/json',
    jsonl: 'application/jsonl',
    ndjson: 'application/x-ndjson',
    csv: 'text/csv',
    md: 'text/markdown',
    markdown: 'text/markdown',
    txt: 'text/plain',
    log: 'text/plain',
    html: 'text/html',
    htm: 'text/html',
    xhtml: 'application/xhtml+xml',
    rtf: 'application/rtf',
    eml: 'message/rfc822',
    zip: 'application/zip',
    gz: 'application/gzip',
    tgz: 'application/gzip',
    tar: 'application/x-tar',
    epub: 'application/epub+zip',
  }),
);

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
  if (type) return kindByType.get(type);
  const declared = likelyKindOf(mimeType, filename);
  const unsigned = signedKinds.has(declared) ? undefined : declared;
  if (!looksLikeText(firstBytes)) return textKinds.has(unsigned) ? undefined : unsigned;
  return kindByType.get(textTypeOf(firstBytes) ?? '') ?? unsigned ?? 'text';
}

/** Returns a file's likely kind before its download, by its name, else by its type; undefined if it is unsupported. */
export function likelyKindOf(mimeType: string, filename: string): DocumentKind | undefined {
  if (officeKindOf(mimeType, filename)) return 'archive';
  const type = declaredType(mimeType, filename);
  return kindByType.get(type) ?? (type.startsWith('text/') ? 'text' : undefined);
}

/** Returns the media type that files of a kind usually have. */
export const usualTypeOf = (kind: DocumentKind): string =>
  [...kindByType].find(([, each]) => each === kind)?.[0] ?? '';

/** Returns the media type of a file: by its first bytes, else the declared one. */
export function mediaTypeOf(firstBytes: Uint8Array, mimeType: string, filename: string): string {
  return typeBySignature(firstBytes) ?? declaredType(mimeType, filename);
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
  return /^from:/im.test(fields) && transportField.test(fields) ? 'message/rfc822' : undefined;
}
