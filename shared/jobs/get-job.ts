import type { Caller } from '../http/caller.ts';
import { toRecord } from './job.ts';
import { wholeResult } from './objects.ts';
import { requireJob } from './read.ts';
import type { JobRecord } from './record.ts';

/** Reads one job of the caller, its whole result included. */
export async function getJob({ keyId }: Caller, jobId: string): Promise<JobRecord> {
  const job = await requireJob({ key_id: keyId, job_id: jobId });
  try {
    return toRecord(job, await wholeResult(job));
  } catch (error) {
    // It may have been deleted in between: then there is no such job any more.
    await requireJob(job);
    throw error;
  }
}
