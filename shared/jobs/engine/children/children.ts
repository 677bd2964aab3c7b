import { queryItems } from '../../../aws/dynamodb.ts';
import { type TransactWriteItem, writeTransaction } from '../../../aws/transact.ts';
import { whileLeased } from '../item/conditions.ts';
import { type ClaimedJob, findJob, type Job, queryUnder } from '../item/job.ts';
import { LeaseLostError } from '../item/job-lease.ts';
import { updateOf } from '../item/job-update.ts';
import { creationOf } from '../waiting/put-job.ts';

/** A job to be made for another, and what is written in the same transaction. */
export interface Child {
  job: Job;
  beside?: TransactWriteItem[];
}

/** A transaction takes 100 writes: up to three for a child, and the parent's. */
const childrenPerTransaction = 33;

/**
 * Creates the missing children, each in one transaction with the parent's count of them; `set` is written with the
 * last. Returns the parent as it then is. Throws `LeaseLostError`.
 */
export async function createChildren<Its extends ClaimedJob>(
  parent: Its,
  children: Child[],
  set: object = {},
): Promise<Its> {
  for (let start = 0; start === 0 || start < children.length; start += childrenPerTransaction) {
    const some = children.slice(start, start + childrenPerTransaction);
    const isLast = start + childrenPerTransaction >= children.length;
    await createSome(parent, some, isLast ? set : {});
  }
  const job = await findJob(parent);
  if (job?.lease_id !== parent.lease_id) throw new LeaseLostError();
  return job as Its;
}

/** If some are there already, or another job has taken their file, a second transaction makes the others. */
async function createSome(parent: ClaimedJob, children: Child[], set: object): Promise<void> {
  const add = { children_total: children.length, children_ended: 0 };
  const writes = children.map(({ job, beside = [] }) => [{ Put: creationOf(job) }, ...beside]);
  const failed = await writeTransaction([
    { Update: updateOf(parent, { when: whileLeased(parent), set, add }) },
    ...writes.flat(),
  ]);
  if (!failed) return;
  if (failed.includes(0)) throw new LeaseLostError();
  const owners = writes.flatMap((items, index) => items.map(() => index));
  const taken = new Set(failed.map((item) => owners[item - 1]));
  await createSome(
    parent,
    children.filter((_, index) => !taken.has(index)),
    set,
  );
}

/** Reads the jobs that were made for a job and have ids that begin so. */
export const madeFor = ({ key_id, job_id }: Job, prefix: string) =>
  queryItems<Job>({
    ...queryUnder(key_id, prefix, { ':parent': job_id }),
    FilterExpression: 'parent_job_id = :parent',
  });
