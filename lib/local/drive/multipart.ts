import { badRequest } from './drive-error.ts';
import { type Body, readJson } from './request-body.ts';

/**
 * A multipart/related upload: its metadata, and its content as it comes.
 * @see https://developers.google.com/workspace/drive/api/guides/manage-uploads
 */
export interface MultipartUpload<T> {
  metadata: T;
  mimeType: string | undefined;
  content: AsyncIterable<Buffer>;
}

/** Reads the first part of an upload; the caller must read the second, the content, to its end. */
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
  return { metadata, mimeType: headers.get('content-type'), content: parts.until(delimiter) };
}

const malformed = () => badRequest('Malformed multipart body.');

async function readHeaders(parts: PartReader): Promise<Map<string, string>> {
  // The first line is the rest of the delimiter's.
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

/** Splits a stream at delimiters. Holds little more of it than a chunk. */
class PartReader {
  private readonly source: AsyncIterator<Buffer>;
  /** Begins with a line break: a delimiter starts with one, and the body's first boundary has none before it. */
  private held: Buffer = Buffer.from('\r\n');

  constructor(body: AsyncIterable<Buffer>) {
    this.source = body[Symbol.asyncIterator]();
  }

  /** Yields what comes before the delimiter, which is then skipped. */
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
