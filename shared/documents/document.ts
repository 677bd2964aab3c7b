import { statSync } from 'node:fs';
import { emptyDocument } from './errors.ts';
import { openImage } from './image.ts';
import { openPdf } from './pdf.ts';

/** What a page holds: its text layer where that is real, else a picture of it to be read. */
export interface PageContent {
  /** In reading order. */
  textLayer?: string;
  /** Under 5 MB, at most 10,000 pixels a side. */
  jpeg?: Uint8Array;
}

/** A document on disk, read page by page; the file must stay until it is closed. */
export interface Document {
  pageCount: number;
  /** The page with this number, from 1; `forceOcr` gives its picture even where it has a text layer. */
  readPage(page: number, options?: { forceOcr?: boolean }): Promise<PageContent>;
  close(): void;
}

/** Opens a document; throws 422 if it is empty, encrypted, cut off or not what it should be. */
export async function openDocument(path: string, kind: 'pdf' | 'image'): Promise<Document> {
  if (statSync(path).size === 0) throw emptyDocument('bytes');
  return kind === 'pdf' ? openPdf(path) : openImage(path);
}
