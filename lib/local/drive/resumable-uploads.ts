import { randomBytes } from 'node:crypto';
import { createWriteStream, readdirSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { badRequest, DriveError } from './drive-error.ts';

/** Makes or changes a file of what was uploaded to a path. Returns the file's id. */
export type Commit = (uploaded: string) => string;

interface Session {
  /** Where the upload's content is. */
  path: string;
  commit: Commit;
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
  /** The size of the whole content. */
  total: number;
}

/** A request's body as it comes; undefined if the request has none. */
export type Body = AsyncIterable<Buffer> | undefined;

/** Google keeps only whole multiples of this of any chunk but the last. */
const granuleBytes = 256 * 1024;

/** The Drive's hidden files of unfinished uploads: on the same disk, so that moving one to its place is a single step. */
const prefix = '.quire-upload-';

/** Uploads that come in chunks. Their sessions end with the server. @see https://developers.google.com/workspace/drive/api/guides/manage-uploads */
export class ResumableUploads {
  private readonly sessions = new Map<string, Session>();
  private readonly folder: string;

  /** Removes what an earlier server has left in the Drive's folder. */
  constructor(folder: string) {
    this.folder = folder;
    this.discardAll();
  }

  discardAll(): void {
    for (const name of readdirSync(this.folder)) {
      if (name.startsWith(prefix)) rmSync(join(this.folder, name));
    }
  }

  /** Begins a session. Returns its id. */
  async start(commit: Commit): Promise<string> {
    const id = randomBytes(48).toString('base64url');
    const path = join(this.folder, `${prefix}${randomBytes(12).toString('hex')}`);
    await writeFile(path, '', { flag: 'wx' });
    this.sessions.set(id, {
      path,
      commit,
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
    body: Body,
  ): Promise<{ fileId: string } | { received: number }> {
    const session = this.sessions.get(id);
    if (!session) throw new DriveError(404, 'notFound', 'Not Found');
    const range = parseContentRange(contentRange);
    const turn = session.turn.then(() => this.take(id, session, range, body));
    session.turn = turn.catch(() => {});
    return turn;
  }

  private async take(id: string, session: Session, { first, total }: ContentRange, body: Body) {
    if (session.fileId) return { fileId: session.fileId };
    if (first !== undefined) await append(session, first, total, body);
    if (session.received !== total) return { received: session.received };
    try {
      session.fileId = session.commit(session.path);
      return { fileId: session.fileId };
    } catch (error) {
      this.sessions.delete(id);
      throw error;
    } finally {
      await rm(session.path, { force: true });
    }
  }
}

/** Writes the new bytes of a chunk. If the connection breaks, the bytes that came before are kept. */
async function append(session: Session, first: number, total: number, body: Body): Promise<void> {
  const start = session.received;
  if (first > start) throw badRequest(`The upload has ${start} bytes so far.`);
  const file = createWriteStream(session.path, { flags: 'r+', start });
  try {
    await pipeline(newBytesOf(body, start - first, total - start), file);
  } finally {
    session.received = start + file.bytesWritten;
    if (session.received !== total) session.received -= session.received % granuleBytes;
  }
}

/** Yields a body without its first `knownBytes`. Throws at its end if more than `maxBytes` follow them. */
async function* newBytesOf(body: Body, knownBytes: number, maxBytes: number) {
  let [toSkip, left] = [knownBytes, maxBytes];
  for await (const chunk of body ?? []) {
    const fresh = chunk.subarray(toSkip);
    toSkip -= chunk.length - fresh.length;
    left -= fresh.length;
    if (left >= 0 && fresh.length > 0) yield fresh;
  }
  if (left < 0) throw badRequest('The upload is larger than its Content-Range header says.');
}

function parseContentRange(header = ''): ContentRange {
  const [, first, total] = header.match(/^bytes (?:\*|(\d+)-\d+)\/(\d+)$/) ?? [];
  if (total === undefined) throw badRequest('Failed to parse Content-Range header.');
  return { first: first === undefined ? undefined : Number(first), total: Number(total) };
}
