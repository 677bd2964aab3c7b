import type { Answer } from '../../../chat/ask.ts';
import { readAnswer, type WindowAnswer } from '../../../extract/answers/answer.ts';
import { InvalidAnswer } from '../../../extract/asked/errors.ts';
import type { MissedLine } from '../../../extract/outcome.ts';
import type { PageWindow } from '../../../extract/words/page.ts';
import { ModelError } from '../../../models/errors.ts';
import { findStep } from '../../engine/item/steps.ts';
import { isLast, jobErrorText } from '../../engine/run/failure.ts';
import { runAll } from '../../engine/run/run-all.ts';
import { callsAtOnce } from '../../engine/run/watch.ts';
import { askOnce } from '../chat/ask.ts';
import type { ExtractPage } from './source-pages.ts';
import { type Question, windowCall } from './window-call.ts';

/** Windows of one document that are asked at once, unless the key may have fewer calls under way. */
const windowsAtOnce = 4;

/** The outcome of a window: its answer or its failure, and the calls that were paid for it. */
export interface AskedWindow {
  window: PageWindow;
  answer?: WindowAnswer;
  failure?: unknown;
  calls: Answer[];
}

/** Pages of a document that are asked about; `round` 0 asks for all, later ones for rows that were missing. */
export interface Round {
  question: Question;
  pages: readonly ExtractPage[];
  round: number;
  missedIn?: ReadonlyMap<number, MissedLine[]>;
  /** Is called for each call that is new, and for each window that is done. */
  onCall: () => void;
  onWindow: (isAnswered: boolean) => void;
  /** Takes what was answered before, and asks nothing. */
  keptOnly?: boolean;
}

/** Asks a model about windows of pages, several at once, each a step. A window that is too long is asked in halves. */
export async function askWindows(round: Round, windows: PageWindow[]): Promise<AskedWindow[]> {
  const { job } = round.question;
  const asking = windows.map((window) => async () => {
    const asked = await askWindow(round, window);
    round.onWindow(asked.every(({ answer }) => answer !== undefined));
    return asked;
  });
  return (await runAll(asking, await callsAtOnce(job, windowsAtOnce))).flat();
}

async function askWindow(round: Round, window: PageWindow): Promise<AskedWindow[]> {
  const asked = await askTwice(round, window);
  if (!asked.isTooLong || window.first === window.last) return [asked];
  const halves = await Promise.all(halvesOf(window).map((half) => askWindow(round, half)));
  const [first, ...rest] = halves.flat();
  return first ? [{ ...first, calls: [...asked.calls, ...first.calls] }, ...rest] : [asked];
}

/** Asks about a window, and once more if the answer can't be read. */
async function askTwice(
  round: Round,
  window: PageWindow,
): Promise<AskedWindow & { isTooLong?: boolean }> {
  const calls: Answer[] = [];
  let failure: unknown;
  for (const attempt of [1, 2]) {
    try {
      const answer = await askOnceFor(round, window, attempt);
      if (!answer) return { window, calls, failure: failure ?? notAsked };
      calls.push(answer);
      if (answer.finish_reason === 'length' && window.first < window.last) {
        return { window, calls, failure: new InvalidAnswer('it broke off'), isTooLong: true };
      }
      const { spec } = round.question;
      return { window, calls, answer: readAnswer(spec, window, answer.content ?? '') };
    } catch (error) {
      failure = error;
      if (error instanceof InvalidAnswer) continue;
      // An error that no retry of the job would mend fails this window alone.
      if (!(error instanceof ModelError) || !isLast(round.question.job, error)) throw error;
      return { window, calls, failure, isTooLong: error.code === 'context_length_exceeded' };
    }
  }
  return { window, calls, failure };
}

/** Why a window of a job that was stopped has no answer. */
const notAsked = new Error('stopped');

async function askOnceFor(
  { question, pages, round, missedIn, onCall, keptOnly }: Round,
  window: PageWindow,
  attempt: number,
): Promise<Answer | undefined> {
  const name = `window_${round}_${padded(window.first)}_${padded(window.last)}_${attempt}`;
  const { job } = question;
  if (keptOnly) return findStep<Answer>(job, name);
  const shown = pages.filter(({ page }) => page >= window.first && page <= window.last);
  const call = await windowCall(question, shown, missedIn?.get(window.index));
  return askOnce(job, name, call, onCall);
}

const padded = (page: number) => String(page).padStart(5, '0');

/** Two windows of half the pages, which have the page in their middle in common if there are more than two. */
function halvesOf(window: PageWindow): PageWindow[] {
  const { first, last } = window;
  const middle = Math.floor((first + last) / 2);
  const next = last - first > 1 ? middle : middle + 1;
  return [
    { ...window, last: middle },
    { ...window, first: next },
  ];
}

/** Says why a window has no answer. */
export const failureText = (failure: unknown): string =>
  failure instanceof InvalidAnswer
    ? `invalid_answer: The model's answer could not be read: ${failure.message}`
    : failure === notAsked
      ? 'stopped: The job was stopped before.'
      : jobErrorText(failure);
