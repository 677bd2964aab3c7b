import { ServiceError } from '../../http/errors.ts';
import type { Document } from '../document.ts';
import { DocumentProcess } from '../processes/document-process.ts';
import {
  type DocumentReader,
  type DocumentReading,
  openInProcess,
} from '../processes/read-in-process.ts';
import { processBeside } from '../processes/start-process.ts';
import type { WarnedText } from '../warnings.ts';

const reader: DocumentReader = {
  process: new DocumentProcess(processBeside(import.meta.url, 'text-layers-process'), {
    heapMb: 256,
  }),
  // The time for a page, or to open a document: some callers have half a minute for all of it.
  ms: 10_000,
};

/** Opens a PDF for its text layers: it draws no page. Throws 422 if it can't be read. */
export const openTextLayers = (path: string, reading: DocumentReading): Promise<Document> =>
  openInProcess(reader, path, 'pdf', reading);

/**
 * Yields the text layer of each page of a PDF in a process of its own; undefined for none. Throws 422 if the file
 * can't be read, or twice takes over 10 seconds or too much memory; and the signal's reason.
 */
export async function* textLayersIn(
  path: string,
  reading: DocumentReading,
): AsyncGenerator<WarnedText | undefined> {
  const document = await openTextLayers(path, reading);
  try {
    for (let page = 1; page <= document.pageCount; page++) yield await layerOf(document, page);
  } finally {
    document.close();
  }
}

async function layerOf(document: Document, page: number): Promise<WarnedText | undefined> {
  try {
    const { textLayer: text, warnings = [] } = await document.readPage(page, { draw: false });
    return text === undefined ? undefined : { text, warnings };
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
