import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import { ServiceError } from '../../http/errors.ts';
import { toUsd } from '../../ledger/nano-usd.ts';
import { deliver } from '../files/delivery.ts';
import type { SourcedJob } from '../files/source.ts';
import { newTempDir, withFile } from '../files/source-file.ts';
import type { ClaimedJob } from '../job.ts';
import { keepFile } from '../objects.ts';
import { noteProgress } from '../progress.ts';
import type { ChatBatchResult } from '../result.ts';
import { completionOf, type RunEnd } from '../run-leased.ts';
import { continueJob } from '../state.ts';
import { stepFields, stepsBetween } from '../steps.ts';
import { readKeyOf } from '../watch.ts';
import {
  answerLine,
  type Line,
  type LineStep,
  lineName,
  maxLineBytes,
  numberOf,
  type Refusal,
  refusalOf,
} from './batch-line.ts';
import { linesOf, reserveBytes } from './file-lines.ts';
import { maxLines } from './line-limit.ts';

/** Lines of one file that are asked at once. */
const linesAtOnce = 8;

/**
 * Runs a file of requests in the OpenAI batch format, line by line. Its result is a file in that format, in the
 * lines' order. A line that was answered stays answered. A line that can't be asked is kept nowhere: it is refused
 * alike each time it is read. Throws for a file of too many lines, or of none that can be asked.
 *
 * @see https://platform.openai.com/docs/guides/batch
 */
export function runBatchFile(job: SourcedJob, signal: AbortSignal): Promise<RunEnd> {
  return withFile(
    job.source_object,
    async (path) => {
      const { models } = await readKeyOf(job);
      const file: RequestFile = { job, path, models };
      const kept = await keptOutcomes(job);
      const total = await countLines(file, kept.done.size > 0);
      const before = kept.done.size;
      try {
        await answerLines(file, kept, total, signal);
      } catch (error) {
        if (signal.aborted && kept.done.size > before) return () => continueJob(job);
        throw error;
      }
      return finish(job, `${path}.results`, allResults(file, kept.done));
    },
    signal,
  );
}

interface RequestFile {
  job: SourcedJob;
  path: string;
  /** The models that the key may use; null is any. Read once, so that a run refuses the same lines throughout. */
  models: readonly string[] | null;
}

const lastLine = 'line_~';

/** The lines that have a step, by their numbers, and how many of them failed. */
interface Outcomes {
  done: Set<number>;
  failed: number;
}

async function keptOutcomes(job: SourcedJob): Promise<Outcomes> {
  const kept: Outcomes = { done: new Set(), failed: 0 };
  for await (const { name, value } of stepFields<LineStep>(job, lineName(1), lastLine, 'failed')) {
    kept.done.add(numberOf(name));
    if (value?.failed) kept.failed += 1;
  }
  return kept;
}

/**
 * Counts the lines that are not blank, before one of them is asked. A file that was begun is finished, whatever it
 * is: a version without these limits may have begun it.
 */
async function countLines(file: RequestFile, isBegun: boolean): Promise<number> {
  let total = 0;
  let firstWrong: string | undefined;
  let canBeAsked = isBegun;
  for await (const line of linesIn(file)) {
    if (line.number > maxLines && !isBegun) throw tooManyLines(file.job);
    if (line.line?.trim() === '') continue;
    total += 1;
    if (canBeAsked) continue;
    const wrong = (await refusalIn(line))?.wrong;
    canBeAsked = wrong === undefined;
    firstWrong ??= `Line ${line.number}: ${wrong}`;
  }
  if (total > 0 && !canBeAsked) throw noRequests(file.job, firstWrong ?? '');
  return total;
}

const tooManyLines = ({ filename }: SourcedJob) =>
  new ServiceError(
    422,
    'too_many_lines',
    `${filename} has more than the ${maxLines.toLocaleString('en')} lines that a file of requests may have.`,
  );

const noRequests = ({ filename }: SourcedJob, firstWrong: string) =>
  new ServiceError(422, 'invalid_lines', `No line of ${filename} can be asked. ${firstWrong}`);

async function answerLines(
  file: RequestFile,
  kept: Outcomes,
  total: number,
  signal: AbortSignal,
): Promise<void> {
  const limit = pLimit(linesAtOnce);
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let refused = 0;
  const note = () => {
    const failed = kept.failed + refused;
    noteProgress(file.job, { done: kept.done.size - kept.failed, total, failed, unit: 'lines' });
  };
  note();
  for await (const line of linesIn(file)) {
    const { number } = line;
    if (line.line?.trim() === '' || kept.done.has(number)) continue;
    const giveBack = await reserveBytes(bytesOf(line));
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
    if (running.size >= 2 * linesAtOnce) await Promise.race(running);
    if (failures.length > 0 || signal.aborted) break;
  }
  await Promise.all(running);
  signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
}

const bytesOf = ({ line }: Line) => Buffer.byteLength(line ?? '');

/** Returns why a line can't be asked, within the room that lines have. */
async function refusalIn(line: Line): Promise<Refusal | undefined> {
  const giveBack = await reserveBytes(bytesOf(line));
  try {
    return refusalOf(line);
  } finally {
    giveBack();
  }
}

/** What came of each line, in the file's order. */
async function* allResults(file: RequestFile, done: Set<number>): AsyncGenerator<LineStep> {
  const steps = stepsBetween<LineStep>(file.job, lineName(1), lastLine);
  for await (const line of linesIn(file)) {
    if (line.line?.trim() === '') continue;
    const step = done.has(line.number)
      ? (await steps.next()).value?.value
      : (await refusalIn(line))?.step;
    if (step) yield step;
  }
}

/** What came of the lines that were asked. */
async function* askedResults(job: ClaimedJob): AsyncGenerator<LineStep> {
  for await (const { value } of stepsBetween<LineStep>(job, lineName(1), lastLine)) yield value;
}

/** Ends a job that was stopped with the lines that were asked by then. */
export async function keptLines(job: ClaimedJob): Promise<RunEnd> {
  const folder = await newTempDir();
  try {
    return await finish(job, join(folder, 'results'), askedResults(job));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What was answered is the job's result, and is written to the drive unless the job was stopped. */
async function finish(
  job: ClaimedJob,
  path: string,
  steps: AsyncIterable<LineStep>,
): Promise<RunEnd> {
  const result: ChatBatchResult = {
    type: 'chat_batch',
    lines: { total: 0, completed: 0, failed: 0 },
    content: null,
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    cost_usd: 0,
  };
  let cost = 0;
  async function* results(): AsyncGenerator<string> {
    for await (const step of steps) {
      count(result, step);
      cost += step.cost;
      yield `${JSON.stringify(step.output)}\n`;
    }
  }
  try {
    await pipeline(Readable.from(results()), createWriteStream(path));
    const file = { suffix: '.result.jsonl', mimeType: 'application/jsonl', path } as const;
    const { error } = job.stop_reason ? {} : await deliver(job, file);
    const { text = null, text_object } = await keepFile(job, 'results.jsonl', path);
    const whole = { ...result, content: text, cost_usd: toUsd(cost) };
    return completionOf(job, whole, {
      ...(text_object && { text_object }),
      ...(error && { error }),
    });
  } finally {
    await rm(path, { force: true });
  }
}

function count({ lines, usage }: ChatBatchResult, { failed, ...line }: LineStep): void {
  lines.total += 1;
  if (failed) lines.failed += 1;
  else lines.completed += 1;
  usage.prompt_tokens += line.usage.prompt_tokens;
  usage.completion_tokens += line.usage.completion_tokens;
  usage.total_tokens += line.usage.total_tokens;
}

/** The lines of a file of requests with their numbers, blank ones too. A byte order mark may begin the file. */
async function* linesIn({ job, path, models }: RequestFile): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of linesOf(path, maxLineBytes)) {
    number += 1;
    yield { job, line: number === 1 ? text?.replace(/^\uFEFF/, '') : text, number, models };
  }
}
