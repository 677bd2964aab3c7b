import { askWhole } from '../../../chat/ask.ts';
import { ServiceError } from '../../../http/errors.ts';
import { BudgetExceededError } from '../../../ledger/terms/limit-errors.ts';
import { metadataOf } from '../../../ledger/terms/metadata.ts';
import { chargeSubjectOf } from '../../asked/model-call.ts';
import type { Job } from '../../engine/item/job.ts';
import { stepWrite } from '../../engine/item/steps.ts';
import { isLast } from '../../engine/run/failure.ts';
import { beginStep } from '../../engine/run/watch.ts';
import { type FileLine, type LineStep, lineName, type RequestsJob } from './file-line.ts';
import { responseTo } from './line-results.ts';
import { type LineRequest, readLine } from './read-line.ts';
import { failLine, type RequestFile } from './request-file.ts';

/** Runs one line's request, once. Returns whether it can be asked; nothing is written of one that can't. */
export async function answerLine(file: RequestFile, line: FileLine): Promise<boolean> {
  const { job, signal, kept } = file;
  await beginStep(job);
  const request = readLine(line);
  if ('wrong' in request) return false;
  const { custom_id, metadata, toAnswer, ...asked } = request;
  const subject = chargeSubjectOfLine(job, asked.dialect, metadata);
  const call = { keyId: job.key_id, ...asked, subject, signal };
  try {
    await askWhole(call, toAnswer, async ({ usage, cost, body }) => {
      const output = responseTo(line, custom_id, 200, body);
      const step: LineStep = { output, failed: false, usage, cost };
      return { writes: [await stepWrite(job, lineName(line.number), step)] };
    });
    kept.done.add(line.number);
  } catch (error) {
    if (!isLinesFault(error, file)) throw error;
    await failLine(file, line, custom_id, error);
  }
  return true;
}

/** What a charge says of a line's call: it has the metadata of its batch, and its own. */
export function chargeSubjectOfLine(job: Job, dialect: string, metadata: LineRequest['metadata']) {
  const tagged = { ...job, ...metadataOf({ ...job.metadata, ...metadata }) };
  return chargeSubjectOf(tagged, dialect === 'embeddings' ? dialect : 'chat');
}

/** Whether an error is the line's result. Limits are waited for, passing errors retried; a batch may refuse to wait. */
export function isLinesFault(error: unknown, { job, signal }: RequestFile): error is ServiceError {
  if (!(error instanceof ServiceError) || signal.aborted) return false;
  return isLast(job, error) || (isOverBudget(error) && failsOnBudget(job));
}

const isOverBudget = (error: ServiceError) =>
  error instanceof BudgetExceededError && !error.isHeldUp;

/** Whether lines of a batch that its budget doesn't cover fail at once. */
const failsOnBudget = ({ endpoint, metadata }: RequestsJob) =>
  endpoint !== undefined && metadata?.['on_budget'] === 'fail';
