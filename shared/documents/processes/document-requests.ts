import type { Document, FileOnDisk, PageContent, PageOptions } from '../document.ts';
import type { MemoryLimit } from '../memory-limit.ts';
import { answerWith } from './answer-requests.ts';

/** A document that a process is to read; it is opened again by a process that doesn't know it. */
export interface ReadDocument {
  id: number;
  path: string;
  kind: 'pdf' | 'image';
}

/** A request to a process that reads documents. */
export type DocumentRequest =
  | { is: 'open'; document: ReadDocument }
  | { is: 'close'; document: ReadDocument }
  | { is: 'take-out'; document: ReadDocument; folder: string }
  | { is: 'read'; document: ReadDocument; page: number; options: Required<PageOptions> };

/** The attributes of a document that was opened. */
export interface OpenedDocument {
  pageCount: number;
  hasFiles: boolean;
}

/** What a document is that was opened, the files that were taken out of it, or what is on a page that was read. */
export type DocumentAnswer = OpenedDocument | FileOnDisk[] | PageContent;

/** Has this process read documents, each opened by `open`. */
export function readDocumentsWith(
  open: (document: ReadDocument) => Promise<Document>,
  memory: readonly MemoryLimit[],
): void {
  const documents = new Map<number, Document>();
  const openOnce = async (asked: ReadDocument) => {
    const document = documents.get(asked.id) ?? (await open(asked));
    documents.set(asked.id, document);
    return document;
  };
  answerWith(async (request: DocumentRequest): Promise<DocumentAnswer | undefined> => {
    const { id } = request.document;
    if (request.is === 'close') {
      documents.get(id)?.close();
      documents.delete(id);
      return undefined;
    }
    const document = await openOnce(request.document);
    if (request.is === 'take-out') return (await document.takeOut?.(request.folder)) ?? [];
    return request.is === 'open'
      ? { pageCount: document.pageCount, hasFiles: document.takeOut !== undefined }
      : document.readPage(request.page, request.options);
  }, memory);
}
