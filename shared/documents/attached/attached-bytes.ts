import { fetchSigned } from '../../aws/fetch-signed.ts';
import { maxLinkedBytes } from '../../http/bounds.ts';
import type { Room } from '../../http/byte-budget.ts';
import { unreadableDocument } from '../errors.ts';
import { lossInWords } from '../processes/loss.ts';
import type { AttachedContent } from './attached-file.ts';

/**
 * Returns a file's bytes. Throws 422 for a link to over 50 MB or over `ms`, `NoRoomError`, what `fetchSigned` throws, and
 * `signal`'s reason.
 */
export async function attachedBytes(
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
