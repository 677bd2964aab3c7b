import pLimit from 'p-limit';
import type { ServiceError } from '../../http/errors.ts';
import type { Hold } from '../../ledger/reserve.ts';
import { modelAnswer } from '../answer.ts';
import { brokenOff } from '../broken-off.ts';
import type { ChatEvent } from '../chat-event.ts';
import { CitationFilter } from '../sources/citations.ts';
import { toSource } from '../sources/material.ts';
import type { AnswerEvents } from '../turn.ts';
import { checkPart } from './check.ts';
import { type Investigation, progress, stage } from './investigation.ts';
import { noteLine, requestWithin } from './writing.ts';

/** The report as it was sent so far. */
interface Report {
  text: string;
  finishReason: string;
  /** The places in `studied`, counted from 1, of the sources that it cites, in the order of first citation. */
  cited: number[];
  isUnchecked: boolean;
  /** Why the model broke off. */
  failure?: ServiceError;
}

/**
 * Writes the report from the notes, part by part as each is checked, then its sources in order. If the model writes
 * nothing, the notes are sent. If it breaks off, throws a `ServiceError` after what there is.
 */
export async function* writeReport(research: Investigation, hold: Hold): AnswerEvents {
  const { turn, studied } = research;
  const report: Report = { text: '', finishReason: 'stop', cited: [], isUnchecked: false };
  const filter = new CitationFilter((n) => numberFor(n, studied.length, report.cited));
  const delta = (content: string): ChatEvent => {
    report.text += content;
    return { type: 'delta', content };
  };
  yield stage(turn, 'writing', `Writing the report from ${count(studied.length, 'source')}`);
  yield* progress<ChatEvent, void>((tell, readerLeft) =>
    sendParts(research, hold, report, readerLeft, tell, (part) => tell(delta(filter.push(part)))),
  );
  yield delta(filter.rest());
  const isEmpty = report.text.trim() === '';
  if (isEmpty) yield delta(filter.push(notesText(research)) + filter.rest());
  for (const remark of remarks(research, report)) yield delta(`\n\n${remark}`);
  yield {
    type: 'sources',
    sources: report.cited.flatMap((place, index) => {
      const source = studied[place - 1];
      return source ? toSource(source.found, index + 1, source.notes[0]?.quote ?? '') : [];
    }),
  };
  if (report.failure && !isEmpty) throw report.failure;
  return report;
}

/** Has the model write, has each part checked when it is whole, and sends the parts in their order. */
async function sendParts(
  research: Investigation,
  hold: Hold,
  report: Report,
  readerLeft: AbortSignal,
  tell: (event: ChatEvent) => void,
  send: (text: string) => void,
): Promise<void> {
  const atOnce = pLimit(research.limits.atOnce);
  let sent: Promise<void> | undefined;
  try {
    for await (const part of partsOf(research, hold, report)) {
      if (!sent) tell(stage(research.turn, 'checking', 'Checking the report against the notes'));
      const checked = atOnce(checkPart, research, part);
      sent = Promise.all([checked, sent]).then(([{ text, isChecked }]) => {
        report.isUnchecked ||= !isChecked;
        send(text);
      });
      if (readerLeft.aborted) break;
    }
  } catch (error) {
    report.failure = brokenOff(error);
  }
  await sent;
}

const minPartCharacters = 1_500;

/** The model's report in parts of whole paragraphs. Throws what broke it off after the last part. */
async function* partsOf(
  research: Investigation,
  hold: Hold,
  report: Report,
): AsyncGenerator<string> {
  const request = requestWithin(research, hold);
  const answer = modelAnswer(research.turn, request, { hold, asRequest: false });
  let part = '';
  let failure: unknown;
  try {
    for (let next = await answer.next(); ; next = await answer.next()) {
      if (next.done) {
        report.finishReason = next.value.finishReason;
        break;
      }
      if (next.value.type === 'delta') part += next.value.content;
      const end = part.length < minPartCharacters ? -1 : part.lastIndexOf('\n\n') + 2;
      if (end < 2) continue;
      yield part.slice(0, end);
      part = part.slice(end);
    }
  } catch (error) {
    failure = error;
  } finally {
    await answer.return({ text: '', finishReason: 'stop' });
  }
  if (part !== '') yield part;
  if (failure) throw failure;
}

/** The number by which the report cites a source: sources are numbered as they are first cited. */
function numberFor(place: number, places: number, cited: number[]): number | undefined {
  if (place < 1 || place > places) return undefined;
  if (!cited.includes(place)) cited.push(place);
  return cited.indexOf(place) + 1;
}

/** The notes as a text, for a report that could not be written. */
function notesText({ studied }: Investigation): string {
  const notes = studied.flatMap(({ notes }, index) =>
    notes.map((note) => noteLine(note, ` [${index + 1}]`)),
  );
  return `The report could not be written. These are the notes for it:\n\n${notes.join('\n')}`;
}

const stopped: Record<NonNullable<Investigation['stoppedBy']>, string> = {
  budget: 'its budget was spent',
  time: 'its time was up',
  calls: 'it had made all the model calls that a research may make',
};

/** What the reader of the report should know of how it came about. */
function remarks({ stoppedBy, failure }: Investigation, { isUnchecked }: Report): string[] {
  return [
    stoppedBy && `*The search ended before it was done: ${stopped[stoppedBy]}.*`,
    failure !== undefined && '*Part of the search failed and was left out.*',
    isUnchecked && '*Part of this report could not be checked against the notes.*',
  ].filter((remark) => typeof remark === 'string');
}

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;
