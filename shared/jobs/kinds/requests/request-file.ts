import { ServiceError } from '../../../http/errors.ts';
import type { SourcedJob } from '../../sources/source.ts';
import { bytesOf, type FileLine, maxLineBytes } from './file-line.ts';
import { linesOf, maxLines, reserveBytes } from './file-lines.ts';
import { type Refusal, refusalOf } from './read-line.ts';

/** A file of requests that is on this machine. */
export interface RequestFile {
  job: SourcedJob;
  path: string;
  /** The models that the key may use; null is any. Read once, so that a run refuses the same lines throughout. */
  models: readonly string[] | null;
}

/** The lines of a file of requests with their numbers, blank ones too. A byte order mark may begin the file. */
export async function* linesIn({ job, path, models }: RequestFile): AsyncGenerator<FileLine> {
  let number = 0;
  for await (const text of linesOf(path, maxLineBytes)) {
    number += 1;
    yield { job, line: number === 1 ? text?.replace(/^\uFEFF/, '') : text, number, models };
  }
}

/**
 * Counts the lines that are not blank, before one of them is asked. A file that was begun is finished,
 * though its key may use none of its models any more.
 */
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

const tooManyLines = ({ filename }: SourcedJob) =>
  new ServiceError(
    422,
    'too_many_lines',
    `${filename} has more than the ${maxLines.toLocaleString('en')} lines that a file of requests may have.`,
  );

const noRequests = ({ filename }: SourcedJob, firstWrong: string) =>
  new ServiceError(422, 'invalid_lines', `No line of ${filename} can be asked. ${firstWrong}`);

/** Returns why a line can't be asked, within the room that lines have. */
export async function refusalIn(line: FileLine): Promise<Refusal | undefined> {
  const giveBack = await reserveBytes(bytesOf(line));
  try {
    return refusalOf(line);
  } finally {
    giveBack();
  }
}
