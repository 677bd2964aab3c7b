import { createHash, type Hash } from 'node:crypto';
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
import { folderOf } from '../engine/item/objects.ts';
import { saveProgress } from '../engine/item/state.ts';
import { type Copy, copyOnce } from './kept-copies.ts';
import { rememberSource } from './known-sources.ts';
import { readInFolders } from './lost-folder.ts';
import { readHead } from './sniff.ts';
import type { Sourced, SourceJob } from './source-job.ts';

/** What is known of a key's own file before it is opened: how large it may be, and what it is. */
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
    // A job that fails says of which file; one that goes on is told so with its copy.
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
  const source_object = `${folderOf(job)}/source-${job.lease_id}`;
  const named = { filename, name: filename, ...(kind && { kind }) };
  const opened = { body: buffersOf(readFile(file)), mimeType: '', ...named };
  const { md5: _, ...content } = await copyOpened(opened, source_object, maxBytes, signal);
  return savedWith(job, { source_object, ...content });
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
  const { copy: copied, share } = await copyOnce(job, file, async () => {
    const source_object = `${folderOf(job)}/source-${job.lease_id}`;
    const { isOfContent, ...content } = await copy(file, source_object, bytes, signal);
    return { made: { source_object, ...content }, isOfContent };
  });
  const known_id = await rememberSource(job, file);
  const drive_folder_id = await resultFolderOf(job, file, allowedFolders);
  const sourced = await savedWith(job, {
    ...copied,
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

async function copy(
  file: DriveFile,
  object: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Omit<Copy, 'source_object'> & { isOfContent: boolean }> {
  const { body, mimeType, filename } = await openContent(file, signal);
  try {
    const opened = { body, mimeType, filename, name: file.name };
    const { md5, ...content } = await copyOpened(opened, object, maxBytes, signal);
    return { ...content, isOfContent: isContentOf(file, md5) };
  } finally {
    body.destroy();
  }
}

/** A file that is being read: what it is called where it lies, and as it comes. */
interface Opened {
  body: AsyncIterable<Buffer>;
  mimeType: string;
  filename: string;
  name: string;
  /** Its kind, which may differ from its name and first bytes. */
  kind?: DocumentKind;
}

async function copyOpened(
  { body, mimeType, filename, name, kind }: Opened,
  object: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Omit<Copy, 'source_object'> & { md5: string }> {
  const chunks = body[Symbol.asyncIterator]();
  const head = await readHead(chunks);
  if (head.length === 0) throw emptyDocument('bytes');
  const source_kind = kind ?? kindOf(head, mimeType, filename);
  if (!source_kind) {
    throw unsupportedFile(name, typeInWords(mediaTypeOf(head, mimeType, filename)));
  }
  const [sha256, md5] = [createHash('sha256'), createHash('md5')];
  const Body = Readable.from(digested([sha256, md5], upTo(maxBytes, name, head, chunks)));
  const params = { Bucket: setting('OBJECTS_BUCKET'), Key: object, Body };
  const upload = new Upload({ client: s3, params, queueSize: 2 });
  await doneUnlessAborted(upload, signal);
  const content_sha256 = sha256.digest('hex');
  return { source_kind, filename, content_sha256, md5: md5.digest('hex') };
}

/** Whether a download is what the drive said the file was: it may have been changed in between. */
const isContentOf = ({ contentId }: DriveFile, md5: string) =>
  !/^[0-9a-f]{32}$/.test(contentId) || contentId === md5;

async function* digested(digests: Hash[], chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    for (const digest of digests) digest.update(chunk);
    yield chunk;
  }
}

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

/** The whole content. The drive may not have known its size beforehand, so it is counted. */
async function* upTo(
  maxBytes: number,
  name: string,
  head: Buffer,
  chunks: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for (let chunk: Buffer | undefined = head; chunk; ) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(name, maxBytes);
    yield chunk;
    const next: IteratorResult<Buffer> = await chunks.next();
    chunk = next.done ? undefined : next.value;
  }
}

const tooLarge = (name: string, maxBytes: number) =>
  new ServiceError(
    422,
    'file_too_large',
    `${name} is larger than the ${Math.floor(maxBytes / 1024 / 1024)} MB that a document may have.`,
  );
