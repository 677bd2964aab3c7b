import * as v from 'valibot';
import { askWhole } from '../../chat/ask.ts';
import { ServiceError, UnprocessableEntityError } from '../../http/errors.ts';
import { faultIn } from '../../http/field-errors.ts';
import { excessIn, readJson } from '../../http/read-json.ts';
import { dictionary } from '../../http/schema.ts';
import { BudgetExceededError } from '../../ledger/limit-errors.ts';
import { metadataOf } from '../../ledger/metadata.ts';
import { isLast } from '../failure.ts';
import type { SourcedJob } from '../files/source.ts';
import type { Job } from '../job.ts';
import type { TokenCounts } from '../result.ts';
import { chargeSubjectOf, saveStep, stepWrite } from '../steps.ts';
import { beginStep } from '../watch.ts';
import { defaultEndpoint } from './line-endpoint.ts';
import { type LineQuestion, lineEndpoints } from './line-endpoints.ts';

/** One line's result in the OpenAI batch format; `cost` in nano-dollars. */
export interface LineStep {
  output: object;
  failed: boolean;
  usage: TokenCounts;
  cost: number;
  /** Whether its job was stopped before it was asked. */
  unasked?: true;
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

/** How many bytes a line takes. */
export const bytesOf = ({ line }: FileLine) => Buffer.byteLength(line ?? '');

/** The same with its answer, where that may be much longer. */
export function bytesWithAnswer(line: FileLine): number {
  if (!line.job.endpoint || line.job.endpoint === defaultEndpoint) return bytesOf(line);
  const read = readLine(line);
  return bytesOf(line) + (('answerBytes' in read && read.answerBytes) || 0);
}

/** What a line asks of a model, and under which name its answer is looked for. */
interface LineRequest extends LineQuestion {
  custom_id: string;
}

/** A batch says which route all of its lines name. In other files they may leave it out, and the method with it. */
function lineSchemaOf({ endpoint }: Job) {
  const method = v.literal('POST');
  const url = v.literal(endpoint ?? defaultEndpoint);
  return dictionary(
    v.looseObject({
      custom_id: v.pipe(v.string(), v.nonEmpty()),
      method: endpoint ? method : v.optional(method),
      url: endpoint ? url : v.optional(url),
      body: dictionary(v.looseObject({})),
    }),
  );
}

/** The line's own object is no level of the request in it. */
const levelsAround = 1;

const nothingUsed: TokenCounts = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** Why a line can't be asked, and its entry in the result. The same line always has the same refusal. */
export interface Refusal {
  wrong: string;
  code: string;
  param: string | null;
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
  const { custom_id, model, dialect, body, metadata, toAnswer = (text) => text } = request;
  const does = dialect === 'embeddings' ? dialect : 'chat';
  const tagged = { ...job, ...metadataOf({ ...job.metadata, ...metadata }) };
  const subject = chargeSubjectOf(tagged, does);
  const call = { keyId: job.key_id, model, dialect, body, subject, signal };
  try {
    await askWhole(call, toAnswer, async ({ usage, cost, body }) => {
      const output = responseTo(line, custom_id, 200, body);
      return { writes: [await stepWrite(job, name, { output, failed: false, usage, cost })] };
    });
    return true;
  } catch (error) {
    if (!isLinesFault(error, job, signal)) throw error;
    await saveStep(job, name, failedStep(line, custom_id, error as ServiceError));
    return false;
  }
}

/** Reads a line: what it asks, or why it can't be asked. */
export function readLine(line: FileLine): LineRequest | Refusal {
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
  const read = v.safeParse(lineSchemaOf(line.job), json.value, { abortEarly: true });
  if (!read.success) {
    const [issue] = read.issues;
    return invalid(line, customIdIn(json.value), faultIn(issue, 'the line'), issue);
  }
  const { custom_id, body } = read.output;
  try {
    if (excess) throw new ServiceError(400, 'invalid_request_error', `body: ${excess.msg}`);
    return { custom_id, ...requestOf(line, body) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { message, code } = error;
    return {
      wrong: message,
      code,
      param: paramOf(error),
      step: failedStep(line, custom_id, error),
    };
  }
}

/** The field of a line that an error is about. */
const paramOf = (error: ServiceError) =>
  error instanceof UnprocessableEntityError
    ? (error.fields[0]?.loc.join('.') ?? null)
    : (error.param ?? null);

function invalid(
  line: FileLine,
  custom_id: string | null,
  wrong: string,
  issue?: v.BaseIssue<unknown>,
): Refusal {
  const error = { code: 'invalid_line', message: `Line ${line.number}: ${wrong}` };
  const step = failedWith(outputOf(line, custom_id, null, error));
  const path = issue?.path?.map(({ key }) => String(key)) ?? [];
  return { wrong, code: codeOf(issue, path[0]), param: path.join('.') || null, step };
}

/** The codes are those that OpenAI gives to lines of batches. */
function codeOf(issue: v.BaseIssue<unknown> | undefined, field: string | undefined): string {
  if (!issue || field === undefined) return 'invalid_json_line';
  if (issue.input === undefined) return 'missing_required_parameter';
  if (field === 'url') return 'url_mismatch';
  return field === 'method' ? 'invalid_method' : 'invalid_value';
}

/** The result of a line that was not asked before its job was stopped. It is no failure of the line's. */
export function unaskedStep(line: FileLine, error: { code: string; message: string }): LineStep {
  const read = readLine(line);
  const custom_id = 'wrong' in read ? null : read.custom_id;
  return { ...failedWith(outputOf(line, custom_id, null, error)), unasked: true };
}

const failedWith = (output: object): LineStep => ({
  ...{ output, failed: true, usage: nothingUsed, cost: 0 },
});

function failedStep(line: FileLine, custom_id: string, error: ServiceError): LineStep {
  const { statusCode, message, code } = error;
  const said = { error: { message, type: 'invalid_request_error', param: null, code } };
  return failedWith(responseTo(line, custom_id, statusCode, said));
}

const responseTo = (line: FileLine, custom_id: string, status_code: number, body: unknown) =>
  outputOf(line, custom_id, { status_code, request_id: idOf(line), body }, null);

const outputOf = (
  line: FileLine,
  custom_id: string | null,
  response: object | null,
  error: object | null,
) => ({ id: idOf(line), custom_id, response, error });

const idOf = ({ job, number }: FileLine) =>
  `batch_req_${job.job_id.slice('job_'.length)}_${number}`;

/** A stream makes no sense in a file: a batch that asks for one is refused, as it is elsewhere. */
function requestOf({ job, models }: FileLine, { stream, ...body }: LineBody): LineQuestion {
  if (!job.endpoint) return lineEndpoints[defaultEndpoint]({ model: job.model, ...body }, models);
  if (stream === true) {
    throw new ServiceError(400, 'invalid_value', 'body.stream: a batch has no streams', {
      param: 'body.stream',
    });
  }
  return lineEndpoints[job.endpoint](body, models);
}

interface LineBody {
  [name: string]: unknown;
  stream?: unknown;
}

/**
 * Whether an error is the line's result. The job waits for its key's limits, and retries what passes with time; but a
 * batch may ask not to wait for its budget.
 */
function isLinesFault(error: unknown, job: SourcedJob, signal: AbortSignal): boolean {
  if (!(error instanceof ServiceError) || signal.aborted) return false;
  return isLast(job, error) || (isOverBudget(error) && failsOnBudget(job));
}

const isOverBudget = (error: ServiceError) =>
  error instanceof BudgetExceededError && !error.isHeldUp;

/** Whether lines of a batch that its budget doesn't cover fail at once. */
const failsOnBudget = ({ endpoint, metadata }: Job) =>
  endpoint !== undefined && metadata?.['on_budget'] === 'fail';

/** A line that breaks a rule may still have its `custom_id`. */
function customIdIn(value: unknown): string | null {
  const read = v.safeParse(v.object({ custom_id: v.string() }), value);
  return read.success ? read.output.custom_id : null;
}
