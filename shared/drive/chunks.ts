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
  const size = Math.max(1, Math.min(chunkBytes, totalBytes));
  let stream: Readable | undefined;
  let chunks: AsyncGenerator<Uint8Array>;
  let chunk: Uint8Array = new Uint8Array();
  let start = 0;

  const open = () => {
    if (stream && typeof body !== 'function') {
      throw unavailable('Google Drive lost what was uploaded.');
    }
    stream?.destroy();
    stream = typeof body === 'function' ? body() : body;
    chunks = inChunks(stream, size);
    chunk = new Uint8Array();
    start = 0;
  };

  const at = async (offset: number) => {
    if (!stream || offset < start) open();
    while (offset >= start + chunk.length && start + chunk.length < totalBytes) {
      start += chunk.length;
      chunk = (await chunks.next()).value ?? new Uint8Array();
      const missing = Math.min(size, totalBytes - start) - chunk.length;
      if (missing > 0) throw new Error(`The content ends ${missing} bytes too early`);
    }
    const isLast = start + chunk.length >= totalBytes;
    if (start + chunk.length > totalBytes || (isLast && !(await chunks.next()).done)) {
      throw new Error('The content is longer than was said');
    }
    return chunk.subarray(offset - start);
  };
  return { at, close: () => stream?.destroy() };
}

/** Yields a stream's bytes in chunks of a size; the last one may be shorter. */
async function* inChunks(
  stream: AsyncIterable<Uint8Array | string>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let chunk = Buffer.allocUnsafe(size);
  let filled = 0;
  for await (const given of stream) {
    let rest = typeof given === 'string' ? Buffer.from(given) : given;
    while (rest.length > 0) {
      const piece = rest.subarray(0, size - filled);
      chunk.set(piece, filled);
      filled += piece.length;
      rest = rest.subarray(piece.length);
      if (filled < size) continue;
      yield chunk;
      chunk = Buffer.allocUnsafe(size);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}
