import type { WithMessages } from '../asked/messages.ts';
import { and, whileThere } from '../engine/item/conditions.ts';
import { findJob, type Job } from '../engine/item/job.ts';
import { updateJob } from '../engine/item/job-update.ts';
import { copyObject, folderOf } from '../engine/item/objects.ts';
import { type Erasure, erasedJobOf } from './erasure.ts';

/** What a job that tries another again has in common with it: `retry.ts` takes over where they lie, not what they say. */
const sharedNames = ['messages_object', 'document_object'] as const;

type Retry = Job & WithMessages & { document_object?: string };

/** Gives the jobs that try an erased one again their own copies of what they were asked, which goes with it. */
export async function giveRetriesTheirOwn(erasure: Erasure): Promise<void> {
  const { key_id } = erasure;
  let next = erasure.retry_job_id;
  while (next) {
    const retry: Retry | undefined = await findJob<Retry>({ key_id, job_id: next });
    if (!retry) return;
    for (const name of sharedNames) await giveOwn(erasure, retry, name);
    next = retry.retry_job_id;
  }
}

async function giveOwn(
  erasure: Erasure,
  retry: Retry,
  name: (typeof sharedNames)[number],
): Promise<void> {
  const shared = retry[name];
  if (!shared?.startsWith(`${folderOf(erasedJobOf(erasure))}/`)) return;
  const own = `${folderOf(retry)}/${shared.split('/').at(-1)}`;
  await copyObject(shared, own);
  await updateJob<Retry>(retry, {
    ...and(whileThere, `${name} = :shared`, { ':shared': shared }),
    set: { [name]: own },
  });
}
