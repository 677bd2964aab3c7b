import type { Item } from '../drive/item.ts';

/** What `search-drive` is asked: which documents match some queries, or what documents say. `folders` are the key's. */
export type DriveQuestion =
  | { ask: 'search'; keyId: string; folders: string[]; queries: string[] }
  | { ask: 'fetch'; keyId: string; folders: string[]; ids: string[] };

/** A document, in the shape that ChatGPT's connectors use. */
export interface DocumentHit {
  id: string;
  title: string;
  /** Drive's link to it. */
  url: string;
}

/** What a document says, or why it was left out, in words for the caller. */
export type FetchedDocument = DocumentHit & ({ text: string } | { skipped: string });

/** The answers: hits, the best first; or documents in the order asked for, without those the key may not read. */
export interface DriveAnswers {
  search: { hits: DocumentHit[] };
  fetch: { documents: FetchedDocument[] };
}

export const maxHits = 20;
export const maxFetched = 6;

/** Returns what names an item to a caller. */
export function hitOf({ id, name, webViewLink }: Item): DocumentHit {
  return { id, title: name, url: webViewLink ?? linkTo(id) };
}

/** Returns a link to an item by its id; Drive leads it to the right page. */
export const linkTo = (id: string) => `https://drive.google.com/open?id=${encodeURIComponent(id)}`;
