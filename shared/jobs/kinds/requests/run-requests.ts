import pLimit from 'p-limit';
import { roomOf } from '../../engine/item/job.ts';
import { noteProgress } from '../../engine/item/progress.ts';
import { orGoOn, type RunEnd } from '../../engine/run/run-job.ts';
import { callsAtOnce } from '../../engine/run/watch.ts';
import type { Sourced } from '../../sources/source-job.ts';
import { answerLine } from './answer-line.ts';
import { endRequests } from './end-requests.ts';
import { bytesOf, type FileLine } from './file-line.ts';
import { countLines, linesIn, type RequestFile, withRequests } from './request-file.ts';

/** Lines of one file that are asked at once, unless the key may have fewer calls under way. */
const linesAtOnce = 8;

/**
 * Runs a file of requests in the OpenAI batch format. The result is a file in that format, in the lines' order.
 * Answers are kept; a line that can't be asked isn't, as it fails again. Throws for too many lines, or none that can
 * be asked.
 * @see https://platform.openai.com/docs/guides/batch
 */
export const runRequests = (job: Sourced, signal: AbortSignal): Promise<RunEnd> =>
  withRequests(job, signal, async (file) => {
    const total = await countLines(file, file.kept.done.size > 0);
    return unlessTimeIsUp(file, async () => {
      await answerLines(file, total);
      return endRequests(file);
    });
  });

/** Runs lines. If time is up after some were answered, the job goes on from there. */
export function unlessTimeIsUp({ job, kept, signal }: RequestFile, run: () => Promise<RunEnd>) {
  const before = kept.done.size;
  return orGoOn(job, signal, () => kept.done.size > before, run);
}

interface AskedElsewhere {
  /** Lines of upstream batches that are not over: how many were answered, and how many failed. */
  counts: { completed: number; failed: number };
  leaves(line: FileLine): boolean;
}

/** Asks the lines that were not asked yet. */
export async function answerLines(
  file: RequestFile,
  total: number,
  elsewhere?: AskedElsewhere,
): Promise<void> {
  const { job, kept, signal } = file;
  const atOnce = await callsAtOnce(job, linesAtOnce);
  const limit = pLimit(atOnce);
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let refused = 0;
  const note = () => {
    const failed = kept.failed + refused + (elsewhere?.counts.failed ?? 0);
    const done = kept.done.size - kept.failed + (elsewhere?.counts.completed ?? 0);
    noteProgress(job, { done, total, failed, unit: 'lines' });
  };
  note();
  for await (const line of linesIn(file)) {
    if (line.line?.trim() === '' || kept.done.has(line.number)) continue;
    if (elsewhere?.leaves(line)) continue;
    const room = await roomOf(job, bytesOf(line));
    const run = limit(() => answerLine(file, line))
      .then((isAsked) => {
        if (!isAsked) refused += 1;
        note();
      })
      .catch((error: unknown) => void failures.push(error))
      .finally(() => room[Symbol.dispose]());
    running.add(run);
    void run.then(() => running.delete(run));
    // Lines are read no faster than they are answered.
    if (running.size >= 2 * atOnce) await Promise.race(running);
    if (failures.length > 0 || signal.aborted) break;
  }
  await Promise.all(running);
  signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
}
