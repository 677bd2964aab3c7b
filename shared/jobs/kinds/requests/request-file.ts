import { createReadStream } from 'node:fs';
import { maxBodyBytes } from '../../../http/bounds.ts';
import { ServiceError } from '../../../http/errors.ts';
import { linesOf } from '../../../lines.ts';
import { type ClaimedJob, roomOf } from '../../engine/item/job.ts';
import { saveStep, stepFields } from '../../engine/item/steps.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { readKeyOf } from '../../engine/run/watch.ts';
import { withFile } from '../../sources/source-file.ts';
import type { Sourced } from '../../sources/source-job.ts';
import {
  bytesOf,
  type FileLine,
  type LineStep,
  lastLineName,
  lineName,
  maxLines,
  numberOf,
  type RequestsJob,
} from './file-line.ts';
import { failedStep } from './line-results.ts';
import { type Refusal, readLine } from './read-line.ts';

/** A file of requests that is on this machine, as a run of its job asks its lines. */
export interface RequestFile<Its extends RequestsJob = RequestsJob> {
  job: Sourced<Its>;
  path: string;
  /** The models that the key may use; null is any. Read once, so that a run refuses the same lines throughout. */
  models: readonly string[] | null;
  /** The outcomes of its lines so far. */
  kept: Outcomes;
  signal: AbortSignal;
}

/** Gets a job's file of requests onto this machine for as long as it is used. */
export const withRequests = <Its extends RequestsJob>(
  job: Sourced<Its>,
  signal: AbortSignal,
  use: (file: RequestFile<Its>) => Promise<RunEnd>,
): Promise<RunEnd> =>
  withFile(
    job.source_object,
    async (path) => {
      const { models } = await readKeyOf(job);
      return use({ job, path, models, kept: await keptOutcomes(job), signal });
    },
    signal,
  );

/** The lines of a file of requests with their numbers, blank ones too. A byte order mark may begin the file. */
export async function* linesIn({ job, path, models }: RequestFile): AsyncGenerator<FileLine> {
  let number = 0;
  for await (const text of linesOf(createReadStream(path), maxBodyBytes)) {
    number += 1;
    yield { job, line: number === 1 ? text?.replace(/^\uFEFF/, '') : text, number, models };
  }
}

/** Counts the lines that are not blank. A file that was begun is finished, though its key lost all its models. */
export async function countLines(file: RequestFile, isBegun: boolean): Promise<number> {
  let total = 0;
  let firstWrong: string | undefined;
  let canBeAsked = isBegun;
  for await (const line of linesIn(file)) {
    if (line.number > maxLines) throw tooManyLines(file.job);
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

const tooManyLines = ({ filename }: Sourced) =>
  new ServiceError(
    422,
    'too_many_lines',
    `${filename} has more than the ${maxLines.toLocaleString('en')} lines that a file of requests may have.`,
  );

const noRequests = ({ filename }: Sourced, firstWrong: string) =>
  new ServiceError(422, 'invalid_lines', `No line of ${filename} can be asked. ${firstWrong}`);

/** Returns why a line can't be asked, within the room that lines have. */
export async function refusalIn(line: FileLine): Promise<Refusal | undefined> {
  using _room = await roomOf(line.job, bytesOf(line));
  const read = readLine(line);
  return 'wrong' in read ? read : undefined;
}

/** The lines that have a step, by their numbers, and how many of them failed. */
export interface Outcomes {
  done: Set<number>;
  failed: number;
}

/** Reads which lines of a job were asked by now. */
export async function keptOutcomes(job: ClaimedJob): Promise<Outcomes> {
  const kept: Outcomes = { done: new Set(), failed: 0 };
  const steps = stepFields<LineStep>(job, lineName(1), lastLineName, 'failed');
  for await (const { name, value } of steps) {
    kept.done.add(numberOf(name));
    if (value?.failed) kept.failed += 1;
  }
  return kept;
}

/** Keeps an error as the result of a line. */
export async function failLine(
  { job, kept }: RequestFile,
  line: FileLine,
  custom_id: string,
  error: ServiceError,
): Promise<void> {
  await saveStep(job, lineName(line.number), failedStep(line, custom_id, error));
  kept.done.add(line.number);
  kept.failed += 1;
}
