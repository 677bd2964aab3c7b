import * as v from 'valibot';
import { ask } from '../../chat/ask.ts';
import { CompletionRequest, upstreamBody } from '../../chat/completion-request.ts';
import { ServiceError } from '../../http/errors.ts';
import { findModel } from '../../models/catalogue.ts';
import { endOfWait, isPermanent } from '../failure.ts';
import type { SourcedJob } from '../files/source.ts';
import type { TokenCounts } from '../result.ts';
import { saveStep, stepWrite } from '../steps.ts';
import { beginStep } from '../watch.ts';
import { tagsOf } from './ask.ts';

/** One line's result in the OpenAI batch format; `cost` in nano-dollars. */
export interface LineStep {
  output: object;
  failed: boolean;
  usage: TokenCounts;
  cost: number;
}

/** Names sort as lines do. */
export const lineName = (line: number) => `line_${String(line).padStart(6, '0')}`;

/** A request to the API may have no more. */
export const maxLineBytes = 6 * 1024 * 1024;

interface Line {
  job: SourcedJob;
  /** Undefined if it is longer than a line may be. */
  line: string | undefined;
  number: number;
  /** The models that the key may use; null is any. */
  models: readonly string[] | null;
}

const BatchLine = v.pipe(
  v.string(),
  v.parseJson(),
  v.looseObject({
    custom_id: v.pipe(v.string(), v.nonEmpty()),
    method: v.optional(v.literal('POST')),
    url: v.optional(v.literal('/v1/chat/completions')),
    body: v.looseObject({}),
  }),
);

const nothingUsed: TokenCounts = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/**
 * Runs one line's request, once. If something is wrong with the line itself, its result says so. Returns
 * whether the line was answered.
 */
export async function answerLine(line: Line, signal: AbortSignal): Promise<boolean> {
  const { job, number } = line;
  await beginStep(job);
  if (line.line === undefined) {
    const mb = maxLineBytes / 1024 / 1024;
    return saveInvalid(line, null, `it is longer than the ${mb} MB that a line may have.`);
  }
  const read = v.safeParse(BatchLine, line.line);
  const name = lineName(number);
  if (!read.success) {
    const [issue] = read.issues;
    const where = v.getDotPath(issue);
    const message = `${where ? `${where}: ` : ''}${issue.message}`;
    return saveInvalid(line, customIdIn(line.line), message);
  }
  const { custom_id, body } = read.output;
  const toOutput = (status_code: number, answer: unknown) => ({
    id: idOf(line),
    custom_id,
    response: { status_code, request_id: idOf(line), body: answer },
    error: null,
  });
  try {
    await ask(callOf(line, body, signal), async ({ usage, cost }, completion) => {
      const output = toOutput(200, completion);
      return [await stepWrite(job, name, { output, failed: false, usage, cost })];
    });
    return true;
  } catch (error) {
    if (!isLinesFault(error, job, signal)) throw error;
    const { statusCode, message, code } = error as ServiceError;
    const said = { error: { message, type: 'invalid_request_error', param: null, code } };
    const output = toOutput(statusCode, said);
    await saveStep(job, name, { output, failed: true, usage: nothingUsed, cost: 0 });
    return false;
  }
}

async function saveInvalid(line: Line, custom_id: string | null, wrong: string): Promise<boolean> {
  const message = `Line ${line.number}: ${wrong}`;
  const error = { code: 'invalid_line', message };
  const output = { id: idOf(line), custom_id, response: null, error };
  const step = { output, failed: true, usage: nothingUsed, cost: 0 };
  await saveStep(line.job, lineName(line.number), step);
  return false;
}

const idOf = ({ job, number }: Line) => `batch_req_${job.job_id.slice('job_'.length)}_${number}`;

function callOf({ job, models }: Line, body: object, signal: AbortSignal) {
  const request = requestOf({ model: job.model, ...body });
  const model = findModel(request.model);
  if (!model || !(models?.includes(model.id) ?? true)) {
    throw new ServiceError(404, 'model_not_found', `The model ${request.model} does not exist.`);
  }
  const subject = { tags: tagsOf(job), job_id: job.job_id };
  return { keyId: job.key_id, model, body: upstreamBody(model, request), subject, signal };
}

/** A stream makes no sense in a file. */
function requestOf(body: object): CompletionRequest {
  const read = v.safeParse(CompletionRequest, { ...body, stream: false });
  if (read.success) return read.output;
  const [issue] = read.issues;
  const message = `${v.getDotPath(issue) ?? 'body'}: ${issue.message}`;
  throw new ServiceError(400, 'invalid_request_error', message);
}

/** Whether an error is the line's result. The job waits for its key's limits, and retries what passes with time. */
function isLinesFault(error: unknown, job: SourcedJob, signal: AbortSignal): boolean {
  if (!(error instanceof ServiceError) || signal.aborted || endOfWait(job, error)) return false;
  return isPermanent(error) || job.retry_count >= job.max_retries;
}

/** A line that breaks a rule may still have its `custom_id`. */
function customIdIn(line: string): string | null {
  const read = v.safeParse(
    v.pipe(v.string(), v.parseJson(), v.object({ custom_id: v.string() })),
    line,
  );
  return read.success ? read.output.custom_id : null;
}
