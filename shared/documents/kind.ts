import { typeBySignature } from './signatures.ts';
import { looksLikeText } from './text.ts';

/** How a file is read. */
export type DocumentKind = 'pdf' | 'image' | 'text' | 'json' | 'jsonl' | 'csv' | 'markdown';

const kindByType = new Map<string, DocumentKind>(
  Object.entries({
    'application/pdf': 'pdf',
    'image/jpeg': 'image',
    'image/png': 'image',
    'image/tiff': 'image',
    'image/webp': 'image',
    'image/avif': 'image',
    'application/json': 'json',
    'application/jsonl': 'jsonl',
    'application/x-ndjson': 'jsonl',
    'text/csv': 'csv',
    'text/markdown': 'markdown',
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
  }),
);

const textKinds = new Set<DocumentKind | undefined>(['text', 'json', 'jsonl', 'csv', 'markdown']);

/**
 * Returns what a file is: by its first bytes and, if these say nothing, by its declared type and name.
 * Undefined if it is unsupported.
 */
export function kindOf(
  firstBytes: Uint8Array,
  mimeType: string,
  filename: string,
): DocumentKind | undefined {
  const type = typeBySignature(firstBytes);
  if (type) return kindByType.get(type);
  const declared = likelyKindOf(mimeType, filename);
  if (!looksLikeText(firstBytes)) return textKinds.has(declared) ? undefined : declared;
  return declared ?? 'text';
}

/**
 * Returns what a file seems to be, before it is downloaded. If its name has a known extension, that counts
 * more than its declared type. Undefined if it is unsupported.
 */
export function likelyKindOf(mimeType: string, filename: string): DocumentKind | undefined {
  const type = declaredType(mimeType, filename);
  return kindByType.get(type) ?? (type.startsWith('text/') ? 'text' : undefined);
}

/** Returns the media type to name in a message about an unsupported file. */
export function typeName(firstBytes: Uint8Array, mimeType: string, filename: string): string {
  return typeBySignature(firstBytes) ?? declaredType(mimeType, filename);
}

function declaredType(mimeType: string, filename: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  const essence = mimeType.split(';')[0]?.trim().toLowerCase();
  return typeByExtension.get(extension) ?? (essence || 'application/octet-stream');
}
