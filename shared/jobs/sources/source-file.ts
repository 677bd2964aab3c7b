import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { abortable } from '../../abortable.ts';
import { s3 } from '../../aws/s3.ts';
import { setting } from '../../config.ts';
import { newTempDir } from '../../temp-dir.ts';

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
    // One user who stops waiting must not cost the others their file.
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
