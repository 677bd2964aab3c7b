import { QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import * as v from 'valibot';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';
import type { Caller } from '../../../shared/http/caller.ts';
import { findJob, type JobKey } from '../../../shared/jobs/engine/item/job.ts';
import type { ChatResult } from '../../../shared/jobs/results/result.ts';
import { JobSubmission } from '../../../shared/jobs/routes/submission.ts';
import { submitJob } from '../../../shared/jobs/routes/submit.ts';
import type { JobMessage } from '../../../shared/jobs/work/notify.ts';
import { defaultLimits, type KeyLimits } from '../../../shared/keys/key-limits.ts';
import { openAccount } from '../../../shared/ledger/read-account.ts';
import { chatJob } from '../servers/api.ts';
import { anyRoom } from '../servers/rooms.ts';
import type { StoredJob } from './stored-job.ts';
import { followStream, imageOf } from './stream-tail.ts';

export const caller: Caller = { keyId: 'key_test', limits: JSON.stringify(defaultLimits) };

/** The one lane of a deployment without shards. */
export const lane = 'chat#0';

export const answer: ChatResult = {
  type: 'chat',
  content: 'an answer',
  finish_reason: 'stop',
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  cost_usd: 0.001,
};

/** Submits a chat job to the test store; answers its item. */
export async function submitted(rest: object = {}, content = 'a question'): Promise<StoredJob> {
  const submission = v.parse(JobSubmission, chatJob(content, rest));
  await openAccount(caller.keyId, new Date().toISOString(), defaultLimits);
  const { id } = await submitJob(caller, submission, undefined, anyRoom());
  return itemOf({ key_id: caller.keyId, job_id: id });
}

/** A caller whose key has these limits. */
export const keyed = (keyId: string, limits: Partial<KeyLimits> = {}): Caller => ({
  keyId,
  limits: JSON.stringify({ ...defaultLimits, ...limits }),
});

/** Submits a chat job of a caller; answers its item. */
export async function submittedBy(
  caller: Caller,
  rest: object = {},
  idempotencyKey?: string,
): Promise<StoredJob> {
  const submission = v.parse(JobSubmission, chatJob('a question', rest));
  const { id } = await submitJob(caller, submission, idempotencyKey, anyRoom());
  return itemOf({ key_id: caller.keyId, job_id: id });
}

/** Reads the item of a job that exists. */
export async function itemOf(key: JobKey): Promise<StoredJob> {
  const job = await findJob(key);
  if (!job) throw new Error(`no job ${key.job_id}`);
  return job;
}

/** A message as dispatch sends it for a job. */
export const messageFor = ({ key_id, job_id, priority, turn, tag }: StoredJob): JobMessage => ({
  lane,
  key_id,
  job_id,
  priority,
  waits: turn === undefined,
  ...(tag !== undefined && { tag }),
});

/** Every job of the table. */
export async function allJobs(): Promise<StoredJob[]> {
  const TableName = setting('JOBS_TABLE');
  const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName, ConsistentRead: true }));
  return (Items as StoredJob[]).filter(isJob);
}

/** A key's line and its runs under way lie among its jobs. */
const isJob = (item: StoredJob | undefined) => item?.status !== undefined;

/** The ids of the jobs that an index lists, in its order. */
export async function listed(IndexName: 'ready' | 'due'): Promise<string[]> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('JOBS_TABLE'),
      IndexName,
      KeyConditionExpression: 'lane = :lane',
      ExpressionAttributeValues: { ':lane': lane },
    }),
  );
  return (Items as StoredJob[]).map(({ job_id }) => job_id);
}

/** One write of a job, as the table's stream tells it. */
export interface JobWrite {
  before: StoredJob | undefined;
  after: StoredJob | undefined;
}

/** Every write of a job so far, in order. */
export async function allWrites(): Promise<JobWrite[]> {
  const writes = (await streamRecords()).map(({ dynamodb: { OldImage, NewImage } = {} }) => ({
    before: imageOf<StoredJob>(OldImage),
    after: imageOf<StoredJob>(NewImage),
  }));
  return writes.filter(({ before, after }) => isJob(after ?? before));
}

/** The records of the jobs table's stream, as Lambda would hand them over. */
export const streamRecords = (): Promise<DynamoDBRecord[]> => followStream()();
