import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { UnreadableError } from './page.ts';

type Unpack = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

/** Some servers leave out the header of zlib, whose first byte ends in 8. */
const unpackDeflate: Unpack = (bytes, options) =>
  promisify(((bytes[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw)(bytes, options);

const unpackers = new Map<string, Unpack>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', unpackDeflate],
  ['br', promisify(brotliDecompress)],
]);

/**
 * Reads and unpacks a body. Throws `too_large` beyond `maxBytes` before or after that (with `cut` it ends there), and
 * `broken`.
 */
export async function readBody(
  response: IncomingMessage,
  maxBytes: number,
  { cut = false } = {},
): Promise<Buffer> {
  if (!cut && Number(response.headers['content-length']) > maxBytes) {
    throw new UnreadableError('too_large');
  }
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  const bytes = await readBytes(response, maxBytes, cut);
  if (encoding === '' || encoding === 'identity') return bytes;
  try {
    const unpack = unpackers.get(encoding);
    if (!unpack) throw new UnreadableError('broken');
    return await unpack(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new UnreadableError(isTooLarge ? 'too_large' : 'broken', { cause: error });
  }
}

async function readBytes(
  response: IncomingMessage,
  maxBytes: number,
  cut: boolean,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) break;
    }
  } catch (error) {
    throw new UnreadableError('broken', { cause: error });
  }
  if (length > maxBytes && !cut) throw new UnreadableError('too_large');
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
