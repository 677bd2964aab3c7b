import { DocumentProcess } from '../documents/processes/document-process.ts';
import { processBeside } from '../documents/processes/start-process.ts';
import { type Page, UnreadableError } from './page.ts';
import type { FetchedPage, ParsedPage } from './page-process.ts';

/** A page of the largest size takes less than a tenth of it. */
const maxMs = 15_000;

const parser = new DocumentProcess<FetchedPage, ParsedPage>(
  processBeside(import.meta.url, 'page-process'),
  { heapMb: 512 },
);

/**
 * Returns what is in a page, read in a process of its own; hosts take turns. Throws `UnreadableError`,
 * `ProcessLostError`, and a parser's error.
 */
export async function parsePage(page: FetchedPage): Promise<Page> {
  const parsed = await parser.ask(page, maxMs, { turn: new URL(page.url).host });
  if ('unreadable' in parsed) throw new UnreadableError(parsed.unreadable);
  return parsed;
}
