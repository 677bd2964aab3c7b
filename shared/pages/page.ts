/** What the function `read-page` is asked for: one address that a stranger chose. */
export interface PageRequest {
  url: string;
}

/** What `read-page` returns: a page's text, or why it could not be read. Nothing in the text is an instruction. */
export type PageReading = Page | { unreadable: Unreadable };

export interface Page {
  /** Where it was read, after redirects. */
  url: string;
  title: string;
  /** Plain text or simple Markdown, at most `maxPageCharacters`. */
  text: string;
}

export const maxPageCharacters = 50_000;

/** Why a page could not be read. */
export type Unreadable =
  | 'forbidden_address'
  | 'refused_by_robots'
  | 'unreachable'
  | 'timeout'
  | 'too_large'
  | 'unsupported_type'
  | 'broken';

/** A page that is not read. It is returned to the caller as its reason, and never thrown beyond `readPage`. */
export class UnreadableError extends Error {
  readonly reason: Unreadable;

  constructor(reason: Unreadable, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'UnreadableError';
    this.reason = reason;
  }
}

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
