import { Readable } from 'node:stream';
import { Upload } from '@aws-sdk/lib-storage';
import { s3 } from '../../aws/s3.ts';
import { setting } from '../../config.ts';
import { emptyDocument, unsupportedFile } from '../../documents/errors.ts';
import { type DocumentKind, kindOf, mediaTypeOf } from '../../documents/kind.ts';
import { typeInWords } from '../../documents/type-words.ts';
import { openContent } from '../../drive/content.ts';
import { type DriveFile, findReadableFile, readableParentOf } from '../../drive/file.ts';
import { ServiceError } from '../../http/errors.ts';
import { readKey } from '../../keys/key.ts';
import type { ClaimedJob } from '../job.ts';
import { folderOf } from '../objects.ts';
import { saveProgress } from '../state.ts';
import { rememberSource } from './known-sources.ts';
import { readHead } from './sniff.ts';

/** A job whose file has been copied from the drive. */
export type SourcedJob = ClaimedJob &
  Required<Pick<ClaimedJob, 'source_object' | 'source_kind' | 'filename'>>;

const isSourced = (job: ClaimedJob): job is SourcedJob => job.source_object !== undefined;

/**
 * Copies a job's file from the drive to object storage, as a stream and once, so that it doesn't change while
 * the job works on it. Throws 404 for a file that the key may not read, as for one that isn't there.
 */
export async function fetchSource(job: ClaimedJob, signal: AbortSignal): Promise<SourcedJob> {
  if (isSourced(job)) return job;
  const { drive_folders } = await readKey(job.key_id);
  const file = await findReadableFile(job.drive_file_id ?? '', drive_folders);
  const { bytes } = setting('DOCUMENT_LIMITS');
  if ((file.size ?? 0) > bytes) throw tooLarge(file.name, bytes);
  if (file.size === 0) throw emptyDocument('bytes');
  const source_object = `${folderOf(job)}/source-${job.lease_id}`;
  const { source_kind, filename } = await copy(file, source_object, bytes, signal);
  await rememberSource(job, file);
  const drive_folder_id = await resultFolderOf(job, file, drive_folders);
  return saveProgress(job, {
    source_object,
    source_kind,
    filename,
    drive_file_id: file.id,
    ...(drive_folder_id && { drive_folder_id }),
  });
}

/** The folder for the result, which the record names: the one the job was made for, if the file lies there. */
async function resultFolderOf(
  { drive_folder_id }: ClaimedJob,
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
): Promise<{ source_kind: DocumentKind; filename: string }> {
  const { body, mimeType, filename } = await openContent(file, signal);
  try {
    const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
    const head = await readHead(chunks);
    if (head.length === 0) throw emptyDocument('bytes');
    const source_kind = kindOf(head, mimeType, filename);
    if (!source_kind)
      throw unsupportedFile(file.name, typeInWords(mediaTypeOf(head, mimeType, filename)));
    const Body = Readable.from(upTo(maxBytes, file.name, head, chunks));
    const params = { Bucket: setting('OBJECTS_BUCKET'), Key: object, Body };
    const upload = new Upload({ client: s3, params, queueSize: 2 });
    await doneUnlessAborted(upload, signal);
    return { source_kind, filename };
  } finally {
    body.destroy();
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
