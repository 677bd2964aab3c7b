import { DriveError } from './drive-error.ts';

const jsonLimitBytes = 1024 * 1024;

/** A request's body as its parts come; undefined without one. */
export type Body = AsyncIterable<Buffer> | undefined;

/** Reads a JSON body; an absent one is an empty object. */
export async function readJson<T>(body: unknown): Promise<T> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of (body as Body) ?? []) {
    bytes += chunk.length;
    if (bytes > jsonLimitBytes) {
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
