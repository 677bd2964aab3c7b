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

/** How many pages and files of one job's documents were given up because each lost its process. */
export interface Losses {
  count: number;
}

/** After this many losses nothing more of the document is tried. */
const maxLosses = 5;
const afterLosses = `${maxLosses} others took too long, or too much memory`;

let opened = 0;

/** How a document is read: the key whose turns it takes, the signal that ends it, and its job's count of losses. */
export interface DocumentReading extends Reading {
  losses: Losses;
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
  const known = await askTwice(reader, request, reading, unreadableDocument);
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
          return (await askTwice(reader, request, reading, unreadableDocument)) as FileOnDisk[];
        }
      : undefined,
    async readPage(page, asked = {}) {
      if (!(page >= 1 && page <= pageCount)) throw new RangeError(`There is no page ${page}`);
      const options = { forceOcr: false, draw: true, words: false, ...asked };
      // Neither text nor picture is wanted, or there is no text.
      if (!options.draw && (options.forceOcr || kind === 'image')) return {};
      const request = { is: 'read', document, page, options } as const;
      const read = () => askTwice(reader, request, reading, refusalOf(page));
      return (await oneAtATime(read)) as PageContent;
    },
    close: () => reader.process.tell({ is: 'close', document }),
  };
}

/**
 * Asks a process, and once more if it was lost: the machine may have been at fault, or an earlier page. What has used up its
 * time would use it up again.
 */
async function askTwice(
  reader: DocumentReader,
  request: DocumentRequest,
  { losses, ...reading }: DocumentReading,
  refuse: (why: string) => ServiceError,
): Promise<DocumentAnswer> {
  for (let attempt = 1; ; attempt++) {
    if (losses.count >= maxLosses) throw refuse(afterLosses);
    try {
      return await reader.process.ask(request, reader.ms, reading);
    } catch (error) {
      if (!(error instanceof ProcessLostError)) throw error;
      if (attempt === 1 && error.loss !== 'time') continue;
      losses.count += 1;
      throw refuse(lossInWords[error.loss]);
    }
  }
}
