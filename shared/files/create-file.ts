import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Upload } from '@aws-sdk/lib-storage';
import { s3 } from '../aws/s3.ts';
import { writeTransaction } from '../aws/transact.ts';
import { putItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import { ConflictError } from '../http/errors.ts';
import { errorFields, log } from '../log.ts';
import { abandonFile } from './delete-file.ts';
import {
  findStoredFile,
  inSeconds,
  instant,
  lifetimeOf,
  newFileId,
  noSuchFile,
  type Purpose,
  type StoredFile,
  sweepLane,
} from './file.ts';
import { deleteObjects, objectIn } from './objects.ts';
import { bytesLeft, countFile, quotaExceeded } from './quota.ts';

/** The attributes of a new file. */
export interface NewFile {
  filename: string;
  purpose: Purpose;
  /** How long callers see it; see `lifetimeOf` for what it is by default. */
  expiresAfterSeconds?: number | undefined;
  /** Its id, for a maker that may die and try again: the key has one file of this id, which isn't read again. */
  id?: string;
}

/** A function runs for 15 minutes at most: a file that isn't whole by then never will be. */
const creationMs = 16 * 60_000;

/**
 * Makes a file of a key, a few MB at a time. Callers see it once it is whole; the sweep erases an unfinished one.
 * Throws a 400 if the quota is spent; a batch's results are counted, never refused.
 */
export async function createFile(
  keyId: string,
  { id = newFileId(), filename, purpose, expiresAfterSeconds }: NewFile,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<StoredFile> {
  const beyondQuota = purpose === 'batch_output';
  const maxBytes = beyondQuota ? Number.POSITIVE_INFINITY : await bytesLeft(keyId);
  const now = Date.now();
  const lifetime = lifetimeOf(purpose, expiresAfterSeconds);
  const object = randomUUID();
  const begun: StoredFile = {
    key_id: keyId,
    entry: id,
    status: 'uploading',
    filename,
    purpose,
    bytes: 0,
    object,
    created_at: inSeconds(now),
    lane: sweepLane,
    due_at: instant(now + creationMs),
    ...(lifetime !== undefined && { file_expires_at: inSeconds(now) + lifetime }),
  };
  if (!(await begin(begun))) return madeBefore(keyId, id);
  try {
    const bytes = await streamObject(objectIn(begun, object), content, maxBytes);
    return (await finish({ ...begun, bytes }, beyondQuota)) ?? (await madeBefore(keyId, id));
  } catch (error) {
    await abandonFile(begun).catch((fault) =>
      log('warn', 'file left to the sweep', errorFields(fault)),
    );
    throw error;
  }
}

/** Puts an unfinished file, also in place of one that a lost request began. Returns whether it may be made. */
async function begin(file: StoredFile): Promise<boolean> {
  const done = await putItem({
    TableName: setting('FILES_TABLE'),
    Item: file,
    ReturnValues: 'ALL_OLD',
    ConditionExpression: 'attribute_not_exists(entry) OR #status = :uploading',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':uploading': 'uploading' },
  });
  const lost = done?.Attributes?.['object'];
  if (lost) await deleteObjects([objectIn(file, lost)]);
  return done !== undefined;
}

/** Makes a file count, and callers see it. Returns undefined if another has made or deleted it meanwhile. */
async function finish(file: StoredFile, beyondQuota: boolean): Promise<StoredFile | undefined> {
  const { key_id, entry, bytes, file_expires_at, lane: _lane, due_at: _due, ...rest } = file;
  const ready: StoredFile = {
    ...rest,
    key_id,
    entry,
    bytes,
    status: 'ready',
    ...(file_expires_at !== undefined && {
      file_expires_at,
      lane: sweepLane,
      due_at: instant(file_expires_at * 1000),
    }),
  };
  const failed = await writeTransaction([
    {
      Put: {
        TableName: setting('FILES_TABLE'),
        Item: ready,
        ConditionExpression: '#status = :uploading AND #object = :object',
        ExpressionAttributeNames: { '#status': 'status', '#object': 'object' },
        ExpressionAttributeValues: { ':uploading': 'uploading', ':object': file.object },
      },
    },
    countFile(key_id, bytes, beyondQuota),
  ]);
  if (!failed) return ready;
  if (failed.includes(0)) return undefined;
  throw quotaExceeded();
}

async function madeBefore(keyId: string, id: string): Promise<StoredFile> {
  const file = await findStoredFile(keyId, id);
  if (file?.status === 'ready') return file;
  if (file?.status === 'uploading') throw new ConflictError(`${id} is being made elsewhere.`);
  throw noSuchFile(id);
}

/**
 * Puts an object of any size, of which two parts of 5 MB are in memory. One that breaks off leaves nothing. Returns how many
 * bytes it has, and throws when they become too many.
 */
async function streamObject(
  object: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<number> {
  let bytes = 0;
  async function* counted() {
    for await (const piece of content) {
      bytes += piece.length;
      if (bytes > maxBytes) throw quotaExceeded();
      yield piece;
    }
  }
  const Body = Readable.from(counted(), { objectMode: false });
  const params = { Bucket: setting('FILES_BUCKET'), Key: object, Body };
  await new Upload({ client: s3, params, queueSize: 1 }).done();
  return bytes;
}
