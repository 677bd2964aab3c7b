import * as v from 'valibot';
import { ask } from '../../chat/ask.ts';
import { CompletionRequest, upstreamBody } from '../../chat/completion-request.ts';
import { ServiceError } from '../../http/errors.ts';
import { faultIn } from '../../http/field-errors.ts';
import { excessIn, readJson } from '../../http/read-json.ts';
import { usableModel } from '../../keys/usable-models.ts';
import { metadataOf } from '../../ledger/metadata.ts';
import type { Model } from '../../models/catalogue.ts';
import { isLast } from '../failure.ts';
import type { SourcedJob } from '../files/source.ts';
import type { TokenCounts } from '../result.ts';
import { chargeSubjectOf, saveStep, stepWrite } from '../steps.ts';
import { beginStep } from '../watch.ts';

/** One line's result in the OpenAI batch format; `cost` in nano-dollars. */
export interface LineStep {
  output: object;
  failed: boolean;
  usage: TokenCounts;
  cost: number;
}

/** Names sort as lines do, up to 999,999: far beyond the lines that a file may have. */
export const lineName = (line: number) => `line_${String(line).padStart(6, '0')}`;

/** Sorts after the name of every line. */
export const lastLineName = 'line_~';

/** The number of the line that a name stands for. */
export const numberOf = (name: string) => Number(name.slice('line_'.length));

/** A request to the API may have no more. */
export const maxLineBytes = 6 * 1024 * 1024;

/** One line of a file of requests. */
export interface FileLine {
  job: SourcedJob;
  /** Undefined if it is longer than a line may be. */
  line: string | undefined;
  number: number;
  /** The models that the key may use; null is any. */
  models: readonly string[] | null;
}

/** What a line asks of a model. */
interface LineRequest {
  custom_id: string;
  model: Model;
  body: ReturnType<typeof upstreamBody>;
  /** The line's own tags. Its charge has the job's beside them. */
  metadata: CompletionRequest['metadata'];
}

const BatchLine = v.looseObject({
  custom_id: v.pipe(v.string(), v.nonEmpty()),
  method: v.optional(v.literal('POST')),
  url: v.optional(v.literal('/v1/chat/completions')),
  body: v.looseObject({}),
});

/** The line's own object is no level of the request in it. */
const levelsAround = 1;

const nothingUsed: TokenCounts = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** Why a line can't be asked, and its entry in the result. The same line always has the same refusal. */
export interface Refusal {
  wrong: string;
  step: LineStep;
}

/** Returns why a line can't be asked; undefined if it can. */
export function refusalOf(line: FileLine): Refusal | undefined {
  const read = readLine(line);
  return 'wrong' in read ? read : undefined;
}

/**
 * Runs one line's request, once. Returns whether the line was answered; undefined for one that can't be asked, which
 * writes nothing: a file may have many, and they are paid by nobody.
 */
export async function answerLine(
  line: FileLine,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const { job } = line;
  await beginStep(job);
  const request = readLine(line);
  if ('wrong' in request) return undefined;
  const name = lineName(line.number);
  const { custom_id, model, body, metadata } = request;
  const subject = chargeSubjectOf({ ...job, ...metadataOf({ ...job.metadata, ...metadata }) });
  const call = { keyId: job.key_id, model, body, subject, signal };
  try {
    await ask(call, async ({ usage, cost }, completion) => {
      const output = responseTo(line, custom_id, 200, completion);
      return { writes: [await stepWrite(job, name, { output, failed: false, usage, cost })] };
    });
    return true;
  } catch (error) {
    if (!isLinesFault(error, job, signal)) throw error;
    await saveStep(job, name, failedStep(line, custom_id, error as ServiceError));
    return false;
  }
}

function readLine(line: FileLine): LineRequest | Refusal {
  if (line.line === undefined) {
    const mb = maxLineBytes / 1024 / 1024;
    return invalid(line, null, `it is longer than the ${mb} MB that a line may have.`);
  }
  const excess = excessIn(line.line, levelsAround);
  if (excess?.type === 'too_long') return invalid(line, null, excess.msg);
  const json = readJson(line.line);
  if ('fault' in json) {
    const { column, reason } = json.fault;
    return invalid(line, null, `JSON decode error at column ${column}: ${reason}`);
  }
  const read = v.safeParse(BatchLine, json.value, { abortEarly: true });
  if (!read.success) {
    return invalid(line, customIdIn(json.value), faultIn(read.issues[0], 'the line'));
  }
  const { custom_id, body } = read.output;
  try {
    if (excess) throw new ServiceError(400, 'invalid_request_error', `body: ${excess.msg}`);
    return { custom_id, ...requestOf(line, body) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { wrong: error.message, step: failedStep(line, custom_id, error) };
  }
}

function invalid(line: FileLine, custom_id: string | null, wrong: string): Refusal {
  const error = { code: 'invalid_line', message: `Line ${line.number}: ${wrong}` };
  const output = { id: idOf(line), custom_id, response: null, error };
  return { wrong, step: { output, failed: true, usage: nothingUsed, cost: 0 } };
}

function failedStep(line: FileLine, custom_id: string, error: ServiceError): LineStep {
  const { statusCode, message, code } = error;
  const said = { error: { message, type: 'invalid_request_error', param: null, code } };
  const output = responseTo(line, custom_id, statusCode, said);
  return { output, failed: true, usage: nothingUsed, cost: 0 };
}

const responseTo = (line: FileLine, custom_id: string, status_code: number, body: unknown) => ({
  id: idOf(line),
  custom_id,
  response: { status_code, request_id: idOf(line), body },
  error: null,
});

const idOf = ({ job, number }: FileLine) =>
  `batch_req_${job.job_id.slice('job_'.length)}_${number}`;

function requestOf({ job, models }: FileLine, body: object): Omit<LineRequest, 'custom_id'> {
  const request = completionRequestOf({ model: job.model, ...body });
  const model = usableModel(models, request.model);
  if (!model) {
    throw new ServiceError(404, 'model_not_found', `The model ${request.model} does not exist.`);
  }
  return { model, body: upstreamBody(model, request), metadata: request.metadata };
}

/** A stream makes no sense in a file. */
function completionRequestOf(body: object): CompletionRequest {
  const read = v.safeParse(CompletionRequest, { ...body, stream: false }, { abortEarly: true });
  if (read.success) return read.output;
  const [issue] = read.issues;
  throw new ServiceError(400, 'invalid_request_error', faultIn(issue, 'body'));
}

/** Whether an error is the line's result. The job waits for its key's limits, and retries what passes with time. */
function isLinesFault(error: unknown, job: SourcedJob, signal: AbortSignal): boolean {
  return error instanceof ServiceError && !signal.aborted && isLast(job, error);
}

/** A line that breaks a rule may still have its `custom_id`. */
function customIdIn(value: unknown): string | null {
  const read = v.safeParse(v.object({ custom_id: v.string() }), value);
  return read.success ? read.output.custom_id : null;
}
