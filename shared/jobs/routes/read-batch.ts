import * as v from 'valibot';
import type { Caller } from '../../http/caller.ts';
import { ConflictError, NotFoundError } from '../../http/errors.ts';
import { findJob } from '../engine/item/job.ts';
import { type Batch, statusOf, toBatch } from '../kinds/batch/batch.ts';
import { batchJobIdOf } from '../kinds/batch/batch-id.ts';
import { type BatchJob, isBatch } from '../kinds/batch/batch-job.ts';
import { asJob } from '../kinds/kinds.ts';
import { stopOne } from '../work/stop.ts';

/** The path of a route to one batch. */
export const BatchPath = v.object({ batch_id: v.string() });

const cancelledByCaller = 'cancelled: The batch was cancelled by its caller.';

/** Reads a batch of the caller. Throws the same 404 for one that doesn't exist and for another key's. */
export const getBatch = async ({ keyId }: Caller, id: string): Promise<Batch> =>
  toBatch(await requireBatch(keyId, id));

/** Cancels a batch; its answers so far are its output. Again it changes nothing; a batch that has ended is a 409. */
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
