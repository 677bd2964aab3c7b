import type { Item } from '../drive/item.ts';
import type { DocumentHit } from './drive-documents.ts';

/** Returns what names an item to a caller. */
export function hitOf({ id, name, webViewLink }: Item): DocumentHit {
  return { id, title: name, url: webViewLink ?? linkTo(id) };
}

/** Returns a link to an item by its id; Drive leads it to the right page. */
export const linkTo = (id: string) => `https://drive.google.com/open?id=${encodeURIComponent(id)}`;
