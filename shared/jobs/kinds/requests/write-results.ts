import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { toUsd } from '../../../ledger/terms/nano-usd.ts';
import type { ChatBatchResult } from '../../results/result.ts';
import type { LineStep } from './file-line.ts';

/** Writes results to a file, and failures to another or the same. Returns their counts. */
export async function writeResults(
  steps: AsyncIterable<LineStep>,
  path: string,
  failedPath: string,
): Promise<ChatBatchResult> {
  const result: ChatBatchResult = {
    type: 'chat_batch',
    lines: { total: 0, completed: 0, failed: 0 },
    content: null,
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    cost_usd: 0,
  };
  let cost = 0;
  const file = new LineFile(path);
  const failedFile = failedPath === path ? file : new LineFile(failedPath);
  try {
    for await (const step of steps) {
      count(result, step);
      cost += step.cost;
      await (step.failed ? failedFile : file).write(step.output);
    }
  } finally {
    await Promise.all([file.end(), failedFile.end()]);
  }
  return { ...result, cost_usd: toUsd(cost) };
}

function count({ lines, usage }: ChatBatchResult, step: LineStep): void {
  lines.total += 1;
  if (!step.failed) lines.completed += 1;
  else if (!step.unasked) lines.failed += 1;
  usage.prompt_tokens += step.usage.prompt_tokens;
  usage.completion_tokens += step.usage.completion_tokens;
  usage.total_tokens += step.usage.total_tokens;
}

/** A file of JSON lines that is written no faster than the disk takes it. */
class LineFile {
  private readonly stream;
  private readonly whole: Promise<void>;

  constructor(path: string) {
    this.stream = createWriteStream(path);
    this.whole = finished(this.stream);
    // Whoever ends it is told what went wrong.
    this.whole.catch(() => {});
  }

  async write(value: object): Promise<void> {
    if (!this.stream.write(`${JSON.stringify(value)}\n`)) await once(this.stream, 'drain');
  }

  async end(): Promise<void> {
    this.stream.end();
    await this.whole;
  }
}
