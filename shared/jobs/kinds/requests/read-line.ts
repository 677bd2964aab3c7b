import * as v from 'valibot';
import { maxBodyBytes } from '../../../http/bounds.ts';
import { ServiceError } from '../../../http/errors.ts';
import { faultIn } from '../../../http/field-errors.ts';
import { excessIn, readJson } from '../../../http/read-json.ts';
import { dictionary } from '../../../http/schema.ts';
import { defaultEndpoint, type FileLine, type LineStep, type RequestsJob } from './file-line.ts';
import { failedStep, failedWith, outputOf, paramOf } from './line-results.ts';
import { type LineQuestion, lineEndpoints } from './read-line-body.ts';

/** What a line asks of a model, and under which name its answer is looked for. */
export interface LineRequest extends LineQuestion {
  custom_id: string;
}

/** A batch says which route all of its lines name. In other files they may leave it out, and the method with it. */
function lineSchemaOf({ endpoint }: RequestsJob) {
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

/** Why a line can't be asked, and its entry in the result. The same line always has the same refusal. */
export interface Refusal {
  wrong: string;
  code: string;
  param: string | null;
  step: LineStep;
}

/** Reads a line: what it asks, or why it can't be asked. */
export function readLine(line: FileLine): LineRequest | Refusal {
  if (line.line === undefined) {
    const mb = maxBodyBytes / 1024 / 1024;
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
    const { message: wrong, code } = error;
    const step = failedStep(line, custom_id, error);
    return { wrong, code, param: paramOf(error), step };
  }
}

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

/** The codes are OpenAI's for lines of batches. */
function codeOf(issue: v.BaseIssue<unknown> | undefined, field: string | undefined): string {
  if (!issue || field === undefined) return 'invalid_json_line';
  if (issue.input === undefined) return 'missing_required_parameter';
  if (field === 'url') return 'url_mismatch';
  return field === 'method' ? 'invalid_method' : 'invalid_value';
}

/** A stream makes no sense in a file: a batch that asks for one is refused, as it is elsewhere. */
function requestOf(
  { job, models }: FileLine,
  { stream, ...body }: Record<string, unknown>,
): LineQuestion {
  if (!job.endpoint) return lineEndpoints[defaultEndpoint]({ model: job.model, ...body }, models);
  if (stream === true) {
    throw new ServiceError(400, 'invalid_value', 'body.stream: a batch has no streams', {
      param: 'body.stream',
    });
  }
  return lineEndpoints[job.endpoint](body, models);
}

/** The result of a line that was not asked before its job was stopped. It is no failure of the line's. */
export function unaskedStep(line: FileLine, error: { code: string; message: string }): LineStep {
  const read = readLine(line);
  const { custom_id } = 'wrong' in read ? read.step.output : read;
  return { ...failedWith(outputOf(line, custom_id, null, error)), unasked: true };
}

/** A line that breaks a rule may still have its `custom_id`. */
function customIdIn(value: unknown): string | null {
  const read = v.safeParse(v.object({ custom_id: v.string() }), value);
  return read.success ? read.output.custom_id : null;
}
