import { toUsd } from '../../../ledger/terms/nano-usd.ts';
import { TextFile } from '../../../text-file.ts';
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
  await using file = new TextFile(path);
  await using other = failedPath === path ? null : new TextFile(failedPath);
  for await (const step of steps) {
    count(result, step);
    cost += step.cost;
    await ((step.failed && other) || file).write(`${JSON.stringify(step.output)}\n`);
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
