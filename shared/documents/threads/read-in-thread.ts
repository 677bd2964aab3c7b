import pLimit from 'p-limit';
import type { ServiceError } from '../../http/errors.ts';
import type { Document, PageContent } from '../document.ts';
import { unreadableDocument, unreadablePage } from '../errors.ts';
import type { DocumentAnswer, DocumentRequest, ReadDocument } from './document-requests.ts';
import { type DocumentThread, ThreadLostError } from './document-thread.ts';
import type { Loss } from './loss.ts';

/** A thread that opens and reads documents, the time that each of its requests may take, and what ends them all. */
export interface DocumentReader {
  thread: DocumentThread<DocumentRequest, DocumentAnswer>;
  ms: number;
  signal?: AbortSignal | undefined;
}

/** How many pages and files of one job's documents were given up because each lost its thread. */
export interface Losses {
  count: number;
}

/** After so many nothing more of the document is tried: each takes its time twice. */
const maxLosses = 5;
const afterLosses = `${maxLosses} others took too long, or too much memory`;

const words: Record<Loss, string> = {
  time: 'it takes too long to read',
  memory: 'it takes too much memory to read',
  crash: 'it is damaged',
};

let opened = 0;

/** Opens a document that is read in a thread. Throws 422 if it can't be, or if it loses its thread twice. */
export async function openInThread(
  reader: DocumentReader,
  path: string,
  kind: ReadDocument['kind'],
  losses: Losses = { count: 0 },
): Promise<Document> {
  opened += 1;
  const document = { id: opened, path, kind };
  const request = { is: 'open', document } as const;
  const pageCount = await askTwice(reader, request, losses, unreadableDocument);
  return new DocumentInThread(reader, document, pageCount as number, losses);
}

class DocumentInThread implements Document {
  readonly pageCount: number;
  private readonly reader: DocumentReader;
  private readonly document: ReadDocument;
  private readonly losses: Losses;
  /** One page after the other, so that documents that share the thread take turns. */
  private readonly oneAtATime = pLimit(1);

  constructor(reader: DocumentReader, document: ReadDocument, pageCount: number, losses: Losses) {
    this.reader = reader;
    this.document = document;
    this.pageCount = pageCount;
    this.losses = losses;
  }

  async readPage(page: number, { forceOcr = false, draw = true } = {}): Promise<PageContent> {
    if (!(page >= 1 && page <= this.pageCount)) throw new RangeError(`There is no page ${page}`);
    const { document } = this;
    // Neither text nor picture is wanted, or there is no text.
    if (!draw && (forceOcr || document.kind === 'image')) return {};
    const request = { is: 'read', document, page, options: { forceOcr, draw } } as const;
    const refuse = (why: string) =>
      this.pageCount === 1 ? unreadableDocument(why) : unreadablePage(page, why);
    const read = () => askTwice(this.reader, request, this.losses, refuse);
    return (await this.oneAtATime(read)) as PageContent;
  }

  close(): void {
    this.reader.thread.tell({ is: 'close', document: this.document });
  }
}

/** Asks a thread, and once more if it was lost: the machine may have been at fault, or an earlier page. */
async function askTwice(
  { thread, ms, signal }: DocumentReader,
  request: DocumentRequest,
  losses: Losses,
  refuse: (why: string) => ServiceError,
): Promise<DocumentAnswer> {
  for (let attempt = 1; ; attempt++) {
    if (losses.count >= maxLosses) throw refuse(afterLosses);
    try {
      return await thread.ask(request, ms, signal);
    } catch (error) {
      if (!(error instanceof ThreadLostError)) throw error;
      if (attempt === 1) continue;
      losses.count += 1;
      throw refuse(words[error.loss]);
    }
  }
}
