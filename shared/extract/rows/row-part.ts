import type { Place } from '../words/place.ts';
import type { ReadPage } from '../words/read-page.ts';

/** Words of a page that a row stands in. */
export interface RowPart {
  page: ReadPage;
  place: Place;
}
