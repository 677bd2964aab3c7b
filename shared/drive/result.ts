import type { Readable } from 'node:stream';
import * as v from 'valibot';
import { NotFoundError } from '../http/errors.ts';
import { errorFields, log } from '../log.ts';
import { callDrive } from './call.ts';
import { type ChunkAt, chunksOf } from './chunks.ts';
import { driveClient, requestTimeoutMs } from './client.ts';
import { DriveError, isHidden, refused } from './errors.ts';
import type { DriveFile } from './file.ts';
import { checked, getItem } from './item.ts';
import { type Upload, upload, uploadChunkBytes } from './upload.ts';

/** A file that Quire writes beside its source. */
export interface ResultFile {
  /** From `reserveFileId`, kept before the result is first written. */
  id: string;
  folderId: string;
  name: string;
  mimeType: string;
  sourceId: string;
}

/** What it holds. A stream given as a function is opened when Drive is ready to take it. */
export interface ResultContent {
  body: Readable | (() => Readable);
  bytes: number;
}

const resultMark = { quire: 'result' };

const Ids = v.object({ ids: v.tuple([v.string()]) });

/** Takes an id for a file that is not there yet: whoever writes it twice writes one file. */
export async function reserveFileId(): Promise<string> {
  const { data } = await callDrive(({ files }) =>
    files.generateIds({ count: 1, space: 'drive', type: 'files' }, { timeout: requestTimeoutMs }),
  );
  return checked(Ids, data).ids[0];
}

/**
 * Writes a result under its reserved id, or over what an earlier try wrote there. Throws a permanent
 * `DriveError` where the folder, or its owner's storage, doesn't take it.
 */
export async function writeResult(result: ResultFile, content: ResultContent): Promise<void> {
  const chunks = chunksOf(content.body, content.bytes, uploadChunkBytes);
  try {
    await create(result, content.bytes, chunks.at);
  } catch (error) {
    if (error instanceof NotFoundError) throw await folderGone(error);
    throw error;
  } finally {
    chunks.close();
  }
}

async function create(result: ResultFile, bytes: number, chunkAt: ChunkAt): Promise<void> {
  const { id, folderId, name, mimeType, sourceId } = result;
  const metadata = { name, mimeType, appProperties: { ...resultMark, quireSource: sourceId } };
  const path = '/upload/drive/v3/files';
  const file: Upload = {
    method: 'POST',
    path,
    metadata: { ...metadata, id, parents: [folderId] },
    mimeType,
    bytes,
  };
  try {
    await upload(file, chunkAt);
  } catch (error) {
    if (!(error instanceof DriveError && error.code === 'drive_conflict')) throw error;
    // The id was reserved for this result alone: an earlier try wrote it, and lost the answer.
    const existing = `${path}/${encodeURIComponent(id)}`;
    await upload({ ...file, method: 'PATCH', path: existing, metadata }, chunkAt);
  }
}

async function folderGone(cause: unknown): Promise<DriveError> {
  const { account } = await driveClient();
  return refused(
    403,
    'drive_forbidden',
    `The folder for the result is gone or not shared: share it with ${account} as editor.`,
    cause,
  );
}

/** Whether Quire wrote a file: a folder run leaves it out. */
export const isOwnResult = ({ appProperties }: DriveFile): boolean =>
  appProperties['quire'] === resultMark.quire;

/**
 * Adds to what Quire keeps on a source file (a name and its value: up to 124 bytes). Where we may not
 * write, a log line is all that tells.
 */
export async function markSource(
  fileId: string,
  properties: Record<string, string>,
): Promise<void> {
  try {
    // A mark is no edit: a Google document's time is also how its edits are told.
    const { modifiedTime } = await getItem(fileId);
    const requestBody = { appProperties: properties, ...(modifiedTime && { modifiedTime }) };
    await callDrive(({ files }) =>
      files.update(
        { fileId, requestBody, fields: 'id', supportsAllDrives: true },
        { timeout: requestTimeoutMs },
      ),
    );
  } catch (error) {
    if (!isHidden(error)) throw error;
    log('warn', 'a source file could not be marked', { file: fileId, ...errorFields(error) });
  }
}
