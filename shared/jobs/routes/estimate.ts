import * as v from 'valibot';
import { invokeFunction } from '../../aws/lambda.ts';
import { withOwnFiles } from '../../chat/own-files.ts';
import { setting } from '../../config.ts';
import { findFile } from '../../files/find-file.ts';
import { maxBodyBytes } from '../../http/bounds.ts';
import type { Room } from '../../http/byte-budget.ts';
import type { Caller } from '../../http/caller.ts';
import { ServiceError, valueError } from '../../http/errors.ts';
import { Count, Usd } from '../../http/schema.ts';
import { limitsOf } from '../../keys/key-limits.ts';
import { LeftOutFile, SubfolderCounts } from '../results/result.ts';
import { checkSubmission, type JobSubmission } from './submission.ts';

export const EstimatedFiles = v.object({
  found: Count,
  pending: Count,
  skipped: Count,
  unsupported: Count,
  unreadable: Count,
});

export const EstimatedPages = v.object({ known: Count, unknown_files: Count, assumed_each: Count });

/** The estimated cost of a submission, for which nothing is made. */
export const JobEstimate = v.object({
  dry_run: v.literal(true),
  files: EstimatedFiles,
  /** The first hundred; `left_out_more` counts those beyond. */
  left_out: v.array(LeftOutFile),
  left_out_more: Count,
  subfolders: SubfolderCounts,
  pages: EstimatedPages,
  /** The sum of all bounds. Model calls of the files in `unbounded_files` come on top. */
  max_cost_usd: Usd,
  likely_cost_usd: Usd,
  assumed_answer_tokens: Count,
  unbounded_files: Count,
  /** False if the folder has more files than could be listed in time. */
  is_complete: v.boolean(),
});

export type JobEstimate = v.InferOutput<typeof JobEstimate>;

/** What the function `estimate-job` is asked. */
export interface EstimateQuestion {
  keyId: string;
  allowedFolders: string[];
  submission: JobSubmission;
}

/** What it answers: an estimate, or why there is none. */
export type EstimateAnswer =
  | { estimate: JobEstimate }
  | { refusal: { statusCode: number; code: string; message: string } };

/** The gateway waits no longer. */
const timeLimitMs = 27_000;

/**
 * Estimates what a submission would come to. Throws as `submitJob` does, and the error with which its job's first look at
 * the drive would end.
 */
export async function estimateJob(
  caller: Caller,
  submission: JobSubmission,
  room: Room,
): Promise<JobEstimate> {
  checkSubmission(await withFiles(caller.keyId, submission, room), caller);
  const allowedFolders = [...limitsOf(caller).drive_folders];
  const question: EstimateQuestion = { keyId: caller.keyId, allowedFolders, submission };
  const name = setting('ESTIMATE_JOB_FUNCTION');
  const answer = await invokeFunction<EstimateAnswer>(name, question, timeLimitMs);
  if ('estimate' in answer) return answer.estimate;
  const { statusCode, code, message } = answer.refusal;
  throw new ServiceError(statusCode, code, message);
}

const ownFiles = { loc: ['body', 'inline', 'messages'], maxBytes: maxBodyBytes };

/** Returns a submission with the bytes of the files that it names. Throws a 422 for one that the key doesn't have. */
export async function withFiles(
  keyId: string,
  submission: JobSubmission,
  room: Room,
): Promise<JobSubmission> {
  const { file_id, inline } = submission;
  if (file_id !== null && !(await findFile(keyId, file_id))) {
    throw valueError(['body', 'file_id'], `no such file: ${file_id}`);
  }
  if (!inline) return submission;
  const messages = await withOwnFiles(inline.messages, { keyId, room, ...ownFiles });
  return { ...submission, inline: { messages } };
}
