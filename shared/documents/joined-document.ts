import { posix } from 'node:path';
import { ServiceError } from '../http/errors.ts';
import type { Document, NamedPages } from './document.ts';

/** A document among those that are joined. */
export interface Piece {
  /** '' for one that has no name of its own. */
  name: string;
  /** Opens the document. An error of 422 becomes the error of its one page. */
  open: () => Promise<Document>;
}

/** How many documents that nobody reads from stay open: a PDF takes memory of its own. */
const maxIdle = 1;

/** Joins documents to one. Each is opened to count its pages, and again to read them; one that can't be is one bad page. */
export async function joinDocuments(pieces: Piece[], onClose: () => void): Promise<Document> {
  const idle: OpenedPiece[] = [];
  const opened: OpenedPiece[] = [];
  const parts: NamedPages[] = [];
  let pageCount = 0;
  for (const piece of pieces) {
    const each = new OpenedPiece(piece, idle);
    const before = pageCount;
    const found = await each.use(async ({ pageCount: count, parts: within = [] }) => {
      const own = { name: '', first: 1, last: count };
      return { count, within: [...(piece.name ? [own] : []), ...within] };
    });
    each.first = before + 1;
    opened.push(each);
    pageCount += found.count;
    for (const { name, first, last } of found.within) {
      parts.push({
        name: posix.join(piece.name, name),
        first: before + first,
        last: before + last,
      });
    }
  }
  return {
    pageCount,
    ...(parts.length > 0 && { parts }),
    readPage: async (page, options) => {
      const piece = page <= pageCount && opened.findLast(({ first }) => first <= page);
      if (!piece) throw new RangeError(`There is no page ${page}`);
      return piece.use((document) => document.readPage(page - piece.first + 1, options));
    },
    close: () => {
      for (const each of opened) each.close();
      onClose();
    },
  };
}

class OpenedPiece {
  first = 1;
  private readonly piece: Piece;
  /** The documents that are open and not in use, the last one used at the end. */
  private readonly idle: OpenedPiece[];
  private document: Promise<Document> | undefined;
  private users = 0;

  constructor(piece: Piece, idle: OpenedPiece[]) {
    this.piece = piece;
    this.idle = idle;
  }

  async use<Result>(use: (document: Document) => Promise<Result>): Promise<Result> {
    const at = this.idle.indexOf(this);
    if (at >= 0) this.idle.splice(at, 1);
    this.users += 1;
    this.document ??= this.piece.open().catch(asPage);
    try {
      return await use(await this.document);
    } finally {
      this.users -= 1;
      if (this.users === 0) this.idle.push(this);
      while (this.idle.length > maxIdle) this.idle.shift()?.close();
    }
  }

  close(): void {
    // The reader of a document that failed to open has got the error.
    void this.document?.then(
      (document) => document.close(),
      () => {},
    );
    this.document = undefined;
  }
}

function asPage(error: unknown): Document {
  if (!(error instanceof ServiceError)) throw error;
  return { pageCount: 1, readPage: () => Promise.reject(error), close: () => {} };
}
