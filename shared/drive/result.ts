import type { Readable } from 'node:stream';
import * as v from 'valibot';
import { NotFoundError } from '../http/errors.ts';
import { errorFields, log } from '../log.ts';
import { callDrive } from './call.ts';
import { type ChunkAt, chunksOf } from './chunks.ts';
import { driveClient, requestTimeoutMs } from './client.ts';
import { DriveError, isHidden, refused } from './errors.ts';
import type { DriveFile } from './file.ts';
import { getDriveItem, parseResponse } from './item.ts';
import { type Upload, upload, uploadChunkBytes } from './upload.ts';

/** A file that Quire writes beside its source. */
export interface ResultFile {
  /** From `reserveFileId`. It must be saved before the result is first written. */
  id: string;
  folderId: string;
  name: string;
  mimeType: string;
  sourceId: string;
}

/** The content of a result. A body given as a function is opened when the upload begins. */
export interface ResultContent {
  body: Readable | (() => Readable);
  bytes: number;
}

/** The app property that marks the results that Quire has written. */
const resultMark = { quire: 'result' };

const Ids = v.object({ ids: v.tuple([v.string()]) });

/**
 * Takes the id of a file that doesn't exist yet. Writing a file twice under one id makes one file.
 * @see https://developers.google.com/workspace/drive/api/reference/rest/v3/files/generateIds
 */
export async function reserveFileId(): Promise<string> {
  const { data } = await callDrive(({ files }) =>
    files.generateIds({ count: 1, space: 'drive', type: 'files' }, { timeout: requestTimeoutMs }),
  );
  return parseResponse(Ids, data).ids[0];
}

/**
 * Writes a result under its reserved id, over an earlier try's. Throws a 403 `DriveError` if the folder is gone or
 * the storage full, and a 503 if Drive fails.
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
    // The id was reserved for this result alone, so an earlier try wrote the file, and its response was lost.
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

/** Whether Quire has written a file as a result. Such files are no sources. */
export const isOwnResult = ({ appProperties }: DriveFile): boolean =>
  appProperties['quire'] === resultMark.quire;

/**
 * Adds app properties to a source file, at most 124 bytes each with its name. If that isn't allowed, it is logged.
 * @see https://developers.google.com/workspace/drive/api/guides/properties
 */
export async function markSource(
  fileId: string,
  properties: Record<string, string>,
): Promise<void> {
  try {
    // The time is kept, because it is the `contentId` of a Google document, whose content doesn't change here.
    const { modifiedTime } = await getDriveItem(fileId);
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
