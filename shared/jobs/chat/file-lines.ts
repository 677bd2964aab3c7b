import { createReadStream } from 'node:fs';

const lineFeed = 0x0a;

/**
 * The lines of a file, read no faster than they are taken. A line of more than `maxBytes` is undefined:
 * it is never held whole.
 */
export async function* linesOf(path: string, maxBytes: number): AsyncGenerator<string | undefined> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const add = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxBytes) pieces = [];
    else pieces.push(piece);
  };
  const take = () => {
    const line = bytes > maxBytes ? undefined : Buffer.concat(pieces).toString();
    pieces = [];
    bytes = 0;
    return line;
  };

  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (bytes > 0) yield take();
}

/** How many bytes of lines a process works on at once, of all its files: a line takes several times its size. */
const maxLineBytesHeld = 24 * 1024 * 1024;

let heldBytes = 0;
let waiting: (() => void)[] = [];

/** Waits until there is room for a line of so many bytes; returns how to give the room back. */
export async function reserveBytes(bytes: number): Promise<() => void> {
  while (heldBytes > 0 && heldBytes + bytes > maxLineBytesHeld) {
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  heldBytes += bytes;
  return () => {
    heldBytes -= bytes;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
}

/**
 * A file of requests may have no more lines, blank ones included.
 *
 * @see https://platform.openai.com/docs/guides/batch
 */
export const maxLines = 50_000;

/** The file of a batch's requests may be no larger. */
export const maxBatchBytes = 200 * 1024 * 1024;
