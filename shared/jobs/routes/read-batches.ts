import * as v from 'valibot';
import { getItems, queryPages } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import type { Caller } from '../../http/caller.ts';
import { ConflictError, NotFoundError } from '../../http/errors.ts';
import { typedMessage } from '../../http/field-errors.ts';
import { integerText } from '../../http/schema.ts';
import { findJob, type Job, queryUnder } from '../engine/item/job.ts';
import { Batch, statusOf, toBatch } from '../kinds/batch/batch.ts';
import { type BatchJob, batchIdPattern, batchJobIdOf, isBatch } from '../kinds/batch/batch-job.ts';
import { asJob } from '../kinds/kinds.ts';
import { stopOne } from '../work/stop.ts';

/** The path of a route to one batch. */
export const BatchPath = v.object({ batch_id: v.string() });

const cancelledByCaller = 'cancelled: The batch was cancelled by its caller.';

/** Reads a batch of the caller. Throws the same 404 for one that doesn't exist and for another key's. */
export const getBatch = async ({ keyId }: Caller, id: string): Promise<Batch> =>
  toBatch(await requireBatch(keyId, id));

/** Cancels a batch, which keeps its answers so far. A second call changes nothing; a batch that has ended is a 409. */
export async function cancelBatch({ keyId }: Caller, id: string): Promise<Batch> {
  const stopped = await stopOne(await requireBatch(keyId, id), cancelledByCaller);
  if (stopped) return toBatch(asJob(stopped) as BatchJob);
  const batch = await requireBatch(keyId, id);
  const status = statusOf(batch);
  if (status === 'cancelled') return toBatch(batch);
  throw new ConflictError(`Cannot cancel a batch with status '${status}'.`);
}

async function requireBatch(key_id: string, id: string): Promise<BatchJob> {
  const job_id = batchJobIdOf(id);
  const found = job_id && (await findJob({ key_id, job_id }));
  const job = found && asJob(found);
  if (job && isBatch(job)) return job;
  throw new NotFoundError(`No batch found with id '${id}'.`);
}

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
    ...queryUnder(key_id, 'batch_'),
    ...(after && { ExclusiveStartKey: { key_id, job_id: after } }),
    ScanIndexForward: false,
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
