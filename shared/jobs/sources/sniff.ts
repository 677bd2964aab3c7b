import pLimit from 'p-limit';
import { type DocumentKind, kindOf, likelyKindOf, sniffedBytes } from '../../documents/kind.ts';
import { isGoogleType, openContent } from '../../drive/content.ts';
import type { DriveFile } from '../../drive/file.ts';
import type { Work } from '../asked/task.ts';
import { isPermanent } from '../engine/run/failure.ts';
import { canWorkOn } from './source-job.ts';

/** Reads the first bytes of a file, which may be a few more. */
export async function readHead(chunks: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < sniffedBytes) {
    const { value, done } = await chunks.next();
    if (done) break;
    parts.push(value);
    bytes += value.length;
  }
  return Buffer.concat(parts);
}

/** Requests to the drive of one worker at once. */
const sniffing = pLimit(8);

/** Whether a job can be done on a file of the drive: by its name; if that speaks against it, by its first bytes. */
export async function isWorkable(
  job: Work,
  file: DriveFile,
  signal: AbortSignal,
): Promise<boolean> {
  const { mimeType, name, size } = file;
  if (canWorkOn(job, likelyKindOf(mimeType, name))) return true;
  // Google's own have no bytes, and an empty file has nothing to tell.
  if (isGoogleType(mimeType) || size === 0) return false;
  return canWorkOn(job, await sniffing(() => sniffKind(file, signal)));
}

async function sniffKind(file: DriveFile, signal: AbortSignal): Promise<DocumentKind | undefined> {
  try {
    const { body, mimeType, filename } = await openContent(file, signal);
    try {
      return kindOf(await readHead(body[Symbol.asyncIterator]()), mimeType, filename);
    } finally {
      body.destroy();
    }
  } catch (error) {
    if (isPermanent(error)) return undefined;
    throw error;
  }
}
