import { askWhole } from '../../../chat/ask.ts';
import { ServiceError } from '../../../http/errors.ts';
import { BudgetExceededError } from '../../../ledger/terms/limit-errors.ts';
import { metadataOf } from '../../../ledger/terms/metadata.ts';
import { chargeSubjectOf } from '../../asked/charge-subject.ts';
import { saveStep, stepWrite } from '../../engine/item/steps.ts';
import { isLast } from '../../engine/run/failure.ts';
import { beginStep } from '../../engine/run/watch.ts';
import { type FileLine, lineName, type RequestsJob } from './file-line.ts';
import { failedStep, responseTo } from './line-results.ts';
import { readLine } from './read-line.ts';

/** Runs one line's request, once. Returns whether it was answered; undefined, and no write, if it can't be asked. */
export async function answerLine(
  line: FileLine,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const { job } = line;
  await beginStep(job);
  const request = readLine(line);
  if ('wrong' in request) return undefined;
  const name = lineName(line.number);
  const { custom_id, metadata, toAnswer, ...asked } = request;
  const { dialect } = asked;
  const does = dialect === 'embeddings' ? dialect : 'chat';
  const tagged = { ...job, ...metadataOf({ ...job.metadata, ...metadata }) };
  const subject = chargeSubjectOf(tagged, does);
  const call = { keyId: job.key_id, ...asked, subject, signal };
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

/** Whether an error is the line's result. Limits are waited for, passing errors retried; a batch may refuse to wait. */
export function isLinesFault(error: unknown, job: RequestsJob, signal: AbortSignal): boolean {
  if (!(error instanceof ServiceError) || signal.aborted) return false;
  return isLast(job, error) || (isOverBudget(error) && failsOnBudget(job));
}

const isOverBudget = (error: ServiceError) =>
  error instanceof BudgetExceededError && !error.isHeldUp;

/** Whether lines of a batch that its budget doesn't cover fail at once. */
const failsOnBudget = ({ endpoint, metadata }: RequestsJob) =>
  endpoint !== undefined && metadata?.['on_budget'] === 'fail';
