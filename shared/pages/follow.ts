import type { IncomingMessage } from 'node:http';
import { abortable } from '../abortable.ts';
import { checkAddress, parseUrl, type Resolve } from './address.ts';
import { get } from './get.ts';
import { UnreadableError } from './page.ts';

const maxRedirects = 5;
const redirectStatuses = [301, 302, 303, 307, 308];

/** What every request for a page is made with. */
export interface FetchContext {
  resolve: Resolve;
  /** Ends the whole reading: resolver, connections and bodies. */
  signal: AbortSignal;
}

export interface Fetched {
  /** Where the response came from, after redirects. */
  url: URL;
  response: IncomingMessage;
}

/**
 * Fetches a URL through up to 5 redirects, each checked anew over its own connection. Throws `forbidden_address`, or
 * `unreachable` also for any status but 200.
 */
export async function follow(
  start: URL,
  { resolve, signal }: FetchContext,
  mayVisit: (url: URL) => Promise<void> = async () => {},
): Promise<Fetched> {
  let url = start;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const address = await abortable(checkAddress(url, resolve), signal);
    await mayVisit(url);
    const response = await get(url, address, signal);
    if (response.statusCode === 200) return { url, response };
    response.destroy();
    const { location } = response.headers;
    if (!location || !redirectStatuses.includes(response.statusCode ?? 0)) break;
    // Node reads headers as Latin-1, sites write them in UTF-8.
    url = parseUrl(Buffer.from(location, 'latin1').toString(), url);
  }
  throw new UnreadableError('unreachable');
}
