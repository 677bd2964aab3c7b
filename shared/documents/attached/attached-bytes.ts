import { fetchSigned } from '../../aws/fetch-signed.ts';
import { unreadableDocument } from '../errors.ts';
import type { AttachedContent } from './attached-file.ts';

/** As large as a document may be that is taken apart. */
const maxMb = 50;

/** Returns a file's bytes. Throws 422 if a link leads to more than 50 MB, and what `fetchSigned` throws. */
export async function attachedBytes(
  content: AttachedContent,
  signal: AbortSignal,
): Promise<Buffer> {
  if ('base64' in content) return Buffer.from(content.base64, 'base64');
  const bytes = await fetchSigned(content.url, maxMb * 1024 * 1024, signal);
  if (!bytes) throw unreadableDocument(`it is larger than ${maxMb} MB`);
  return bytes;
}
