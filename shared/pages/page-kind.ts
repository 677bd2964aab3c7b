import { UnreadableError } from './unreadable.ts';

type PageKind = 'html' | 'text' | 'pdf' | 'unknown';

const kinds = new Map<string, PageKind>([
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['text/plain', 'text'],
  ['text/markdown', 'text'],
  ['text/x-markdown', 'text'],
  ['application/pdf', 'pdf'],
  ['application/x-pdf', 'pdf'],
  // These say nothing; the content may.
  ['application/octet-stream', 'unknown'],
  ['binary/octet-stream', 'unknown'],
  ['', 'unknown'],
]);

/** Returns how a page is read by the type that it declares. Throws `unsupported_type` if it can't be. */
export function kindOf(contentType: string): PageKind {
  const kind = kinds.get(contentType.split(';')[0]?.trim().toLowerCase() ?? '');
  if (!kind) throw new UnreadableError('unsupported_type');
  return kind;
}
