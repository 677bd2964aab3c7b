import { fetchSigned } from '../../aws/fetch-signed.ts';
import { maxLinkedBytes } from '../../http/bounds.ts';
import { memory, NoRoomError, type Room } from '../../http/byte-budget.ts';
import { ServiceError } from '../../http/errors.ts';
import { errorFields, log } from '../../log.ts';
import { newTempDir } from '../../temp-dir.ts';
import { truncated } from '../../truncated.ts';
import { unreadableDocument } from '../errors.ts';
import { lossInWords } from '../loss.ts';
import { fileText } from '../parts/file-text.ts';
import type {
  AttachedContent,
  AttachedFile,
  AttachedReading,
  ReadingLimits,
} from './attached-file.ts';

const maxPages = 3_000;

/** The function has a minute: what takes longer is to be told by it, and not by its end. */
const maxMs = 50_000;
/** With the wait for its turn. */
const maxWithWaitMs = 55_000;

const tooLong = { unreadable: 'it has more text than a message may' };

/** Reads a file for another function. Throws if its turn or room comes too late; it may be sent again. Only its size is logged. */
export async function readAttached(
  file: AttachedFile,
  withWaitMs = maxWithWaitMs,
): Promise<AttachedReading> {
  const { keyId, name, mimeType, content, limits } = file;
  const ms = Math.min(limits.ms ?? maxMs, maxMs);
  const signal = AbortSignal.timeout(withWaitMs);
  const startedAt = performance.now();
  let size: number | undefined;
  await using folder = await newTempDir();
  using room = memory().room(keyId);
  try {
    const bytes = await attachedBytes(content, ms, room, signal);
    size = bytes.length;
    const { characters, longer } = limits;
    const text = await fileText({ name, mimeType, bytes }, folder.path, {
      pages: maxPages,
      characters,
      longer,
      turn: keyId,
      ms,
      signal,
    });
    return longer === 'cut' ? { text: cut(text, limits) } : whole(text, limits);
  } catch (error) {
    if (error === signal.reason || error instanceof NoRoomError) throw error;
    if (error instanceof ServiceError && error.statusCode < 500) {
      return { unreadable: error.message, code: error.code };
    }
    log('error', 'document broke its reader', { key_id: keyId, ...errorFields(error) });
    return { unreadable: "it can't be read" };
  } finally {
    const duration_ms = Math.round(performance.now() - startedAt);
    log('info', 'document read', { key_id: keyId, bytes: size, duration_ms });
  }
}

function whole(text: string, { jsonBytes }: ReadingLimits): AttachedReading {
  const wellFormed = text.toWellFormed();
  return jsonSize(wellFormed) > jsonBytes ? tooLong : { text: wellFormed };
}

/** Cuts a text to what is wanted of it, without half a character at its end. */
function cut(text: string, { characters, jsonBytes }: ReadingLimits): string {
  let kept = truncated(text.trim(), characters).toWellFormed();
  for (;;) {
    const bytes = jsonSize(kept);
    if (bytes <= jsonBytes) return kept;
    kept = truncated(kept, Math.floor((kept.length * jsonBytes) / bytes) - 1);
  }
}

const jsonSize = (text: string) => Buffer.byteLength(JSON.stringify(text));

/**
 * Returns a file's bytes. Throws 422 for a link to over 50 MB or over `ms`, `NoRoomError`, what `fetchSigned` throws, and
 * `signal`'s reason.
 */
async function attachedBytes(
  content: AttachedContent,
  ms: number,
  room: Room,
  signal: AbortSignal,
): Promise<Buffer> {
  const isSent = 'base64' in content;
  await room.take(isSent ? content.base64.length : maxLinkedBytes, { signal });
  if (isSent) return Buffer.from(content.base64, 'base64');
  const time = AbortSignal.timeout(ms);
  try {
    const bytes = await fetchSigned(content.url, maxLinkedBytes, AbortSignal.any([time, signal]));
    room.keep(bytes?.length ?? 0);
    if (bytes) return bytes;
  } catch (error) {
    if (time.aborted && !signal.aborted) throw unreadableDocument(lossInWords.time, error);
    throw error;
  }
  throw unreadableDocument(`it is larger than ${maxLinkedBytes / 2 ** 20} MB`);
}
