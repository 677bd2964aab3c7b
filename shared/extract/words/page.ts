/** A rectangle of a page as it is shown upright, in per mille of its width and height: left, top, right, bottom. */
export type PageBox = readonly [number, number, number, number];

/** A word of a page; without a box where only the text of its page is known. */
export interface PageWord {
  text: string;
  box: PageBox | null;
  /** OCR's own, 0 to 100; null where none read it. */
  confidence: number | null;
}

/** A page that values are taken from. Its words are in reading order; there are none where only text is known. */
export interface SourcePage {
  page: number;
  part?: string;
  status: 'read' | 'empty' | 'failed';
  source: 'ocr' | 'text_layer';
  text: string;
  words: PageWord[];
  confidence: number | null;
}

/** Pages that are put to a model at once, by the numbers of its first and last. */
export interface PageWindow {
  index: number;
  first: number;
  last: number;
}
