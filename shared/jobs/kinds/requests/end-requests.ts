import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newTempDir } from '../../../temp-dir.ts';
import type { Claimed } from '../../engine/item/job.ts';
import { keepFile } from '../../engine/item/objects.ts';
import { stepsBetween } from '../../engine/item/steps.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { completionOf } from '../../results/keep-result.ts';
import { deliver } from '../../sources/delivery.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import { type FileLine, type LineStep, lastLineName, lineName } from './file-line.ts';
import { linesIn, type RequestFile, refusalIn } from './request-file.ts';
import { writeResults } from './write-results.ts';

/** Ends a job, once all lines have been asked or refused, with their results. */
export const endRequests = (file: RequestFile): Promise<RunEnd> =>
  finish(file.job, `${file.path}.results`, allResults(file));

/** The outcome of each line, in the file's order; `unasked` is the outcome of a line that was not asked. */
export async function* allResults(
  file: RequestFile,
  unasked?: (line: FileLine) => LineStep,
): AsyncGenerator<LineStep> {
  const steps = stepsBetween<LineStep>(file.job, lineName(1), lastLineName);
  for await (const line of linesIn(file)) {
    if (line.line?.trim() === '') continue;
    const step = file.kept.done.has(line.number)
      ? (await steps.next()).value?.value
      : (unasked?.(line) ?? (await refusalIn(line))?.step);
    if (step) yield step;
  }
}

/** Ends a job that was stopped with the lines that were asked by then. */
export async function keptLines(job: Claimed<SourceJob>): Promise<RunEnd> {
  await using folder = await newTempDir();
  const asked = stepsBetween<LineStep>(job, lineName(1), lastLineName);
  return await finish(job, join(folder.path, 'results'), valuesOf(asked));
}

async function* valuesOf<Value>(steps: AsyncIterable<{ value: Value }>): AsyncGenerator<Value> {
  for await (const { value } of steps) yield value;
}

/** What was answered is the job's result, and is written to the drive unless the job was stopped. */
async function finish(
  job: Claimed<SourceJob>,
  path: string,
  steps: AsyncIterable<LineStep>,
): Promise<RunEnd> {
  try {
    const result = await writeResults(steps, path, path);
    const file = { suffix: '.result.jsonl', mimeType: 'application/jsonl', path } as const;
    const delivery = job.stop_reason ? {} : await deliver(job, file);
    const { text = null, text_object } = await keepFile(job, 'results.jsonl', path);
    const beside = { ...(text_object && { text_object }), ...delivery };
    return completionOf(job, { ...result, content: text }, beside);
  } finally {
    await rm(path, { force: true });
  }
}
