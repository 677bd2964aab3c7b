import { createHash } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import type { Caller } from '../http/caller.ts';
import { ConflictError, valueError } from '../http/errors.ts';
import { mayUseModel } from '../keys/limits.ts';
import { keepMessages } from './bodies.ts';
import { instant, type Job, type JobKey, type JobRecord, toRecord } from './job.ts';
import { laneOf, turnOf } from './lane.ts';
import { findJob } from './read.ts';
import { type InlineChat, inlineChatOf, type JobSubmission } from './submission.ts';
import { ringGraceMs } from './transitions.ts';

/** Accepts a job: once it is in the table, it will end `done`, `failed` or `cancelled`. */
export async function submitJob(
  caller: Caller,
  submission: JobSubmission,
  idempotencyKey: string | undefined,
): Promise<JobRecord> {
  const chat = inlineChatOf(submission);
  if (!mayUseModel(caller, chat.model.id)) {
    throw valueError(['body', 'model'], `this API key may not use ${chat.model.id}`);
  }
  const key = await reserveJobKey(caller, submission, idempotencyKey);
  return toRecord((key.taken && (await findJob(key))) || (await createJob(key, submission, chat)));
}

async function createJob(
  { key_id, job_id }: JobKey,
  submission: JobSubmission,
  { messages, model }: InlineChat,
): Promise<Job> {
  const now = Date.now();
  const { job_type, priority, max_retries, pipeline_instruction } = submission;
  const job: Job = {
    key_id,
    job_id,
    status: 'queued',
    job_type,
    model: model.id,
    input_type: 'inline',
    priority,
    retry_count: 0,
    max_retries,
    ...(pipeline_instruction !== null && { pipeline_instruction }),
    created_at: instant(now),
    ...(await keepMessages({ key_id, job_id }, messages)),
    lane: laneOf('chat', job_id),
    ready_at: instant(now),
    turn: turnOf({ priority, job_id }),
    due_at: instant(now + ringGraceMs),
  };
  const created = await unlessConditionFails(
    dynamodb.send(
      new PutCommand({
        TableName: setting('JOBS_TABLE'),
        Item: job,
        ConditionExpression: 'attribute_not_exists(job_id)',
      }),
    ),
  );
  return (!created && (await findJob(job))) || job;
}

type ReservedKey = JobKey & { taken: boolean };

/**
 * Names the job to be. An idempotency key keeps the name for 24 hours, in an item of its own written
 * before the job: a submission that died in between is completed by the next one, under that name.
 */
async function reserveJobKey(
  { keyId: key_id }: Caller,
  submission: JobSubmission,
  idempotencyKey: string | undefined,
): Promise<ReservedKey> {
  const job_id = `job_${uuidv7()}`;
  if (!idempotencyKey) return { key_id, job_id, taken: false };

  const item = { key_id, job_id: `submission_${sha256(idempotencyKey)}` };
  const submissionHash = sha256(JSON.stringify(submission));
  const reserved = await unlessConditionFails(
    dynamodb.send(
      new PutCommand({
        TableName: setting('JOBS_TABLE'),
        Item: {
          ...item,
          reserved_job_id: job_id,
          submission_hash: submissionHash,
          expires_at: epochSeconds() + 24 * 3600,
        },
        ConditionExpression: 'attribute_not_exists(job_id) OR expires_at <= :now',
        ExpressionAttributeValues: { ':now': epochSeconds() },
      }),
    ),
  );
  if (reserved) return { key_id, job_id, taken: false };

  const { Item: first } = await dynamodb.send(
    new GetCommand({ TableName: setting('JOBS_TABLE'), Key: item, ConsistentRead: true }),
  );
  if (first?.['submission_hash'] !== submissionHash) {
    throw new ConflictError('This Idempotency-Key was used for a different submission.');
  }
  return { key_id, job_id: first['reserved_job_id'] as string, taken: true };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const epochSeconds = () => Math.floor(Date.now() / 1000);
