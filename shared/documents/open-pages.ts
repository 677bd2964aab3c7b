import { setting } from '../config.ts';
import type { Document } from './document.ts';
import { DocumentProcess } from './processes/document-process.ts';
import type { DocumentAnswer, DocumentRequest } from './processes/document-requests.ts';
import { type DocumentReading, openInProcess } from './processes/read-in-process.ts';
import { processBeside } from './processes/start-process.ts';

const pagesProcess = new DocumentProcess<DocumentRequest, DocumentAnswer>(
  processBeside(import.meta.url, 'pages-process'),
  { heapMb: 256 },
);

/**
 * Opens a PDF or a picture, drawn in a shared process. Throws 422 if it can't be read, or twice takes too much time
 * or memory. A page of A4 takes half a second.
 */
export const openPages = (
  path: string,
  kind: 'pdf' | 'image',
  reading: DocumentReading,
): Promise<Document> =>
  openInProcess({ process: pagesProcess, ms: setting('PAGE_SECONDS') * 1000 }, path, kind, reading);
