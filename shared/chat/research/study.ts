import pLimit from 'p-limit';
import { errorFields, log } from '../../log.ts';
import { searchPriceNanoUsd } from '../../search/search.ts';
import { truncated } from '../../truncated.ts';
import type { ChatEvent } from '../chat-event.ts';
import { searchDrive, searchWeb } from '../sources/find.ts';
import { type Found, fuse } from '../sources/found.ts';
import { pickPassages } from '../sources/passages.ts';
import { whereTo } from '../sources/queries.ts';
import { type Reading, readDocuments, readPage } from '../sources/read.ts';
import { StopSearching } from './budget.ts';
import { askWithin, type Investigation, progress, stage } from './investigation.ts';
import { type Note, notesTask } from './tasks.ts';

/** What a model reads of one source. */
const maxSourceTokens = 6_000;
const maxNotes = 6;
const maxClaimCharacters = 400;

/**
 * One round: searches, reads the best new pages, and takes notes; a failed step is left out. Returns whether it found
 * anything.
 */
export async function* study(
  research: Investigation,
  queries: string[],
): AsyncGenerator<ChatEvent, boolean> {
  const { turn, reach, limits, seen, searched, studied } = research;
  for (const query of queries) {
    searched.add(query);
    yield stage(turn, 'searching', `Searching ${whereTo(reach)} for “${query}”`);
  }
  const found = (await find(research, queries)).filter(({ key }) => !seen.has(key));
  const chosen = found.slice(0, Math.min(limits.sourcesPerRound, limits.sources - seen.size));
  for (const { key } of chosen) seen.add(key);
  const studying = progress<ChatEvent, Note[][]>((tell, readerLeft) => {
    const atOnce = pLimit(limits.atOnce);
    const studyOne = async (each: Found) => {
      if (readerLeft.aborted || research.stoppedBy) return [];
      tell(stage(turn, 'reading', `Reading ${each.documentId ? each.title : each.site}`));
      const reading = await read(research, each);
      if (reading && 'text' in reading) {
        return (await attempt(research, () => notesOf(research, each, reading.text))) ?? [];
      }
      if (reading) tell(stage(turn, 'reading', `Left out ${each.title}: ${reading.skipped}`));
      return [];
    };
    return Promise.all(chosen.map((each) => atOnce(studyOne, each)));
  });
  const notes = yield* studying;
  const useful = chosen.flatMap((each, index) => {
    const found = notes[index] ?? [];
    return found.length > 0 ? { found: each, notes: found } : [];
  });
  studied.push(...useful);
  return useful.length > 0;
}

/** Searches the web and the Drive, and joins what they found by rank. */
async function find(research: Investigation, queries: string[]): Promise<Found[]> {
  const { turn, reach, budget } = research;
  const [pages, documents] = await Promise.all([
    reach.web &&
      attempt(research, () =>
        budget.spend(queries.length * searchPriceNanoUsd(), () => searchWeb(turn, queries)),
      ),
    reach.folders.length > 0 &&
      attempt(research, () => budget.spend(0, () => searchDrive(turn, reach.folders, queries))),
  ]);
  return fuse([pages || [], documents || []]);
}

async function read({ turn, reach }: Investigation, found: Found): Promise<Reading | undefined> {
  if (!found.documentId) return readPage(turn, found);
  const [document] = await readDocuments(turn, reach.folders, [found]);
  return document;
}

/** Takes notes from a source's text. A note whose quote doesn't stand there word for word is dropped. */
async function notesOf(research: Investigation, found: Found, text: string): Promise<Note[]> {
  const { plan, searched, smallModel } = research;
  const queries = [...searched, ...plan.questions.map(({ question }) => question)];
  const passages = pickPassages([{ n: 1, text }], queries, maxSourceTokens)
    .map((passage) => passage.text)
    .join('\n…\n');
  const answer = await askWithin(research, smallModel, notesTask(plan, found.title, passages));
  return (answer?.notes ?? [])
    .filter(({ quote }) => saysVerbatim(text, quote))
    .map(({ claim, quote }) => ({ claim: truncated(claim, maxClaimCharacters), quote }))
    .slice(0, maxNotes);
}

/** Runs a step of a research. One that fails or can't be afforded returns undefined, and the research knows why. */
export async function attempt<Result>(
  research: Pick<Investigation, 'stoppedBy' | 'failure'>,
  step: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof StopSearching) research.stoppedBy ??= error.reason;
    else {
      log('warn', 'a step of a research failed', errorFields(error));
      research.failure ??= error;
    }
    return undefined;
  }
}

/** A shorter quote is found in any text. */
const minQuoteCharacters = 12;

/** Whether a text says a quote word for word. Case, spacing, typographic marks and Markdown don't matter. */
export function saysVerbatim(text: string, quote: string): boolean {
  const plain = plainText(quote);
  return plain.length >= minQuoteCharacters && plainText(text).includes(plain);
}

function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[‘’‚‛`´]/g, "'")
    .replace(/[“”„‟«»]/g, '"')
    .replace(/[‐-―−]/g, '-')
    .replace(/[*_#>|\u00ad\u200b-\u200d\ufeff]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
