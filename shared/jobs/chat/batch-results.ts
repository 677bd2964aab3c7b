import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toUsd } from '../../ledger/nano-usd.ts';
import { newTempDir } from '../../temp-dir.ts';
import { deliver } from '../files/delivery.ts';
import type { ClaimedJob } from '../job.ts';
import { keepFile } from '../objects.ts';
import type { ChatBatchResult } from '../result.ts';
import { completionOf, type RunEnd } from '../run-leased.ts';
import { stepsBetween } from '../steps.ts';
import { type LineStep, lastLineName, lineName } from './batch-line.ts';
import { linesIn, type RequestFile, refusalIn } from './request-file.ts';

/** Ends a job whose lines have all been asked or refused, with what came of them. */
export const endWithAll = (file: RequestFile, done: Set<number>): Promise<RunEnd> =>
  finish(file.job, `${file.path}.results`, allResults(file, done));

/** What came of each line, in the file's order. */
async function* allResults(file: RequestFile, done: Set<number>): AsyncGenerator<LineStep> {
  const steps = stepsBetween<LineStep>(file.job, lineName(1), lastLineName);
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
  for await (const { value } of stepsBetween<LineStep>(job, lineName(1), lastLineName)) yield value;
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
