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
 * Opens a PDF or a picture, whose pages are drawn in a process that all documents share. Throws 422 if it can't be read,
 * and if it takes more time or memory than there is for it, twice. A page of A4 takes half a second.
 */
export const openPages = (
  path: string,
  kind: 'pdf' | 'image',
  reading: DocumentReading,
): Promise<Document> =>
  openInProcess({ process: pagesProcess, ms: setting('PAGE_SECONDS') * 1000 }, path, kind, reading);
