import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const chunkBytes = 256 * 1024;

/** Yields the bytes from `start` up to, not including, `end`. Throws if the file has become shorter than that. */
export async function* readFile(path: string, start = 0, end?: number): AsyncGenerator<Buffer> {
  // The path was no link when it was looked up, and must not have become one.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const until = end ?? (await file.stat()).size;
    for (let at = start; at < until; ) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, until - at));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read.`);
      yield chunk.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}
