/** A rectangle of a page as it is shown upright, in per mille of its width and height: left, top, right, bottom. */
export type PageBox = readonly [left: number, top: number, right: number, bottom: number];

/** A word of a page; without a box where only its text is known. */
export interface PageWord {
  text: string;
  box: PageBox | null;
  /** How sure its reading is, 0 to 100; null where nobody says. */
  confidence: number | null;
}

/** A page that fields are taken from. */
export interface SourcePage {
  page: number;
  part?: string;
  status: 'read' | 'empty' | 'failed';
  source: 'ocr' | 'text_layer';
  text: string;
  /** In reading order; none where only the text is known. */
  words: readonly PageWord[];
  confidence: number | null;
}

/** Pages that are put to a model at once, by their numbers. */
export interface PageWindow {
  index: number;
  first: number;
  last: number;
}
