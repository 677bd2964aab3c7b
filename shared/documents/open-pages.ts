import { setting } from '../config.ts';
import type { Document } from './document.ts';
import type { DocumentAnswer, DocumentRequest } from './threads/document-requests.ts';
import { DocumentThread, threadBeside } from './threads/document-thread.ts';
import { type Losses, openInThread } from './threads/read-in-thread.ts';

const thread = new DocumentThread<DocumentRequest, DocumentAnswer>(
  threadBeside(import.meta.url, 'pages-thread'),
  { heapMb: 256 },
);

/**
 * Opens a PDF or a picture, whose pages are drawn in a thread that all documents of this process share. Throws 422
 * if it can't be read, and if it takes more time or memory than there is for it, twice. A page of A4 takes half a second.
 */
export const openPages = (
  path: string,
  kind: 'pdf' | 'image',
  losses?: Losses,
): Promise<Document> =>
  openInThread({ thread, ms: setting('PAGE_SECONDS') * 1000 }, path, kind, losses);
