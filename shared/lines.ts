const lineFeed = 0x0a;

/**
 * The lines of a file or a body, read no faster than they are taken. A line of more than `maxBytes` is undefined: it is never
 * held whole.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<string | undefined> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const add = (piece: Uint8Array) => {
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

  for await (const chunk of chunks) {
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
