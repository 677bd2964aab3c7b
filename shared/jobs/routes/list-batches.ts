import * as v from 'valibot';
import { getItems, queryPages } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import type { Caller } from '../../http/caller.ts';
import { typedMessage } from '../../http/field-errors.ts';
import { integerText } from '../../http/schema.ts';
import type { Job } from '../engine/item/job.ts';
import { Batch, toBatch } from '../kinds/batch/batch.ts';
import { batchIdPattern } from '../kinds/batch/batch-id.ts';
import { type BatchJob, isBatch } from '../kinds/batch/batch-job.ts';
import { asJob } from '../kinds/kinds.ts';

const maxListed = 100;

/** The query of `GET /v1/batches`. */
export const BatchListQuery = v.object({
  after: v.optional(
    v.pipe(
      v.string(),
      v.regex(batchIdPattern, typedMessage('value_error', 'Value error, not the id of a batch')),
    ),
  ),
  limit: v.optional(integerText(1, maxListed), '20'),
});

export type BatchListQuery = v.InferOutput<typeof BatchListQuery>;

/** A page of batches, the newest first. */
export const BatchList = v.object({
  object: v.literal('list'),
  data: v.array(Batch),
  first_id: v.nullable(v.string()),
  last_id: v.nullable(v.string()),
  has_more: v.boolean(),
});

export type BatchList = v.InferOutput<typeof BatchList>;

/** Lists the caller's newest batches. */
export async function listBatches(
  { keyId: key_id }: Caller,
  { after, limit }: BatchListQuery,
): Promise<BatchList> {
  const found: BatchJob[] = [];
  const pages = queryPages<{ batch_job_id: string }>({
    TableName: setting('JOBS_TABLE'),
    KeyConditionExpression: 'key_id = :key AND begins_with(job_id, :batches)',
    ExpressionAttributeValues: { ':key': key_id, ':batches': 'batch_' },
    ...(after && { ExclusiveStartKey: { key_id, job_id: after } }),
    ScanIndexForward: false,
    ConsistentRead: true,
    Limit: limit + 1,
  });
  for await (const { items } of pages) {
    found.push(...(await jobsOf(key_id, items)));
    if (found.length > limit) break;
  }
  const data = found.slice(0, limit).map(toBatch);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  };
}

async function jobsOf(key_id: string, notes: { batch_job_id: string }[]): Promise<BatchJob[]> {
  const keys = notes.map(({ batch_job_id: job_id }) => ({ key_id, job_id }));
  const jobs = await Array.fromAsync(getItems<Job>(setting('JOBS_TABLE'), keys));
  return jobs
    .map(asJob)
    .filter(isBatch)
    .sort((one, other) => (one.job_id < other.job_id ? 1 : -1));
}
