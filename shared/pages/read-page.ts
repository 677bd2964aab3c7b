import { maxWebPageBytes } from '../http/bounds.ts';
import { memory } from '../http/byte-budget.ts';
import { log } from '../log.ts';
import { parseUrl, type Resolve, resolveName } from './address.ts';
import { readBody } from './body.ts';
import { type FetchContext, follow } from './follow.ts';
import { kindOf, type Page, type PageReading, type Unreadable, UnreadableError } from './page.ts';
import { parsePage } from './parse-page.ts';
import { checkRobots } from './robots.ts';

/** All that a page may take until its content is there: names, `robots.txt`, redirects and bodies. */
const defaultDeadlineMs = 10_000;

/** DNS has no longer names. */
const maxHostCharacters = 253;

export interface ReadOptions {
  resolve?: Resolve;
  deadlineMs?: number;
}

/** Reads a page of the public web. Never throws: the reason is returned. The log names the page's host alone. */
export async function readPage(url: string, options: ReadOptions = {}): Promise<PageReading> {
  const startedAt = performance.now();
  const reading = await tryToRead(url, options);
  log('info', 'page read', {
    host: URL.parse(url)?.host.slice(0, maxHostCharacters),
    outcome: 'unreadable' in reading ? reading.unreadable : 'read',
    duration_ms: Math.round(performance.now() - startedAt),
  });
  return reading;
}

async function tryToRead(
  url: string,
  { resolve = resolveName, deadlineMs = defaultDeadlineMs }: ReadOptions,
): Promise<PageReading> {
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    return await fetchPage(parseUrl(url), { resolve, signal }, deadlineMs);
  } catch (error) {
    return { unreadable: signal.aborted ? 'timeout' : reasonOf(error) };
  }
}

async function fetchPage(start: URL, context: FetchContext, deadlineMs: number): Promise<Page> {
  const mayVisit = (url: URL) => checkRobots(url, context, deadlineMs);
  const { url, response } = await follow(start, context, mayVisit);
  try {
    const contentType = response.headers['content-type'] ?? '';
    kindOf(contentType);
    // Hosts share the room fairly, as they do the turns of the parser.
    const { signal } = context;
    using room = await memory().open(url.host, maxWebPageBytes, { waitMs: null, signal });
    const bytes = await readBody(response, maxWebPageBytes);
    room.keep(bytes.length);
    return await parsePage({ url: url.href, bytes, contentType });
  } finally {
    response.destroy();
  }
}

/** An error of a parser means that the page is broken. Its message may quote the page, so it isn't logged. */
function reasonOf(error: unknown): Unreadable {
  if (error instanceof UnreadableError) return error.reason;
  log('warn', 'page broke its parser', { error: error instanceof Error ? error.name : undefined });
  return 'broken';
}
