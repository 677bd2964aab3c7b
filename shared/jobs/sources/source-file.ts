import { createWriteStream } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { abortable } from '../../abortable.ts';
import { s3 } from '../../aws/s3.ts';
import { setting } from '../../config.ts';
import { type Document, textDocument } from '../../documents/document.ts';
import { openDocument } from '../../documents/parts/open-document.ts';
import { readText } from '../../documents/text.ts';
import type { WarnedText } from '../../documents/warnings.ts';
import { maxTextBytes } from '../../http/bounds.ts';
import type { Room } from '../../http/byte-budget.ts';
import { ServiceError } from '../../http/errors.ts';
import { newTempDir } from '../../temp-dir.ts';
import { jobsWait, roomOf } from '../engine/item/job.ts';
import { hasPages, type Sourced } from './source-job.ts';

interface SharedFile {
  ready: Promise<string>;
  users: number;
  /** Breaks off the download once nobody waits for it. */
  unwanted: AbortController;
}

/** Parts of one document that run in the same process read the same file. */
const files = new Map<string, SharedFile>();

/** Downloads an object to a file, which is there for as long as it is used; `signal` ends the wait for it. */
export async function withFile<Result>(
  object: string,
  use: (path: string) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  signal?.throwIfAborted();
  const file = files.get(object) ?? beginDownload(object);
  files.set(object, file);
  file.users += 1;
  try {
    // One caller that stops waiting must not cost the others their file.
    return await use(await (signal ? abortable(file.ready, signal) : file.ready));
  } finally {
    file.users -= 1;
    if (file.users === 0) {
      files.delete(object);
      file.unwanted.abort();
      await file.ready.then(
        (path) => rm(join(path, '..'), { recursive: true }),
        () => {},
      );
    }
  }
}

/** Reads a text file of a drive. Throws if it is too long, and `NoRoomError`. */
export async function readTextFile(path: string, name: string, room: Room): Promise<WarnedText> {
  const { size } = await stat(path);
  if (size > maxTextBytes) {
    const mb = maxTextBytes / 1024 / 1024;
    throw new ServiceError(422, 'file_too_large', `${name} has more than ${mb} MB of text.`);
  }
  await room.take(size, jobsWait);
  return readText(await readFile(path));
}

/** Reads the text that a job works on, as `readTextFile` does. */
export const readSourceText = (job: Sourced, room: Room, signal: AbortSignal) =>
  withFile(job.source_object, (path) => readTextFile(path, job.filename, room), signal);

/** Opens a job's file for as long as it is used. A text is a document of one page. */
export function withDocument<Result>(
  job: Sourced,
  use: (document: Document) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const open = async (path: string) => {
    using room = await roomOf(job, 0);
    const { source_kind: kind } = job;
    const options = { forceOcr: job.force_ocr ?? false, turn: job.key_id };
    const document = hasPages(kind)
      ? await openDocument(path, kind, options)
      : textDocument(await readTextFile(path, job.filename, room));
    try {
      return await use(document);
    } finally {
      document.close();
    }
  };
  return withFile(job.source_object, open, signal);
}

function beginDownload(object: string): SharedFile {
  const unwanted = new AbortController();
  return { ready: download(object, unwanted.signal), users: 0, unwanted };
}

async function download(object: string, signal: AbortSignal): Promise<string> {
  const { path: folder } = await newTempDir();
  try {
    const { Body } = await s3.send(
      new GetObjectCommand({ Bucket: setting('OBJECTS_BUCKET'), Key: object }),
      { abortSignal: signal },
    );
    const path = join(folder, 'document');
    await pipeline(Body as Readable, createWriteStream(path), { signal });
    return path;
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
}
