import { invokeFunction } from '../aws/lambda.ts';
import { setting } from '../config.ts';
import { errorFields, log } from '../log.ts';
import type { PageReading, PageRequest } from './page.ts';

/** Longer than `read-page` runs, and than a new one takes to start. */
const timeLimitMs = 35_000;

/** Has `read-page` read a page of the web. Never throws: a reader that fails makes the page `unreachable`. */
export async function requestPage(url: string, signal: AbortSignal): Promise<PageReading> {
  try {
    const request: PageRequest = { url };
    return await invokeFunction(setting('READ_PAGE_FUNCTION'), request, timeLimitMs, signal);
  } catch (error) {
    log('warn', 'page reader failed', errorFields(error));
    return { unreadable: 'unreachable' };
  }
}
