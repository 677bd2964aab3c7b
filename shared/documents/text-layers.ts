import { ServiceError } from '../http/errors.ts';
import type { Document } from './document.ts';
import type { DocumentAnswer, DocumentRequest } from './threads/document-requests.ts';
import { DocumentThread, threadBeside } from './threads/document-thread.ts';
import { type Losses, openInThread } from './threads/read-in-thread.ts';

const thread = new DocumentThread<DocumentRequest, DocumentAnswer>(
  threadBeside(import.meta.url, 'text-layers-thread'),
  { heapMb: 256 },
);

/** For a page, or to open a document: some who ask have half a minute in all. */
const ms = 10_000;

/**
 * Yields the text layer of each page of a PDF, without drawing any; undefined for a page that has none that is
 * real, or that is damaged. It is read in a thread. Throws 422 if the file can't be read, or takes more than 10
 * seconds or more memory than there is for it, twice; and the reason of `signal`.
 */
export async function* textLayersIn(
  path: string,
  losses?: Losses,
  signal?: AbortSignal,
): AsyncGenerator<string | undefined> {
  const document = await openInThread({ thread, ms, signal }, path, 'pdf', losses);
  try {
    for (let page = 1; page <= document.pageCount; page++) yield await layerOf(document, page);
  } finally {
    document.close();
  }
}

async function layerOf(document: Document, page: number): Promise<string | undefined> {
  try {
    return (await document.readPage(page, { draw: false })).textLayer;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
