import type { HeldSearch } from '../../search/search.ts';
import { modelAnswer } from '../answer.ts';
import type { ChatEvent } from '../chat-event.ts';
import { samplingOf } from '../stream-request.ts';
import type { AnswerEvents, Turn } from '../turn.ts';
import { CitationFilter } from './citations.ts';
import { searchDrive, searchWeb } from './find.ts';
import type { Found } from './found.ts';
import { messagesWithSources, type SourceText, toSource } from './material.ts';
import { pickPassages } from './passages.ts';
import { queriesFor } from './queries.ts';
import type { Reach } from './reach.ts';
import { type Reading, readDocuments, readPage } from './read.ts';

const maxPages = 8;
const maxPagesRead = 3;
const maxDocuments = 6;
/** The most tokens of all pages together, and of all documents together. */
const maxTokens = 8_000;

/**
 * Answers from the web, the caller's Drive folders, or both: searches, reads, sends the sources, and answers with
 * `[n]`. A refusal of the first paid step is thrown before the first event.
 */
export async function* searchedAnswer(turn: Turn, reach: Reach): AnswerEvents {
  const queries = yield* queriesFor(turn, reach);
  const asked = queries.map((query) => (typeof query === 'string' ? query : query.query));
  const { pages, documents } = yield* search(turn, reach, queries, asked);

  const unread = pages.filter(({ passages }) => passages.length === 0).slice(0, maxPagesRead);
  for (const { site } of unread) yield reading(site);
  for (const { title } of documents) yield reading(`${title} in Google Drive`);
  const [pageTexts, documentTexts] = await Promise.all([
    Promise.all(
      pages.map((page) => (unread.includes(page) ? readPage(turn, page) : asFound(page))),
    ),
    readDocuments(turn, reach.folders, documents),
  ]);
  const leftOut = skippedOf(documentTexts);
  for (const each of leftOut) yield { ...reading(each), detail: `Left out ${each}` };

  const sources = numbered([
    ...pick(pageTexts.map(orSnippet), asked),
    ...pick(documentTexts, asked),
  ]);
  yield { type: 'sources', sources: sources.map(({ text: _, ...source }) => source) };
  const messages = messagesWithSources(turn, sources, leftOut);
  const filter = new CitationFilter((n) => (n >= 1 && n <= sources.length ? n : undefined));
  const request = { messages, ...samplingOf(turn.request) };
  return yield* modelAnswer(turn, request, { filter, asRequest: false });
}

/** Searches all that may be searched at once. Throws if nothing of it answers. */
async function* search(
  turn: Turn,
  { web, folders }: Reach,
  queries: (string | HeldSearch)[],
  asked: string[],
): AsyncGenerator<ChatEvent, { pages: Found[]; documents: Found[] }> {
  const [pages, documents] = await Promise.allSettled([
    web ? searchWeb(turn, queries) : [],
    folders.length > 0 ? searchDrive(turn, folders, asked) : [],
  ]);
  if (pages.status === 'rejected') {
    if (folders.length === 0 || documents.status === 'rejected') throw pages.reason;
    yield { type: 'status', stage: 'searching', detail: 'The web search does not answer now' };
  }
  if (documents.status === 'rejected') {
    if (!web) throw documents.reason;
    yield { type: 'status', stage: 'searching', detail: 'Google Drive does not answer now' };
  }
  return {
    pages: pages.status === 'fulfilled' ? pages.value.slice(0, maxPages) : [],
    documents: documents.status === 'fulfilled' ? documents.value.slice(0, maxDocuments) : [],
  };
}

/** The status that tells what is being read. */
const reading = (what: string) =>
  ({ type: 'status', stage: 'reading', detail: `Reading ${what}` }) as const;

const asFound = (found: Found): Reading => ({ found, text: found.passages.join('\n\n') });

/** Takes a page's snippet for its text if the page was not read. */
function orSnippet(page: Reading): Reading {
  const { found } = page;
  return 'text' in page && page.text !== '' ? page : { found, text: found.snippet };
}

const skippedOf = (readings: Reading[]) =>
  readings.flatMap((one) => ('skipped' in one ? `${one.found.title}: ${one.skipped}` : []));

/** Picks what fits the queries best of each text, and leaves out what says nothing. */
function pick(readings: Reading[], queries: string[]): (Found & { text: string })[] {
  const read = readings.filter((one) => 'text' in one);
  const passages = pickPassages(
    read.map(({ text }, n) => ({ n, text })),
    queries,
    maxTokens,
  );
  return read.map(({ found }, place) => {
    const own = passages.filter(({ n }) => n === place).map(({ text }) => text);
    return { ...found, text: own.join('\n…\n') };
  });
}

const numbered = (found: (Found & { text: string })[]): SourceText[] =>
  found
    .filter(({ text }) => text !== '')
    .map((each, index) => ({ ...toSource(each, index + 1, each.text), text: each.text }));
