import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Upload } from '@aws-sdk/lib-storage';
import { s3 } from '../../aws/s3.ts';
import { setting } from '../../config.ts';
import { emptyDocument, unsupportedFile } from '../../documents/errors.ts';
import { type DocumentKind, kindOf, mediaTypeOf } from '../../documents/kind.ts';
import { typeInWords } from '../../documents/type-words.ts';
import { openContent } from '../../drive/content.ts';
import { type DriveFile, findReadableFile, readableParentOf } from '../../drive/file.ts';
import type { StoredFile } from '../../files/file.ts';
import { requireFile } from '../../files/find-file.ts';
import { readFile } from '../../files/read-file.ts';
import { ServiceError } from '../../http/errors.ts';
import type { Claimed } from '../engine/item/job.ts';
import { saveProgress } from '../engine/item/job-lease.ts';
import { folderOf } from '../engine/item/objects.ts';
import { type Copy, copyOnce } from './kept-copies.ts';
import { rememberSource } from './known-sources.ts';
import { readInFolders } from './lost-folder.ts';
import { readHead } from './sniff.ts';
import type { Sourced, SourceJob } from './source-job.ts';

/** The bounds of a key's own file before it is opened: its largest size, and its kind. */
interface OwnFile {
  maxBytes?: number;
  kind?: DocumentKind;
}

/**
 * Copies a job's file to object storage once, so that it doesn't change meanwhile; another job's copy of the same
 * content is taken instead. Throws 404 for a file that the key may not read.
 */
export async function fetchSource<Its extends SourceJob>(
  job: Claimed<Its>,
  signal: AbortSignal,
  own: OwnFile = {},
): Promise<Sourced<Its>> {
  if (job.source_object !== undefined) return job as Sourced<Its>;
  if (job.file_id) return fetchOwn(job, await requireFile(job.key_id, job.file_id), own, signal);
  const { file, folders } = await readInFolders(job, async (folders) => ({
    file: await findReadableFile(job.drive_file_id ?? '', folders),
    folders,
  }));
  try {
    return await fetchFile(job, file, folders, signal);
  } catch (error) {
    // The record of a failed job names its file, too.
    if (!job.filename) await savedWith(job, { filename: file.name, drive_file_id: file.id });
    throw error;
  }
}

async function fetchOwn<Its extends SourceJob>(
  job: Claimed<Its>,
  file: StoredFile,
  { maxBytes = setting('DOCUMENT_LIMITS').bytes, kind }: OwnFile,
  signal: AbortSignal,
): Promise<Sourced<Its>> {
  const { filename } = file;
  if (!job.filename) await savedWith(job, { filename });
  if (file.bytes > maxBytes) throw tooLarge(filename, maxBytes);
  const named = { filename, name: filename, ...(kind && { kind }) };
  const opened = { body: buffersOf(readFile(file)), mimeType: '', ...named };
  const { md5: _, ...copied } = await copyOpened(job, opened, maxBytes, signal);
  return savedWith(job, copied);
}

async function* buffersOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, length } of pieces) {
    yield Buffer.from(buffer as ArrayBuffer, byteOffset, length);
  }
}

type ClaimedSource = Claimed<SourceJob>;

const savedWith = async <Its extends SourceJob>(job: Claimed<Its>, found: Partial<SourceJob>) =>
  (await saveProgress<ClaimedSource, Partial<SourceJob>>(job, found)) as Sourced<Its>;

async function fetchFile<Its extends SourceJob>(
  job: Claimed<Its>,
  file: DriveFile,
  allowedFolders: readonly string[],
  signal: AbortSignal,
): Promise<Sourced<Its>> {
  const { bytes } = setting('DOCUMENT_LIMITS');
  if ((file.size ?? 0) > bytes) throw tooLarge(file.name, bytes);
  if (file.size === 0) throw emptyDocument('bytes');
  const { copy, share } = await copyOnce(job, file, async () => {
    const opened = await openContent(file, signal);
    try {
      const { md5, ...made } = await copyOpened(job, { ...opened, name: file.name }, bytes, signal);
      return { made, isOfContent: isContentOf(file, md5) };
    } finally {
      opened.body.destroy();
    }
  });
  const known_id = await rememberSource(job, file);
  const drive_folder_id = await resultFolderOf(job, file, allowedFolders);
  const sourced = await savedWith(job, {
    ...copy,
    known_id,
    drive_file_id: file.id,
    ...(drive_folder_id && { drive_folder_id }),
  });
  await share?.();
  return sourced;
}

/** The folder for the result, which the record names: the one the job was made for, if the file lies there. */
async function resultFolderOf(
  { drive_folder_id }: SourceJob,
  file: DriveFile,
  allowedFolders: readonly string[],
): Promise<string | undefined> {
  if (drive_folder_id && file.parents.includes(drive_folder_id)) return drive_folder_id;
  return (await readableParentOf(file, allowedFolders)) ?? drive_folder_id;
}

/** A file that is being read; `name` is its name at its source, `filename` the one of its download. */
interface Opened {
  body: AsyncIterable<Buffer>;
  mimeType: string;
  filename: string;
  name: string;
  /** Its kind, which may differ from its name and first bytes. */
  kind?: DocumentKind;
}

async function copyOpened(
  job: ClaimedSource,
  { body, mimeType, filename, name, kind }: Opened,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Copy & { md5: string }> {
  const chunks = body[Symbol.asyncIterator]();
  const head = await readHead(chunks);
  if (head.length === 0) throw emptyDocument('bytes');
  const source_kind = kind ?? kindOf(head, mimeType, filename);
  if (!source_kind) {
    throw unsupportedFile(name, typeInWords(mediaTypeOf(head, mimeType, filename)));
  }
  const source_object = `${folderOf(job)}/source-${job.lease_id}`;
  const [sha256, md5] = [createHash('sha256'), createHash('md5')];
  const content = async function* () {
    let bytes = 0;
    for (let chunk: Buffer | undefined = head; chunk; chunk = (await chunks.next()).value) {
      // The drive may not have known its size beforehand.
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(name, maxBytes);
      for (const digest of [sha256, md5]) digest.update(chunk);
      yield chunk;
    }
  };
  const Body = Readable.from(content());
  const params = { Bucket: setting('OBJECTS_BUCKET'), Key: source_object, Body };
  const upload = new Upload({ client: s3, params, queueSize: 2 });
  await doneUnlessAborted(upload, signal);
  const content_sha256 = sha256.digest('hex');
  return { source_object, source_kind, filename, content_sha256, md5: md5.digest('hex') };
}

/** Whether a download has the content that the drive listed: the file may have changed in between. */
const isContentOf = ({ contentId }: DriveFile, md5: string) =>
  !/^[0-9a-f]{32}$/.test(contentId) || contentId === md5;

async function doneUnlessAborted(upload: Upload, signal: AbortSignal): Promise<void> {
  const abort = () => void upload.abort();
  signal.throwIfAborted();
  signal.addEventListener('abort', abort);
  try {
    await upload.done();
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const tooLarge = (name: string, maxBytes: number) =>
  new ServiceError(
    422,
    'file_too_large',
    `${name} is larger than the ${Math.floor(maxBytes / 1024 / 1024)} MB that a document may have.`,
  );
