import pLimit from 'p-limit';
import { noteProgress } from '../../engine/item/progress.ts';
import { continueJob, saveProgress } from '../../engine/item/state.ts';
import type { RunEnd } from '../../engine/run/run-leased.ts';
import { callsAtOnce, readKeyOf } from '../../engine/run/watch.ts';
import type { SourcedJob } from '../../sources/source.ts';
import { withFile } from '../../sources/source-file.ts';
import { isBatch } from '../batch/batch-job.ts';
import { checkLines } from '../batch/check-lines.ts';
import { noteRestDone } from '../batch/upstream/parts.ts';
import {
  type HandedRun,
  runHanded,
  stillWaiting,
  waitForUpstream,
} from '../batch/upstream/run-handed.ts';
import { answerLine } from './answer-line.ts';
import { endWithAll, orKept } from './end-requests.ts';
import { reserveBytes } from './file-lines.ts';
import { keptOutcomes, type Outcomes } from './line-outcomes.ts';
import { bytesWithAnswer } from './read-line.ts';
import { countLines, linesIn, type RequestFile } from './request-file.ts';

/** Lines of one file that are asked at once, unless the key may have fewer calls under way. */
const linesAtOnce = 8;

/**
 * Runs a file of requests in the OpenAI batch format, line by line. Its result is a file in that format, in the
 * lines' order; of a batch, two. A line that was answered is kept, and not asked again. A line that can't be asked is not
 * kept: reading it again gives the same error. Throws for a file of too many lines, or of none that can be asked.
 *
 * @see https://platform.openai.com/docs/guides/batch
 */
export async function runBatchFile(job: SourcedJob, signal: AbortSignal): Promise<RunEnd> {
  const waiting = isBatch(job) ? await stillWaiting(job, signal) : undefined;
  if (waiting) {
    const { done = 0, total = 0, failed = 0 } = job.progress ?? {};
    const { counts } = waiting;
    noteProgress(job, {
      ...{ done: Math.max(done, counts.completed), total },
      ...{ failed: Math.max(failed, counts.failed), unit: 'lines' },
    });
    return waiting.end;
  }
  return withFile(
    job.source_object,
    async (path) => {
      const { models } = await readKeyOf(job);
      const file = { job, path, models };
      return orKept(file, signal, () => runLines(file, signal));
    },
    signal,
  );
}

async function runLines(file: RequestFile, signal: AbortSignal): Promise<RunEnd> {
  if (isBatch(file.job) && !file.job.in_progress_at) return beginBatch(file, signal);
  const { job } = file;
  const kept = await keptOutcomes(job);
  const total = await countLines(file, isBatch(job) || kept.done.size > 0);
  const before = kept.done.size;
  let handed: HandedRun | undefined;
  try {
    if (isBatch(job)) handed = await runHanded(file, kept, signal);
    await answerLines(file, kept, total, handed, signal);
    if (handed?.isOpen && !handed.handed.isRestDone) await noteRestDone(job);
  } catch (error) {
    if (signal.aborted && kept.done.size > before) return () => continueJob(job);
    throw error;
  }
  if (handed?.isOpen) return waitForUpstream(job, handed.handed);
  if (handed?.lacking) throw handed.lacking;
  return endWithAll(file, kept.done);
}

/** Begins a batch once all its lines are found good. */
async function beginBatch(file: RequestFile, signal: AbortSignal): Promise<RunEnd> {
  const checked = await checkLines(file, signal);
  if ('end' in checked) return checked.end;
  noteProgress(file.job, { done: 0, total: checked.total, failed: 0, unit: 'lines' });
  return runLines({ ...file, job: await saveProgress(file.job, checked.begun) }, signal);
}

async function answerLines(
  file: RequestFile,
  kept: Outcomes,
  total: number,
  handed: HandedRun | undefined,
  signal: AbortSignal,
): Promise<void> {
  const atOnce = await callsAtOnce(file.job, linesAtOnce);
  const limit = pLimit(atOnce);
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let refused = 0;
  const note = () => {
    const failed = kept.failed + refused + (handed?.counts.failed ?? 0);
    const done = kept.done.size - kept.failed + (handed?.counts.completed ?? 0);
    noteProgress(file.job, { done, total, failed, unit: 'lines' });
  };
  note();
  for await (const line of linesIn(file)) {
    const { number } = line;
    if (line.line?.trim() === '' || kept.done.has(number)) continue;
    if (handed?.leaves(line)) continue;
    const giveBack = await reserveBytes(bytesWithAnswer(line));
    const run = limit(() => answerLine(line, signal))
      .then((isAnswered) => {
        if (isAnswered === undefined) refused += 1;
        else kept.done.add(number);
        if (isAnswered === false) kept.failed += 1;
        note();
      })
      .catch((error: unknown) => void failures.push(error))
      .finally(giveBack);
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
