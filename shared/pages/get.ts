import type { LookupAddress } from 'node:dns';
import { version } from '../version.ts';
import { send } from './send.ts';

/** The name that a site's `robots.txt` may have rules for. */
export const robotName = 'Quire';

const headers = {
  'user-agent': `${robotName}/${version} (reads pages that answer a user's question; robots.txt: ${robotName})`,
  accept: 'text/html,application/xhtml+xml,text/markdown,text/plain,application/pdf;q=0.9',
  'accept-encoding': 'gzip, deflate, br',
};

/** Asks for a page as `send` does. */
export const get = (url: URL, address: LookupAddress, signal: AbortSignal) =>
  send(url, address, { method: 'GET', headers }, signal);
