import type { Readable } from 'node:stream';
import { unavailable } from './errors.ts';

/** Returns the bytes from an offset to the end of the chunk that holds it; none at the end of the content. */
export type ChunkAt = (offset: number) => Promise<Uint8Array>;

/**
 * Reads a stream in chunks, one in memory at a time, which can be sent again. A body given as a function is opened
 * anew to go back further; a stream throws a 503 `DriveError` then. A length other than `totalBytes` throws.
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

/** A stream that is read in pieces of given sizes. */
class Source {
  private readonly stream: Readable;
  private readonly pieces: AsyncIterator<Uint8Array | string>;
  /** What has come from the stream and is not read yet. */
  private rest: Uint8Array = new Uint8Array();

  constructor(stream: Readable) {
    this.stream = stream;
    this.pieces = stream[Symbol.asyncIterator]();
  }

  /** Reads exactly the given number of bytes. Throws if the stream ends before. */
  async read(bytes: number): Promise<Uint8Array> {
    const read = Buffer.allocUnsafe(bytes);
    for (let filled = 0; filled < bytes; ) {
      if (this.rest.length === 0) await this.pull();
      const piece = this.rest.subarray(0, bytes - filled);
      if (piece.length === 0) throw new Error(`The content ends ${bytes - filled} bytes too early`);
      read.set(piece, filled);
      filled += piece.length;
      this.rest = this.rest.subarray(piece.length);
    }
    return read;
  }

  /** Throws if the stream has more bytes. */
  async expectEnd(): Promise<void> {
    if (this.rest.length === 0) await this.pull();
    if (this.rest.length > 0) throw new Error('The content is longer than was said');
  }

  close(): void {
    this.stream.destroy();
  }

  /** Takes the next piece that isn't empty from the stream. `rest` stays empty only at the end. */
  private async pull(): Promise<void> {
    do {
      const { done, value } = await this.pieces.next();
      if (done) return;
      this.rest = typeof value === 'string' ? Buffer.from(value) : value;
    } while (this.rest.length === 0);
  }
}
