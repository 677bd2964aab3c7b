import { fetchSigned } from '../../aws/fetch-signed.ts';
import { unreadableDocument } from '../errors.ts';
import { lossInWords } from '../processes/loss.ts';
import type { AttachedContent } from './attached-file.ts';

/** As large as a document may be that is taken apart. */
const maxMb = 50;

/**
 * Returns a file's bytes. Throws 422 for a link to over 50 MB or over `ms`, what `fetchSigned` throws, and `signal`'s
 * reason.
 */
export async function attachedBytes(
  content: AttachedContent,
  ms: number,
  signal: AbortSignal,
): Promise<Buffer> {
  if ('base64' in content) return Buffer.from(content.base64, 'base64');
  const time = AbortSignal.timeout(ms);
  try {
    const bytes = await fetchSigned(
      content.url,
      maxMb * 1024 * 1024,
      AbortSignal.any([time, signal]),
    );
    if (bytes) return bytes;
  } catch (error) {
    if (time.aborted && !signal.aborted) throw unreadableDocument(lossInWords.time, error);
    throw error;
  }
  throw unreadableDocument(`it is larger than ${maxMb} MB`);
}
