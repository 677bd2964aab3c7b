import { createReadStream } from 'node:fs';

const lineFeed = 0x0a;

/**
 * The lines of a file, read no faster than they are taken. A line of more than `mostBytes` is undefined:
 * it is never held whole.
 */
export async function* linesOf(
  path: string,
  mostBytes: number,
): AsyncGenerator<string | undefined> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const add = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > mostBytes) pieces = [];
    else pieces.push(piece);
  };
  const take = () => {
    const line = bytes > mostBytes ? undefined : Buffer.concat(pieces).toString();
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
