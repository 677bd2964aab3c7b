import { type ServiceError, UnprocessableEntityError } from '../../../http/errors.ts';
import type { TokenCounts } from '../../results/result.ts';
import type { FileLine, LineOutput, LineStep } from './file-line.ts';

const nothingUsed: TokenCounts = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** The step of a line that failed. */
export const failedWith = (output: LineOutput): LineStep => ({
  output,
  failed: true,
  usage: nothingUsed,
  cost: 0,
});

/** The step of a line that an error ended. */
export function failedStep(line: FileLine, custom_id: string, error: ServiceError): LineStep {
  const { statusCode, message, code } = error;
  const param = paramOf(error);
  const said = { error: { message, type: 'invalid_request_error', param, code } };
  return failedWith(responseTo(line, custom_id, statusCode, said));
}

/** The field of a line that an error is about. */
export const paramOf = (error: ServiceError) =>
  error instanceof UnprocessableEntityError
    ? (error.fields[0]?.loc.join('.') ?? null)
    : (error.param ?? null);

/** The result of a line that was responded to. */
export const responseTo = (line: FileLine, custom_id: string, status_code: number, body: unknown) =>
  outputOf(line, custom_id, { status_code, request_id: idOf(line), body }, null);

/** The result of a line, in the OpenAI batch format. */
export const outputOf = (
  line: FileLine,
  custom_id: string | null,
  response: LineOutput['response'],
  error: LineOutput['error'],
): LineOutput => ({ id: idOf(line), custom_id, response, error });

const idOf = ({ job, number }: FileLine) =>
  `batch_req_${job.job_id.slice('job_'.length)}_${number}`;
