import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import { readKey } from '../keys/key.ts';
import { toUsd } from '../ledger/nano-usd.ts';
import { answerLine, type LineStep, lineName, longestLineBytes } from './batch-line.ts';
import { keepFile } from './bodies.ts';
import { deliver } from './delivery.ts';
import { linesOf } from './file-lines.ts';
import { updateJob, whileLeased } from './job-update.ts';
import { roomFor } from './line-room.ts';
import type { ChatBatchResult } from './result.ts';
import type { SourcedJob } from './source.ts';
import { withFile } from './source-file.ts';
import { stepNames, stepsBetween } from './steps.ts';
import { continueJob } from './suspension.ts';
import { completeJob } from './transitions.ts';
import type { RunEnd } from './worker.ts';

/** Lines of one file that are asked at once. */
const linesAtOnce = 8;

/**
 * Runs a file of requests in the OpenAI batch format, line by line, and answers with a file of results in
 * that format, in the lines' order. A line that was answered stays answered.
 */
export function runBatchLines(job: SourcedJob, signal: AbortSignal): Promise<RunEnd> {
  return withFile(
    job.source_object,
    async (path) => {
      const answered = await stepNames(job, lineName(1), lastLine);
      const before = answered.size;
      try {
        await answerLines(job, path, answered, signal);
      } catch (error) {
        if (signal.aborted && answered.size > before) return () => continueJob(job);
        throw error;
      }
      return finish(job, `${path}.results`);
    },
    signal,
  );
}

const lastLine = 'line_~';

async function answerLines(
  job: SourcedJob,
  path: string,
  answered: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const { models } = await readKey(job.key_id);
  const limit = pLimit(linesAtOnce);
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let read = 0;
  for await (const text of linesOf(path, longestLineBytes)) {
    // A byte order mark may begin the file.
    const line = read === 0 ? text?.replace(/^\uFEFF/, '') : text;
    read += 1;
    // The line's own: what is counted goes on before the line gets its turn.
    const number = read;
    const name = lineName(number);
    if (line?.trim() === '' || answered.has(name)) continue;
    const giveBack = await roomFor(Buffer.byteLength(line ?? ''));
    const run = limit(() => answerLine({ job, line, number, models }, signal))
      .then(() => void answered.add(name))
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

async function finish(job: SourcedJob, path: string): Promise<RunEnd> {
  const result: ChatBatchResult = {
    type: 'chat_batch',
    lines: { total: 0, completed: 0, failed: 0 },
    content: null,
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    cost_usd: 0,
  };
  let cost = 0;
  async function* results(): AsyncGenerator<string> {
    for await (const { value } of stepsBetween<LineStep>(job, lineName(1), lastLine)) {
      count(result, value);
      cost += value.cost;
      yield `${JSON.stringify(value.output)}\n`;
    }
  }
  try {
    await pipeline(Readable.from(results()), createWriteStream(path));
    const delivery = await deliver(job, {
      suffix: '.result.jsonl',
      mimeType: 'application/jsonl',
      path,
    });
    const kept = await keepFile(job, 'results.jsonl', path);
    if (kept.text_object)
      await updateJob(job, { ...whileLeased(job), set: { text_object: kept.text_object } });
    const whole = { ...result, content: kept.text ?? null, cost_usd: toUsd(cost) };
    return () => completeJob(job, whole, delivery.error);
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
