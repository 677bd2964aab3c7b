import { rm } from 'node:fs/promises';
import { ServiceError } from '../../http/errors.ts';
import { errorFields, log } from '../../log.ts';
import { newTempDir } from '../../temp-dir.ts';
import { fileText } from '../file-text.ts';
import type { AttachedFile, AttachedReading } from './attached-file.ts';

const limits = { pages: 3_000, characters: 1_000_000 };
/** Lambda returns 6 MB. */
const maxJsonBytes = 5_000_000;

/** The function has a minute: what takes longer is to be told by it, and not by its end. */
const longestMs = 50_000;
/** With the wait for its turn. */
const longestWithWaitMs = 55_000;

const tooLong = { unreadable: 'it has more text than a message may' };

/**
 * Reads a file for another function. Its time begins with its turn; if that comes too late, this throws, and the file may
 * be sent again. The log names its size, and neither the file nor what it says.
 */
export async function readAttached(
  file: AttachedFile,
  ms = longestMs,
  withWaitMs = longestWithWaitMs,
): Promise<AttachedReading> {
  const signal = AbortSignal.timeout(withWaitMs);
  const startedAt = performance.now();
  const bytes = Buffer.from(file.base64, 'base64');
  const folder = await newTempDir();
  try {
    const within = { ...limits, turn: '', ms, signal };
    const text = (await fileText({ ...file, bytes }, folder, within)).toWellFormed();
    return Buffer.byteLength(JSON.stringify(text)) > maxJsonBytes ? tooLong : { text };
  } catch (error) {
    if (error === signal.reason) throw error;
    if (error instanceof ServiceError && error.statusCode < 500) {
      return { unreadable: error.message };
    }
    log('error', 'document broke its reader', errorFields(error));
    return { unreadable: "it can't be read" };
  } finally {
    await rm(folder, { recursive: true, force: true });
    log('info', 'document read', {
      bytes: bytes.length,
      duration_ms: Math.round(performance.now() - startedAt),
    });
  }
}
