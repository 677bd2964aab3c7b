import { hash } from 'node:crypto';
import { ServiceError } from '../../../http/errors.ts';
import type { Model } from '../../../models/catalogue.ts';
import { truncated } from '../../../truncated.ts';
import { instant, roomOf } from '../../engine/item/job.ts';
import { failJob } from '../../engine/item/job-end.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { bytesOf, maxLines } from '../requests/file-line.ts';
import { readLine } from '../requests/read-line.ts';
import { linesIn, type RequestFile } from '../requests/request-file.ts';
import type { BatchJob, LineError } from './batch-job.ts';
import { cannotHandOn } from './upstream/handed-line.ts';

/** The errors are an attribute of the job: within these bounds they are a few KB. */
const maxErrors = 50;
const maxMessage = 250;

/** The most inputs of all lines together, where lines have inputs: as many as OpenAI takes. */
const maxInputs = 50_000;

/** The result of the check: a batch that may begin, or the end of a bad one. */
export type Checked =
  | { begun: { in_progress_at: string; model: string }; total: number }
  | { end: RunEnd };

/** Reads all lines of a batch before the first is paid: a single bad line fails the batch at once. */
export async function checkLines(file: RequestFile<BatchJob>): Promise<Checked> {
  const errors: LineError[] = [];
  const ids = new Set<string>();
  let [total, wrong, inputs] = [0, 0, 0];
  let model: string | undefined;
  const note = (line: number | null, code: string, message: string, param: string | null) => {
    wrong += 1;
    if (errors.length === maxErrors) return;
    const named = param && truncated(param, maxMessage);
    errors.push({ code, message: truncated(message, maxMessage), param: named, line });
  };
  for await (const line of linesIn(file)) {
    file.signal.throwIfAborted();
    if (line.number > maxLines) throw tooManyLines();
    if (line.line?.trim() === '') continue;
    total += 1;
    using _room = await roomOf(file.job, bytesOf(line));
    const read = readLine(line);
    if ('wrong' in read) {
      note(line.number, read.code, read.wrong, read.param);
      continue;
    }
    model ??= read.model.id;
    if (cannotHandOn(file.job, read.model)) {
      note(line.number, 'invalid_value', noBatches(read.model), 'metadata.via');
    }
    inputs += read.inputs ?? 0;
    const id = digestOf(read.custom_id);
    if (ids.has(id)) note(line.number, 'duplicate_custom_id', duplicate, 'custom_id');
    ids.add(id);
  }
  if (total === 0) throw new ServiceError(422, 'empty_file', 'The input file has no lines.');
  if (inputs > maxInputs) throw tooManyInputs(inputs);
  if (wrong > 0 || model === undefined) return { end: failing(file, errors, wrong, total) };
  return { begun: { in_progress_at: instant(Date.now()), model }, total };
}

const failing = (
  { job }: RequestFile<BatchJob>,
  line_errors: LineError[],
  wrong: number,
  total: number,
): RunEnd => {
  const [first] = line_errors;
  const error = `invalid_lines: ${wrong} of ${total} lines can't be asked. Line ${first?.line}: ${first?.message}`;
  return () => failJob(job, error, { line_errors });
};

const noBatches = ({ id }: Model) => `No upstream of ${id} takes batches.`;

const duplicate = 'The custom_id is that of a line before it.';

/** An id may be as long as a line. */
const digestOf = (id: string) => hash('sha256', id, 'base64url');

const tooManyLines = () =>
  new ServiceError(
    422,
    'too_many_lines',
    `The input file has more than the ${maxLines.toLocaleString('en')} lines that a batch may have.`,
  );

const tooManyInputs = (inputs: number) =>
  new ServiceError(
    422,
    'too_many_inputs',
    `All lines together have ${inputs.toLocaleString('en')} inputs, and may have ${maxInputs.toLocaleString('en')}.`,
  );
