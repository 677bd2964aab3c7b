import type { PlacedWord } from './placed-word.ts';
import type { WarnedText, Warning } from './warnings.ts';

/** What a page holds: its text layer if that is real, else a picture of it for OCR to read. */
export interface PageContent {
  /** The page's words in reading order, with tables as Markdown. */
  textLayer?: string;
  /** The words of the text layer in reading order, if they were asked for and their places are known. */
  words?: PlacedWord[];
  /** What the text layer lacks, or may have wrong; none without one. */
  warnings?: Warning[];
  /** Grey, under 5 MB and at most 10,000 pixels a side. */
  jpeg?: Uint8Array;
}

/** Which pages a file makes up that is part of a document. */
export interface NamedPages {
  name: string;
  first: number;
  last: number;
}

/** A file that was taken out of a document. */
export interface FileOnDisk {
  name: string;
  path: string;
}

/** A file in memory: one that came with a request, or that lies in another one. */
export interface ContainedFile {
  name: string;
  /** The declared one; '' if none was. */
  mimeType: string;
  bytes: Buffer;
}

/** How a page is to be read. */
export interface PageOptions {
  forceOcr?: boolean;
  draw?: boolean;
  words?: boolean;
}

/** A document on disk, read page by page. Its file must stay until the document is closed. */
export interface Document {
  pageCount: number;
  /** The files in it; absent if there are none. One within another comes after it. */
  parts?: NamedPages[];
  /** Puts the files that it carries into a folder; absent if there are none. */
  takeOut?: ((folder: string) => Promise<FileOnDisk[]>) | undefined;
  /** Whether all of it is text, and no page needs to be seen. */
  isText?: boolean;
  /**
   * Reads a page, from 1. `forceOcr` draws it despite a text layer, no `draw` draws none, `words` adds its words.
   * Throws `RangeError` without such a page, and 422 for one that can't be read.
   */
  readPage(page: number, options?: PageOptions): Promise<PageContent>;
  close(): void;
}

/** A text as a document of one page. */
export const textDocument = ({ text, warnings }: WarnedText): Document => ({
  pageCount: 1,
  readPage: async () => ({ textLayer: text, ...(warnings?.length ? { warnings } : {}) }),
  close: () => {},
});
