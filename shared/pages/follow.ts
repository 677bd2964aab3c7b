import type { IncomingMessage } from 'node:http';
import { abortable } from '../abortable.ts';
import { version } from '../version.ts';
import { checkAddress, parseUrl, type Resolve } from './address.ts';
import { UnreadableError } from './page.ts';
import { send } from './send.ts';

/** The name that a site's `robots.txt` may have rules for. */
export const robotName = 'Quire';

const headers = {
  'user-agent': `${robotName}/${version} (reads pages that answer a user's question; robots.txt: ${robotName})`,
  accept: 'text/html,application/xhtml+xml,text/markdown,text/plain,application/pdf;q=0.9',
  'accept-encoding': 'gzip, deflate, br',
};

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
    const response = await send(url, address, { method: 'GET', headers }, signal);
    if (response.statusCode === 200) return { url, response };
    response.destroy();
    const { location } = response.headers;
    if (!location || !redirectStatuses.includes(response.statusCode ?? 0)) break;
    // Node reads headers as Latin-1, sites write them in UTF-8.
    url = parseUrl(Buffer.from(location, 'latin1').toString(), url);
  }
  throw new UnreadableError('unreachable');
}
