import { DriveError } from './drive-error.ts';

const maxJsonBytes = 1024 * 1024;

/** A request's body as it comes; undefined if the request has none. */
export type Body = AsyncIterable<Buffer> | undefined;

/** Reads a JSON body; one that is absent or empty is an empty object. Throws Drive's 400 or 413. */
export async function readJson<T>(body: unknown): Promise<T> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of (body as Body) ?? []) {
    bytes += chunk.length;
    if (bytes > maxJsonBytes) {
      throw new DriveError(413, 'uploadTooLarge', 'Request Entity Too Large');
    }
    chunks.push(chunk);
  }
  if (bytes === 0) return {} as T;
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new DriveError(400, 'parseError', 'Parse Error');
  }
}
