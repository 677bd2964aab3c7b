import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newTempDir } from '../../../temp-dir.ts';
import { type ClaimedJob, instant } from '../../engine/item/job.ts';
import { keepFile } from '../../engine/item/objects.ts';
import { failJob, isLastTry, LeaseLostError, saveProgress } from '../../engine/item/state.ts';
import { stepsBetween } from '../../engine/item/steps.ts';
import { endOfWait, isPermanent, jobErrorText, logFault } from '../../engine/run/failure.ts';
import { completionOf, type RunEnd } from '../../engine/run/run-leased.ts';
import { readKeyOf, StoppedError } from '../../engine/run/watch.ts';
import { deliver } from '../../sources/delivery.ts';
import { fetchSource, type SourcedJob } from '../../sources/source.ts';
import { withFile } from '../../sources/source-file.ts';
import { isBatch } from '../batch/batch-job.ts';
import { keepOutputs } from '../batch/keep-outputs.ts';
import { addDetails } from '../batch/token-details.ts';
import { unaskedError } from '../batch/unasked.ts';
import { giveBackHeld, runHanded, waitForUpstream } from '../batch/upstream/run-handed.ts';
import { type FileLine, type LineStep, lastLineName, lineName } from './file-line.ts';
import { keptOutcomes } from './line-outcomes.ts';
import { unaskedStep } from './read-line.ts';
import { linesIn, type RequestFile, refusalIn } from './request-file.ts';
import { writeResults } from './write-results.ts';

/** Ends a job whose lines have all been asked or refused, with what came of them. */
export async function endWithAll(file: RequestFile, done: Set<number>): Promise<RunEnd> {
  const { job } = file;
  if (!isBatch(job)) return finish(job, `${file.path}.results`, allResults(file, done));
  const finalizing_at = job.finalizing_at ?? instant(Date.now());
  const finalized = await saveProgress(job, { finalizing_at });
  return finishBatch(finalized, file.path, allResults(file, done));
}

/** What came of each line, in the file's order. */
async function* allResults(
  file: RequestFile,
  done: Set<number>,
  unasked?: (line: FileLine) => LineStep,
): AsyncGenerator<LineStep> {
  const steps = stepsBetween<LineStep>(file.job, lineName(1), lastLineName);
  for await (const line of linesIn(file)) {
    if (line.line?.trim() === '') continue;
    const step = done.has(line.number)
      ? (await steps.next()).value?.value
      : (unasked?.(line) ?? (await refusalIn(line))?.step);
    if (step) yield step;
  }
}

/** What came of the lines that were asked. */
async function* askedResults(job: ClaimedJob): AsyncGenerator<LineStep> {
  for await (const { value } of stepsBetween<LineStep>(job, lineName(1), lastLineName)) yield value;
}

/** Ends a job that was stopped with the lines that were asked by then. A batch names the others, too. */
export async function keptLines(job: ClaimedJob, signal: AbortSignal): Promise<RunEnd> {
  if (isBatch(job)) return endStopped(await fetchSource(job, signal), signal);
  const folder = await newTempDir();
  try {
    return await finish(job, join(folder, 'results'), askedResults(job));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What was handed on to an upstream is called back first, and waited for: what it answered by then is paid. */
const endStopped = (job: SourcedJob, signal: AbortSignal): Promise<RunEnd> =>
  withFile(job.source_object, async (path) => {
    const { models } = await readKeyOf(job);
    const file = { job, path, models };
    return orKept(file, signal, async () => {
      const kept = await keptOutcomes(job);
      const { isOpen, handed } = await runHanded(file, kept, signal);
      if (isOpen) return waitForUpstream(job, handed);
      const error = unaskedError(job);
      const unasked = (line: FileLine) => unaskedStep(line, error);
      return finishBatch(job, path, allResults(file, kept.done, unasked));
    });
  });

/**
 * Does what is left of a batch. If it fails for good, the key gets what was answered by then, and what is held for the
 * rest.
 */
export async function orKept(
  { job, path, models }: RequestFile,
  signal: AbortSignal,
  work: () => Promise<RunEnd>,
): Promise<RunEnd> {
  try {
    return await work();
  } catch (error) {
    const isOver =
      signal.aborted || error instanceof StoppedError || error instanceof LeaseLostError;
    const isLast = isPermanent(error) || (isLastTry(job) && !endOfWait(job, error));
    if (isOver || !isLast || !isBatch(job)) throw error;
    logFault(job, error);
    const text = jobErrorText(error);
    const [, code = '', message = ''] = /^(\w+): (.*)$/s.exec(text) ?? [];
    const { done } = await keptOutcomes(job);
    await giveBackHeld(job);
    if (done.size === 0) throw error;
    const unasked = (line: FileLine) => unaskedStep(line, { code, message });
    return finishBatch(job, path, allResults({ job, path, models }, done, unasked), text);
  }
}

/** What was answered is the job's result, and is written to the drive unless the job was stopped. */
async function finish(
  job: ClaimedJob,
  path: string,
  steps: AsyncIterable<LineStep>,
): Promise<RunEnd> {
  try {
    const result = await writeResults(steps, path, path);
    const file = { suffix: '.result.jsonl', mimeType: 'application/jsonl', path } as const;
    const { error } = job.stop_reason ? {} : await deliver(job, file);
    const { text = null, text_object } = await keepFile(job, 'results.jsonl', path);
    return completionOf(
      job,
      { ...result, content: text },
      {
        ...(text_object && { text_object }),
        ...(error && { error }),
      },
    );
  } finally {
    await rm(path, { force: true });
  }
}

/** Of a batch, what was answered is one file of the key's, and what failed another. */
async function finishBatch(
  job: ClaimedJob,
  path: string,
  steps: AsyncIterable<LineStep>,
  failure?: string,
): Promise<RunEnd> {
  const [output, error] = [`${path}.output`, `${path}.error`];
  const token_details = { cached_tokens: 0, reasoning_tokens: 0 };
  async function* detailed() {
    for await (const step of steps) {
      addDetails(token_details, step.output);
      yield step;
    }
  }
  try {
    const result = await writeResults(detailed(), output, error);
    const { total, completed } = result.lines;
    const files = await keepOutputs(job, {
      ...(completed > 0 && { output }),
      ...(completed < total && { error }),
    });
    if (failure) return () => failJob(job, failure, files);
    return completionOf(job, { ...result, ...files, token_details }, files);
  } finally {
    for (const each of [output, error]) await rm(each, { force: true });
  }
}
