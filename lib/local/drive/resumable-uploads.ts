import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { badRequest, DriveError } from './drive-error.ts';
import type { UploadedContent, UploadFolder } from './upload-folder.ts';

/** Makes or changes a file from an upload that is whole. Returns the file's id. */
export type Commit = (content: UploadedContent) => Promise<string>;

interface Session {
  content: UploadedContent;
  commit: Commit;
  /** The size of the whole content, in bytes; undefined until a request gives it. */
  total: number | undefined;
  /** How many bytes of it have been kept. */
  received: number;
  /** The file's id, once it is made. */
  fileId: string | undefined;
  /** Settles with the latest request: a session takes one at a time. */
  turn: Promise<unknown>;
}

interface ContentRange {
  /** The chunk's first byte; undefined in a request that only asks how much has come. */
  first: number | undefined;
  total: number | undefined;
  /** Whether the chunk is the whole content, of any size. */
  isWhole?: boolean;
}

/** Of a chunk that isn't the last, Google keeps only whole multiples of this. */
const granuleBytes = 256 * 1024;

/** Uploads that come in chunks. Their sessions end with the server. @see https://developers.google.com/workspace/drive/api/guides/manage-uploads */
export class ResumableUploads {
  private readonly sessions = new Map<string, Session>();
  private readonly uploads: UploadFolder;

  constructor(uploads: UploadFolder) {
    this.uploads = uploads;
  }

  /** Begins a session. Returns its id. */
  async start(commit: Commit, mimeType: string | undefined, total?: number): Promise<string> {
    const id = randomBytes(48).toString('base64url');
    const content = { path: this.uploads.newPath(), mimeType };
    await writeFile(content.path, '', { flag: 'wx' });
    this.sessions.set(id, {
      content,
      commit,
      total,
      received: 0,
      fileId: undefined,
      turn: Promise.resolve(),
    });
    return id;
  }

  /**
   * Takes a chunk, or none if the range asks how much has come. Returns the whole file's id, else the bytes that were
   * kept.
   */
  put(
    id: string,
    contentRange: string | undefined,
    body: AsyncIterable<Buffer> | Buffer[],
  ): Promise<{ fileId: string } | { received: number }> {
    const session = this.sessions.get(id);
    if (!session) throw new DriveError(404, 'notFound', 'Not Found');
    const range = parseContentRange(contentRange);
    const turn = session.turn.then(() => this.take(id, session, range, body));
    session.turn = turn.catch(() => {});
    return turn;
  }

  private async take(
    id: string,
    session: Session,
    range: ContentRange,
    body: AsyncIterable<Buffer> | Buffer[],
  ): Promise<{ fileId: string } | { received: number }> {
    if (session.fileId) return { fileId: session.fileId };
    session.total = agreedTotal(session.total, range.total);
    if (range.first !== undefined) await append(session, range.first, body, range.isWhole);
    if (session.received !== session.total) return { received: session.received };
    try {
      session.fileId = await session.commit(session.content);
      return { fileId: session.fileId };
    } catch (error) {
      this.sessions.delete(id);
      throw error;
    } finally {
      await rm(session.content.path, { force: true });
    }
  }
}

/** Writes the new bytes of a chunk. If the connection breaks, the bytes that came before are kept. */
async function append(
  session: Session,
  first: number,
  body: AsyncIterable<Buffer> | Buffer[],
  isWhole = false,
): Promise<void> {
  const start = session.received;
  if (first > start) throw new OffsetError(first, start);
  const maxBytes = (session.total ?? Number.POSITIVE_INFINITY) - start;
  const file = createWriteStream(session.content.path, { flags: 'r+', start });
  try {
    await pipeline(newBytesOf(body, start - first, maxBytes), file);
    if (isWhole) session.total ??= start + file.bytesWritten;
  } finally {
    session.received = start + file.bytesWritten;
    if (session.received !== session.total) session.received -= session.received % granuleBytes;
  }
}

/** Yields a body without its first `knownBytes`. Throws at its end if more than `maxBytes` follow them. */
async function* newBytesOf(
  body: AsyncIterable<Buffer> | Buffer[],
  knownBytes: number,
  maxBytes: number,
) {
  let [toSkip, left] = [knownBytes, maxBytes];
  for await (const chunk of body) {
    const fresh = chunk.subarray(toSkip);
    toSkip -= chunk.length - fresh.length;
    left -= fresh.length;
    if (left >= 0 && fresh.length > 0) yield fresh;
  }
  if (left < 0) throw badRequest('The upload is larger than its Content-Range header says.');
}

/** The error for a chunk that would leave a gap, which Google answers in plain text. */
export class OffsetError extends Error {
  override readonly name = 'OffsetError';

  constructor(offset: number, received: number) {
    super(
      `Invalid request.  According to the Content-Range header, the upload offset is ${offset} ` +
        `byte(s), which exceeds already uploaded size of ${received} byte(s).`,
    );
  }
}

function parseContentRange(header: string | undefined): ContentRange {
  if (header === undefined) return { first: 0, total: undefined, isWhole: true };
  const [, first, total] = header.match(/^bytes (?:\*|(\d+)-\d+)\/(\d+|\*)$/) ?? [];
  if (total === undefined) throw badRequest('Failed to parse Content-Range header.');
  return {
    first: first === undefined ? undefined : Number(first),
    total: total === '*' ? undefined : Number(total),
  };
}

/** Returns the content's size as the requests gave it. Throws if they contradict each other. */
function agreedTotal(before: number | undefined, now: number | undefined): number | undefined {
  if (before !== undefined && now !== undefined && before !== now) {
    throw badRequest(`The upload's size was said to be ${before}, and is now said to be ${now}.`);
  }
  return before ?? now;
}
