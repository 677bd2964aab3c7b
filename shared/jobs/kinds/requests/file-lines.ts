import { createReadStream } from 'node:fs';

const lineFeed = 0x0a;

/** The lines of a file, read no faster than they are taken. A line of more than `maxBytes` is undefined. */
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
let waiting: { bytes: number; enter: () => void }[] = [];

const hasRoom = (bytes: number) => heldBytes === 0 || heldBytes + bytes <= maxLineBytesHeld;

/** Whether a line, with its answer, needs more than all the room. It has that to itself, and nobody passes it by. */
const isHuge = ({ bytes }: { bytes: number }) => bytes > maxLineBytesHeld;

/** Waits until there is room for a line of so many bytes; returns how to give the room back. */
export async function reserveBytes(bytes: number): Promise<() => void> {
  if (hasRoom(bytes) && !waiting.some(isHuge)) heldBytes += bytes;
  else await new Promise<void>((enter) => waiting.push({ bytes, enter }));
  return () => {
    heldBytes -= bytes;
    admit();
  };
}

function admit(): void {
  const stay: typeof waiting = [];
  for (const each of waiting) {
    if (stay.some(isHuge) || !hasRoom(each.bytes)) {
      stay.push(each);
      continue;
    }
    heldBytes += each.bytes;
    each.enter();
  }
  waiting = stay;
}

/**
 * A file of requests may have no more lines, blank ones included.
 * @see https://platform.openai.com/docs/guides/batch
 */
export const maxLines = 50_000;

/** The file of a batch's requests may be no larger. */
export const maxBatchBytes = 200 * 1024 * 1024;
