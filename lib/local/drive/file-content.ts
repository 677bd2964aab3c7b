import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { DriveError } from './drive-error.ts';

const chunkBytes = 256 * 1024;

/** Yields a file's bytes. Throws if it became shorter, and Drive's 403 if the stage may not read it. */
export async function* readFile(path: string, size: number): AsyncGenerator<Buffer> {
  const file = await openFile(path);
  try {
    for (let at = 0; at < size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size - at));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read.`);
      yield chunk.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

const unreadable = 'insufficientFilePermissions';

async function openFile(path: string): Promise<FileHandle> {
  try {
    // The path was no link when it was looked up, and must not have become one.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    throw new DriveError(403, unreadable, `The stage may not read ${path}.`);
  }
}

/** Whether an error says that the stage may not read a file. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof DriveError && error.reason === unreadable;
