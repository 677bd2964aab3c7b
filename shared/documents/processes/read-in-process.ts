import pLimit from 'p-limit';
import type { ServiceError } from '../../http/errors.ts';
import type { Document, FileOnDisk, PageContent } from '../document.ts';
import { unreadableDocument, unreadablePage } from '../errors.ts';
import { lossInWords } from '../loss.ts';
import { type DocumentProcess, ProcessLostError, type Reading } from './document-process.ts';
import type {
  DocumentAnswer,
  DocumentRequest,
  OpenedDocument,
  ReadDocument,
} from './document-requests.ts';

/** A process that opens and reads documents, and the time that each of its requests may take. */
export interface DocumentReader {
  process: DocumentProcess<DocumentRequest, DocumentAnswer>;
  ms: number;
}

/** After this many losses nothing more of the document is tried. */
const maxLosses = 5;
const afterLosses = `${maxLosses} others took too long, or too much memory`;

let opened = 0;

/** How a document is read: the key whose turns it takes, the signal that ends it, and its job's count of losses. */
export interface DocumentReading extends Reading {
  /** How many pages and files of the job's documents were given up because each lost its process. */
  losses: { count: number };
}

/** Opens a document that is read in a process. Throws 422 if it can't be, if its time is up, or if it loses its process twice. */
export async function openInProcess(
  reader: DocumentReader,
  path: string,
  kind: ReadDocument['kind'],
  reading: DocumentReading,
): Promise<Document> {
  opened += 1;
  const document = { id: opened, path, kind };
  const request = { is: 'open', document } as const;
  const known = await ask(reader, request, reading, unreadableDocument);
  const { pageCount, hasFiles } = known as OpenedDocument;
  const refusalOf = (page: number) => (why: string) =>
    pageCount === 1 ? unreadableDocument(why) : unreadablePage(page, why);
  // One page after the other, so that a key's documents take turns as well.
  const oneAtATime = pLimit(1);
  return {
    pageCount,
    takeOut: hasFiles
      ? async (folder) => {
          const request = { is: 'take-out', document, folder } as const;
          return (await ask(reader, request, reading, unreadableDocument)) as FileOnDisk[];
        }
      : undefined,
    async readPage(page, asked = {}) {
      if (!(page >= 1 && page <= pageCount)) throw new RangeError(`There is no page ${page}`);
      const options = { forceOcr: false, draw: true, words: false, ...asked };
      // Neither text nor picture is wanted, or there is no text.
      if (!options.draw && (options.forceOcr || kind === 'image')) return {};
      const request = { is: 'read', document, page, options } as const;
      const read = () => ask(reader, request, reading, refusalOf(page));
      return (await oneAtATime(read)) as PageContent;
    },
    close: () => reader.process.tell({ is: 'close', document }),
  };
}

/** Asks a process, unless too many were lost. */
async function ask(
  { process, ms }: DocumentReader,
  request: DocumentRequest,
  { losses, ...reading }: DocumentReading,
  refuse: (why: string) => ServiceError,
): Promise<DocumentAnswer> {
  const throwIfTooManyLost = () => {
    if (losses.count >= maxLosses) throw refuse(afterLosses);
  };
  try {
    return await process.askTwice(request, ms, reading, throwIfTooManyLost);
  } catch (error) {
    if (!(error instanceof ProcessLostError)) throw error;
    losses.count += 1;
    throw refuse(lossInWords[error.loss]);
  }
}
