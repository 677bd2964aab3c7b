import { queryItems } from '../../../aws/dynamodb.ts';
import { type TransactWriteItem, writeTransaction } from '../../../aws/transact.ts';
import { setting } from '../../../config.ts';
import { type ClaimedJob, findJob, type Job } from '../item/job.ts';
import { LeaseLostError, whileLeased } from '../item/state.ts';

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
  const writes = children.map(({ job, beside = [] }) => [creationOf(job), ...beside]);
  const failed = await writeTransaction([
    announceOf(parent, children.length, set),
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

const creationOf = (job: Job): TransactWriteItem => ({
  Put: {
    TableName: setting('JOBS_TABLE'),
    Item: job,
    ConditionExpression: 'attribute_not_exists(job_id)',
  },
});

/** The parent's write: it adds the number of children. */
function announceOf(parent: ClaimedJob, count: number, set: object): TransactWriteItem {
  const { when, values } = whileLeased(parent);
  const names = Object.keys(set);
  return {
    Update: {
      TableName: setting('JOBS_TABLE'),
      Key: { key_id: parent.key_id, job_id: parent.job_id },
      ConditionExpression: when,
      UpdateExpression: [
        'ADD children_total :count, children_ended :none',
        names.length > 0 ? `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}` : '',
      ].join(' '),
      ExpressionAttributeNames: {
        '#status': 'status',
        ...Object.fromEntries(names.map((name) => [`#${name}`, name])),
      },
      ExpressionAttributeValues: {
        ...values,
        ':count': count,
        ':none': 0,
        ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
      },
    },
  };
}

/** Reads the jobs that were made for a job and have ids that begin so. */
export const madeFor = (parent: Job, prefix: string) =>
  queryItems<Job>({
    TableName: setting('JOBS_TABLE'),
    KeyConditionExpression: 'key_id = :key AND begins_with(job_id, :prefix)',
    FilterExpression: 'parent_job_id = :parent',
    ExpressionAttributeValues: {
      ':key': parent.key_id,
      ':prefix': prefix,
      ':parent': parent.job_id,
    },
    ConsistentRead: true,
  });
