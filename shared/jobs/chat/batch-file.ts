import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
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
import { stepNames, stepsBetween } from '../steps.ts';
import { readKeyOf } from '../watch.ts';
import { answerLine, type LineStep, lineName, maxLineBytes } from './batch-line.ts';

/** Lines of one file that are asked at once. */
const linesAtOnce = 8;

/**
 * Runs a file of requests in the OpenAI batch format, line by line. Its result is a file in that format, in the
 * lines' order. A line that was answered stays answered.
 *
 * @see https://platform.openai.com/docs/guides/batch
 */
export function runBatchFile(job: SourcedJob, signal: AbortSignal): Promise<RunEnd> {
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
  const { models } = await readKeyOf(job);
  const limit = pLimit(linesAtOnce);
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const total = await countLines(path);
  let failed = job.progress?.failed ?? 0;
  const note = () =>
    noteProgress(job, { done: answered.size - failed, total, failed, unit: 'lines' });
  note();
  let read = 0;
  for await (const text of linesOf(path, maxLineBytes)) {
    // A byte order mark may begin the file.
    const line = read === 0 ? text?.replace(/^\uFEFF/, '') : text;
    read += 1;
    const number = read;
    const name = lineName(number);
    if (line?.trim() === '' || answered.has(name)) continue;
    const giveBack = await reserveBytes(Buffer.byteLength(line ?? ''));
    const run = limit(() => answerLine({ job, line, number, models }, signal))
      .then((isAnswered) => {
        answered.add(name);
        if (!isAnswered) failed += 1;
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

/** How many lines of a file are not blank. */
async function countLines(path: string): Promise<number> {
  let count = 0;
  for await (const line of linesOf(path, maxLineBytes)) if (line?.trim() !== '') count += 1;
  return count;
}

/** Ends a job that was stopped with the lines that were answered by then. */
export async function keptLines(job: ClaimedJob): Promise<RunEnd> {
  const folder = await newTempDir();
  try {
    return await finish(job, join(folder, 'results'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What was answered is the job's result, and is written to the drive unless the job was stopped. */
async function finish(job: ClaimedJob, path: string): Promise<RunEnd> {
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

const lineFeed = 0x0a;

/**
 * The lines of a file, read no faster than they are taken. A line of more than `maxBytes` is undefined:
 * it is never held whole.
 */
export async function* linesOf(path: string, maxBytes: number): AsyncGenerator<string | undefined> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const add = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxBytes) pieces = [];
    else pieces.push(piece);
  };
  const take = () => {
    const line = bytes > maxBytes ? undefined : Buffer.concat(pieces).toString();
    pieces = [];
    bytes = 0;
    return line;
  };

  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (bytes > 0) yield take();
}

/** How many bytes of lines a process works on at once, of all its files: a line takes several times its size. */
const maxLineBytesHeld = 24 * 1024 * 1024;

let heldBytes = 0;
let waiting: (() => void)[] = [];

/** Waits until there is room for a line of so many bytes; returns how to give the room back. */
export async function reserveBytes(bytes: number): Promise<() => void> {
  while (heldBytes > 0 && heldBytes + bytes > maxLineBytesHeld) {
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  heldBytes += bytes;
  return () => {
    heldBytes -= bytes;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
}
