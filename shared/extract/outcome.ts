import type { PageBox } from './words/page.ts';
import type { Found } from './words/place.ts';

/** Where a value stands. */
export interface Evidence {
  /** The value's JSON pointer; a row that was left out, as no page shows it, is its array's `-`. */
  path: string;
  page: number | null;
  /** The page's own words in which it was found; the model's words where it wasn't found. */
  quote: string | null;
  /** One for each line of the value's words. */
  boxes: PageBox[];
  found: Found;
  /** Measured, 0 to 1; null where nothing was found. */
  confidence: number | null;
}

/** A line of a page that stands as a row and that no row claims. `path` is the array's JSON pointer. */
export interface MissedLine {
  path: string;
  page: number;
  text: string;
  box: PageBox | null;
}

export interface ArrayCoverage {
  path: string;
  returned: number;
  /** Rows that stand on the pages; null where that can't be counted. */
  on_pages: number | null;
  /** The first rows on pages that no row of the answer claims. */
  missing: Omit<MissedLine, 'path'>[];
}

export interface PageCoverage {
  page: number;
  part?: string;
  status: 'used' | 'empty' | 'failed' | 'left_out';
}

/** The data taken from pages, and its evidence. */
export interface ExtractOutcome {
  data: unknown;
  evidence: Evidence[];
  coverage: { pages: PageCoverage[]; arrays: ArrayCoverage[] };
  /** By a window's index, the lines that a repair asks of it again. */
  missed: Map<number, MissedLine[]>;
}
