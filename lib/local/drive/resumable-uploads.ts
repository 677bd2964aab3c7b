import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { badRequest, DriveError } from './drive-error.ts';
import type { Content, WaitingContent } from './waiting-content.ts';

/** What becomes of an upload once its content is whole; answers the file's id. */
export type Commit = (content: Content) => Promise<string>;

interface Session {
  content: Content;
  commit: Commit;
  /** Undefined until a request says it. */
  total: number | undefined;
  received: number;
  /** The file, once it is made. */
  fileId: string | undefined;
  /** A session takes one request at a time. */
  turn: Promise<unknown>;
}

interface ContentRange {
  /** Undefined asks how far the upload is. */
  first: number | undefined;
  total: number | undefined;
  /** The chunk is all there is, whatever its size. */
  isWhole?: boolean;
}

// Of a chunk that isn't the last, Google keeps only whole multiples of this.
const granuleBytes = 256 * 1024;

/** Uploads that come in chunks. Sessions end with the server. */
export class ResumableUploads {
  private readonly sessions = new Map<string, Session>();
  private readonly waiting: WaitingContent;

  constructor(waiting: WaitingContent) {
    this.waiting = waiting;
  }

  /** Begins a session; answers its id. */
  async start(commit: Commit, mimeType: string | undefined, total?: number): Promise<string> {
    const id = randomBytes(48).toString('base64url');
    const content = { path: this.waiting.newPath(), mimeType };
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

  /** Takes a chunk, or none for a look; answers the file's id once it is whole, or else how much has come. */
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
    session.total = agree(session.total, range.total);
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

/** Writes what of a chunk is new; what came before a break is kept. */
async function append(
  session: Session,
  first: number,
  body: AsyncIterable<Buffer> | Buffer[],
  isWhole = false,
): Promise<void> {
  const start = session.received;
  if (first > start) throw new OffsetError(first, start);
  const most = (session.total ?? Number.POSITIVE_INFINITY) - start;
  const file = createWriteStream(session.content.path, { flags: 'r+', start });
  try {
    await pipeline(skip(body, start - first, most), file);
    if (isWhole) session.total ??= start + file.bytesWritten;
  } finally {
    session.received = start + file.bytesWritten;
    if (session.received !== session.total) session.received -= session.received % granuleBytes;
  }
}

async function* skip(body: AsyncIterable<Buffer> | Buffer[], bytes: number, most: number) {
  let [known, left] = [bytes, most];
  for await (const chunk of body) {
    const fresh = chunk.subarray(known);
    known -= chunk.length - fresh.length;
    left -= fresh.length;
    if (left >= 0 && fresh.length > 0) yield fresh;
  }
  if (left < 0) throw badRequest('The upload is larger than its Content-Range header says.');
}

/** A chunk that would leave a gap: Google answers it in plain text. */
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

function agree(before: number | undefined, now: number | undefined): number | undefined {
  if (before !== undefined && now !== undefined && before !== now) {
    throw badRequest(`The upload's size was said to be ${before}, and is now said to be ${now}.`);
  }
  return before ?? now;
}
