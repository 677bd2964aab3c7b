import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createFile } from '../../../files/create-file.ts';
import { instant, type Job } from '../../engine/item/job.ts';
import { failJob } from '../../engine/item/job-end.ts';
import { LeaseLostError, saveProgress } from '../../engine/item/job-lease.ts';
import { isLastTry } from '../../engine/item/job-retry.ts';
import { endOfWait, isPermanent, jobErrorText, logFault } from '../../engine/run/failure.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { StoppedError } from '../../engine/run/watch.ts';
import { completionOf } from '../../results/keep-result.ts';
import type { ChatBatchResult } from '../../results/result.ts';
import { allResults } from '../requests/end-requests.ts';
import type { FileLine, LineOutput, LineStep } from '../requests/file-line.ts';
import { unaskedStep } from '../requests/read-line.ts';
import { keptOutcomes, type RequestFile } from '../requests/request-file.ts';
import { writeResults } from '../requests/write-results.ts';
import { type BatchJob, batchIdOf, isWindowOver } from './batch-job.ts';
import { type Output, outputIdOf, outputs } from './output-files.ts';
import { giveBackHeld, runHanded, waitForUpstream } from './upstream/run-handed.ts';

/** Ends a batch, once all lines have been asked, with their results. */
export async function endBatch(file: RequestFile<BatchJob>): Promise<RunEnd> {
  const finalizing_at = file.job.finalizing_at ?? instant(Date.now());
  const job = await saveProgress(file.job, { finalizing_at });
  return finish({ ...file, job }, allResults(file));
}

/** Ends a stopped batch, and names the lines that were not asked. Upstreams' batches are cancelled and awaited. */
export async function endStoppedBatch(file: RequestFile<BatchJob>): Promise<RunEnd> {
  const { job } = file;
  return orKept(file, async () => {
    const { isOpen, handed } = await runHanded(file);
    if (isOpen) return waitForUpstream(job, handed);
    const error = unaskedError(job);
    const unasked = (line: FileLine) => unaskedStep(line, error);
    return finish(file, allResults(file, unasked));
  });
}

/** Calls `work`. If that fails for good, the batch ends with the answers so far, and the rest of its hold is freed. */
export async function orKept(
  file: RequestFile<BatchJob>,
  work: () => Promise<RunEnd>,
): Promise<RunEnd> {
  const { job, signal } = file;
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
    const kept = await keptOutcomes(job);
    await giveBackHeld(job);
    if (kept.done.size === 0) throw error;
    const unasked = (line: FileLine) => unaskedStep(line, { code, message });
    return finish(file, allResults({ ...file, kept }, unasked), text);
  }
}

/** Writes the answers into one file of the key, the errors into another, and ends the job with both. */
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

/** Where the results of a batch's lines are on this machine; of either kind there may be none. */
type OutputPaths = Partial<Record<Output, string>>;

/** Makes files of the key's of a batch's results. Returns the attributes that name them. */
async function keepOutputs(
  job: Pick<BatchJob, 'key_id' | 'job_id' | 'output_expires_after'>,
  paths: OutputPaths,
): Promise<Pick<BatchJob, 'output_file_id' | 'error_file_id'>> {
  const kept: Pick<BatchJob, 'output_file_id' | 'error_file_id'> = {};
  for (const output of outputs) {
    const path = paths[output];
    if (!path) continue;
    const file = {
      id: outputIdOf(job.job_id, output),
      filename: `${batchIdOf(job.job_id)}_${output}.jsonl`,
      purpose: 'batch_output' as const,
      expiresAfterSeconds: job.output_expires_after,
    };
    const { entry } = await createFile(job.key_id, file, createReadStream(path));
    kept[`${output}_file_id`] = entry;
  }
  return kept;
}

/** Tokens that are counted among others: of prompts that the provider had in its cache, of answers that were thought. */
type TokenDetails = NonNullable<ChatBatchResult['token_details']>;

type Details = Record<string, unknown> | null | undefined;

/** A provider's answer, in any dialect. */
type Answered = { usage?: Record<string, Details> | null } | null | undefined;

/** Adds what an answer says of its tokens. */
function addDetails(details: TokenDetails, { response }: LineOutput): void {
  const usage = (response?.body as Answered)?.usage ?? {};
  const prompt = usage['prompt_tokens_details'] ?? usage['input_tokens_details'];
  const answer = usage['completion_tokens_details'] ?? usage['output_tokens_details'];
  details.cached_tokens += countOf(prompt?.['cached_tokens']);
  details.reasoning_tokens += countOf(answer?.['reasoning_tokens']);
}

const countOf = (value: unknown) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;

/** The error of a line that was not asked before its batch was stopped. */
const unaskedError = ({ stop_reason = '' }: Job) =>
  isWindowOver(stop_reason)
    ? {
        code: 'batch_expired',
        message: 'This request could not be executed before the completion window expired.',
      }
    : {
        code: 'batch_cancelled',
        message: 'This request was not executed before the batch was cancelled.',
      };
