import type { Readable } from 'node:stream';
import { unavailable } from './errors.ts';

/** Answers the bytes from an offset to the end of the chunk that holds it; none at the very end. */
export type ChunkAt = (offset: number) => Promise<Uint8Array>;

/**
 * Reads a stream in chunks of a size, of which one is in memory at a time: it can be sent again, in
 * whole or from its middle. A body given as a function is opened at the first read, and anew to go
 * back further.
 */
export function chunksOf(
  body: Readable | (() => Readable),
  totalBytes: number,
  chunkBytes: number,
): { at: ChunkAt; close: () => void } {
  let source: Source | undefined;
  let chunk: Uint8Array = new Uint8Array();
  let start = 0;

  const open = () => {
    if (source && typeof body !== 'function') {
      throw unavailable('Google Drive lost what was uploaded.');
    }
    source?.close();
    chunk = new Uint8Array();
    start = 0;
    return new Source(typeof body === 'function' ? body() : body);
  };

  const at = async (offset: number) => {
    if (!source || offset < start) source = open();
    while (offset >= start + chunk.length && start + chunk.length < totalBytes) {
      start += chunk.length;
      chunk = await source.read(Math.min(chunkBytes, totalBytes - start));
    }
    if (start + chunk.length === totalBytes) await source.expectEnd();
    return chunk.subarray(offset - start);
  };
  return { at, close: () => source?.close() };
}

/** A stream read in pieces of given sizes. */
class Source {
  readonly #stream: Readable;
  readonly #pieces: AsyncIterator<Uint8Array | string>;
  #rest: Uint8Array = new Uint8Array();

  constructor(stream: Readable) {
    this.#stream = stream;
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  async read(bytes: number): Promise<Uint8Array> {
    const read = Buffer.allocUnsafe(bytes);
    for (let filled = 0; filled < bytes; ) {
      if (this.#rest.length === 0) await this.#next();
      const piece = this.#rest.subarray(0, bytes - filled);
      if (piece.length === 0) throw new Error(`The content ends ${bytes - filled} bytes too early`);
      read.set(piece, filled);
      filled += piece.length;
      this.#rest = this.#rest.subarray(piece.length);
    }
    return read;
  }

  async expectEnd(): Promise<void> {
    if (this.#rest.length === 0) await this.#next();
    if (this.#rest.length > 0) throw new Error('The content is longer than was said');
  }

  close(): void {
    this.#stream.destroy();
  }

  /** Leaves nothing only at the end. */
  async #next(): Promise<void> {
    do {
      const { done, value } = await this.#pieces.next();
      if (done) return;
      this.#rest = typeof value === 'string' ? Buffer.from(value) : value;
    } while (this.#rest.length === 0);
  }
}
