import { rm } from 'node:fs/promises';
import { instant } from '../../engine/item/job.ts';
import { failJob, isLastTry, LeaseLostError, saveProgress } from '../../engine/item/state.ts';
import { endOfWait, isPermanent, jobErrorText, logFault } from '../../engine/run/failure.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { StoppedError } from '../../engine/run/watch.ts';
import { completionOf } from '../../results/keep-result.ts';
import { allResults } from '../requests/end-requests.ts';
import type { FileLine, LineStep } from '../requests/file-line.ts';
import { keptOutcomes } from '../requests/line-outcomes.ts';
import { unaskedStep } from '../requests/read-line.ts';
import type { RequestFile } from '../requests/request-file.ts';
import { writeResults } from '../requests/write-results.ts';
import type { BatchJob } from './batch-job.ts';
import { keepOutputs } from './keep-outputs.ts';
import { addDetails } from './token-details.ts';
import { unaskedError } from './unasked.ts';
import { giveBackHeld, runHanded, waitForUpstream } from './upstream/run-handed.ts';

/** Ends a batch whose lines have all been asked, with what came of them. */
export async function endBatch(file: RequestFile<BatchJob>, done: Set<number>): Promise<RunEnd> {
  const finalizing_at = file.job.finalizing_at ?? instant(Date.now());
  const job = await saveProgress(file.job, { finalizing_at });
  return finish({ ...file, job }, allResults(file, done));
}

/** Ends a stopped batch, and names the lines that were not asked. Upstreams' batches are cancelled and awaited. */
export async function endStoppedBatch(
  file: RequestFile<BatchJob>,
  signal: AbortSignal,
): Promise<RunEnd> {
  const { job } = file;
  return orKept(file, signal, async () => {
    const kept = await keptOutcomes(job);
    const { isOpen, handed } = await runHanded(file, kept, signal);
    if (isOpen) return waitForUpstream(job, handed);
    const error = unaskedError(job);
    const unasked = (line: FileLine) => unaskedStep(line, error);
    return finish(file, allResults(file, kept.done, unasked));
  });
}

/** Does what is left of a batch. If it fails for good, the key gets its answers, and the rest of its hold back. */
export async function orKept(
  file: RequestFile<BatchJob>,
  signal: AbortSignal,
  work: () => Promise<RunEnd>,
): Promise<RunEnd> {
  const { job } = file;
  try {
    return await work();
  } catch (error) {
    const isOver =
      signal.aborted || error instanceof StoppedError || error instanceof LeaseLostError;
    const isLast = isPermanent(error) || (isLastTry(job) && !endOfWait(job, error));
    if (isOver || !isLast) throw error;
    logFault(job, error);
    const text = jobErrorText(error);
    const [, code = '', message = ''] = /^(\w+): (.*)$/s.exec(text) ?? [];
    const { done } = await keptOutcomes(job);
    await giveBackHeld(job);
    if (done.size === 0) throw error;
    const unasked = (line: FileLine) => unaskedStep(line, { code, message });
    return finish(file, allResults(file, done, unasked), text);
  }
}

/** What was answered is one file of the key's, and what failed another. */
async function finish(
  { job, path }: RequestFile<BatchJob>,
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
