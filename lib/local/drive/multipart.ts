import { badRequest } from './drive-error.ts';
import { type Body, readJson } from './request-body.ts';

/** A multipart/related upload: the metadata, and the content as it comes. */
export interface MultipartUpload<T> {
  metadata: T;
  mimeType: string | undefined;
  content: AsyncIterable<Buffer>;
}

/** Reads the two parts of an upload; the content must be read to its end. */
export async function readMultipart<T>(
  body: Body,
  contentType: string | undefined,
): Promise<MultipartUpload<T>> {
  const boundary = contentType?.match(/boundary=(?:"([^"]+)"|([^;\s]+))/i);
  const delimiter = `\r\n--${boundary?.[1] ?? boundary?.[2]}`;
  if (!body || !boundary) throw malformed();
  const parts = new PartReader(body);
  await readAll(parts.until(delimiter));
  await readHeaders(parts);
  const metadata = await readJson<T>(parts.until(delimiter));
  const headers = await readHeaders(parts);
  return {
    metadata,
    mimeType: headers.get('content-type'),
    content: parts.until(delimiter),
  };
}

const malformed = () => badRequest('Malformed multipart body.');

async function readHeaders(parts: PartReader): Promise<Map<string, string>> {
  // What is left of the delimiter's line comes first.
  const [, ...lines] = (await readAll(parts.until('\r\n\r\n'))).split('\r\n');
  return new Map(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
}

async function readAll(chunks: AsyncIterable<Buffer>): Promise<string> {
  let all = '';
  for await (const chunk of chunks) all += chunk.toString('latin1');
  return all;
}

/** Splits a stream at delimiters, holding no more than a chunk of it. */
class PartReader {
  private readonly source: AsyncIterator<Buffer>;
  // The first boundary has no line before it.
  private held: Buffer = Buffer.from('\r\n');

  constructor(body: AsyncIterable<Buffer>) {
    this.source = body[Symbol.asyncIterator]();
  }

  /** What comes before the delimiter, which is skipped. */
  async *until(delimiter: string): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.held.indexOf(delimiter);
      const safe = at < 0 ? Math.max(0, this.held.length - delimiter.length + 1) : at;
      const part = this.held.subarray(0, safe);
      this.held = this.held.subarray(at < 0 ? safe : at + delimiter.length);
      if (part.length > 0) yield part;
      if (at >= 0) return;
      const { done, value } = await this.source.next();
      if (done) throw malformed();
      this.held = Buffer.concat([this.held, value]);
    }
  }
}
