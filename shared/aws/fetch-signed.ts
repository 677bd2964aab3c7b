import { collectUpTo } from '../collect.ts';
import { setting } from '../config.ts';

/**
 * Reads the object of a signed link, by https and without redirects; undefined if it is larger than wanted. Errors
 * don't name the link, as whoever has it can read the object.
 */
export async function fetchSigned(
  url: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  if (!isTrusted(url)) throw new Error('Objects are fetched by https alone');
  const { ok, status, headers, body } = await fetch(url, { redirect: 'error', signal });
  if (ok && Number(headers.get('content-length')) <= maxBytes) {
    return collectUpTo(maxBytes, body ?? []);
  }
  await body?.cancel();
  if (ok) return undefined;
  throw new Error(`An object was asked for, and the response was ${status}`);
}

/** The object store of the local stage has no https. Where it is deployed, none is named. */
function isTrusted(url: string): boolean {
  const { protocol, origin } = new URL(url);
  const local = setting('AWS_ENDPOINT_URL_S3');
  return protocol === 'https:' || (local !== undefined && origin === new URL(local).origin);
}
