import { queryItems } from '../../aws/dynamodb.ts';
import { writeTransaction } from '../../aws/transact.ts';
import { setting } from '../../config.ts';
import type { WithMessages } from '../asked/messages.ts';
import {
  familyOf,
  findItem,
  findJob,
  instant,
  type Job,
  type JobKey,
  queryUnder,
} from '../engine/item/job.ts';
import type { Link } from '../engine/item/kind.ts';
import { attributesOf } from '../engine/item/new-job.ts';
import { asJob, kindOf } from '../kinds/kinds.ts';
import type { SourceJob } from '../sources/source-job.ts';

/** The lane in which the sweep finds the erasures that are to go on. */
export const erasureLane = 'erasure';

/** How long a request has for its erasure before the sweep goes on with it. */
const sweepAfterMs = 15_000;

/** The attributes of an erased job that lead to the rest of it. None holds what was asked, read or answered. */
const traces = [
  'kind',
  'phase',
  'parent_job_id',
  'input_type',
  'retry_job_id',
  'messages_object',
  'source_object',
] as const;

/** What stands for an erased job until all that was made of it is gone, in the job's partition of the jobs table. */
export interface Erasure
  extends JobKey,
    Partial<Pick<SourceJob & WithMessages, (typeof traces)[number]>> {
  erased_job_id: string;
  links?: Link[];
  /** Absent once nothing more is to be done. */
  lane?: typeof erasureLane;
  due_at?: string;
  /** When nothing was found of it any more. What a late worker adds is looked for once more after that. */
  erased_at?: string;
  expires_at?: number;
}

/** The job that an erasure stands for. */
export const erasedJobOf = ({ key_id, erased_job_id }: Erasure): JobKey => ({
  key_id,
  job_id: erased_job_id,
});

const erasureIdOf = (jobId: string) => `erasure_${jobId.replace(/^[a-z]+_/, '')}`;

/** Finds the erasure of a job; undefined if it was not erased, or long ago. */
export const findErasure = ({ key_id, job_id }: JobKey) =>
  findItem<Erasure>({ key_id, job_id: erasureIdOf(job_id) });

/** Whether a job was made for an erased one, and will be erased with it. */
export async function isBeingErased({ key_id, parent_job_id }: Job): Promise<boolean> {
  if (!parent_job_id) return false;
  const parentKey = { key_id, job_id: parent_job_id };
  const [erasure, parent] = await Promise.all([findErasure(parentKey), findJob(parentKey)]);
  return erasure !== undefined || (parent !== undefined && isBeingErased(parent));
}

/** Leaves out the jobs that were made for one that was erased. */
export async function withoutErased(jobs: Job[]): Promise<Job[]> {
  const parents = new Map<string, Promise<boolean>>();
  const going = jobs.map((job) => {
    const parent = job.parent_job_id ?? '';
    const known = parents.get(parent) ?? isBeingErased(job);
    parents.set(parent, known);
    return known;
  });
  const isGone = await Promise.all(going);
  return jobs.filter((_, index) => !isGone[index]);
}

/**
 * Replaces an ended job by its erasure in one transaction, so that no read finds the job and no worker makes it anew.
 * Its idempotency record goes too. Returns undefined if the job has changed since it was seen.
 */
export async function beginErasure(seen: Job): Promise<Erasure | undefined> {
  const job = asJob(seen);
  const kind = kindOf(job);
  const TableName = setting('JOBS_TABLE');
  const { key_id, job_id, retry_job_id, submission_id } = job;
  const erasure: Erasure = {
    ...attributesOf<Job, keyof Job>(job, [...traces, ...(kind.traces ?? [])] as (keyof Job)[]),
    key_id,
    job_id: erasureIdOf(job_id),
    erased_job_id: job_id,
    links: (await kind.linksOf?.(job)) ?? [],
    lane: erasureLane,
    due_at: instant(Date.now() + sweepAfterMs),
  };
  const failed = await writeTransaction([
    {
      Delete: {
        TableName,
        Key: { key_id, job_id },
        ConditionExpression: retry_job_id
          ? 'attribute_exists(completed_at) AND retry_job_id = :retry'
          : 'attribute_exists(completed_at) AND attribute_not_exists(retry_job_id)',
        ...(retry_job_id && { ExpressionAttributeValues: { ':retry': retry_job_id } }),
      },
    },
    { Put: { TableName, Item: erasure, ConditionExpression: 'attribute_not_exists(job_id)' } },
    ...(submission_id ? [{ Delete: { TableName, Key: { key_id, job_id: submission_id } } }] : []),
  ]);
  return failed ? undefined : erasure;
}

/** Reads the erasures of what was made for an erased job that may still have something to erase. */
export const openErasuresFor = ({ key_id, erased_job_id }: Erasure) =>
  queryItems<Erasure>({
    ...queryUnder(key_id, erasureIdOf(familyOf(erased_job_id)), { ':parent': erased_job_id }),
    FilterExpression: 'parent_job_id = :parent AND attribute_not_exists(erased_at)',
  });
