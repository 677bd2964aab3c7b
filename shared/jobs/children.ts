import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';
import { failedConditions, type TransactWriteItem } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { familyOf, partIdOf } from './ids.ts';
import type { ClaimedJob, Job } from './job.ts';
import { whileLeased } from './job-update.ts';
import { findJob } from './read.ts';

/** A job to be made for another, and what is to be written with it, in the same breath. */
export interface Child {
  job: Job;
  beside?: TransactWriteItem[];
}

/** A transaction takes 100 writes: of up to three items a child, and the parent. */
const childrenPerTransaction = 33;

/**
 * Makes the jobs that are not there yet, each together with its parent's count of them, so that the count
 * is right whatever dies in between; `set` is written to the parent with the last of them. Answers the
 * parent as it then is; undefined if its lease was lost.
 */
export async function createChildren(
  parent: ClaimedJob,
  children: Child[],
  set: Partial<Job> = {},
): Promise<ClaimedJob | undefined> {
  for (let start = 0; start === 0 || start < children.length; start += childrenPerTransaction) {
    const some = children.slice(start, start + childrenPerTransaction);
    const isLast = start + childrenPerTransaction >= children.length;
    if (!(await createSome(parent, some, isLast ? set : {}))) return undefined;
  }
  const job = await findJob(parent);
  return job?.lease_id === parent.lease_id ? (job as ClaimedJob) : undefined;
}

async function createSome(
  parent: ClaimedJob,
  children: Child[],
  set: Partial<Job>,
): Promise<boolean> {
  const writes = children.map(({ job, beside = [] }) => [creationOf(job), ...beside]);
  const update = parentUpdate(parent, children.length, set);
  const failed = await failedConditions([update, ...writes.flat()]);
  if (!failed) return true;
  if (failed.includes(0)) return false;
  const owners = writes.flatMap((items, index) => items.map(() => index));
  const taken = new Set(failed.map((item) => owners[item - 1]));
  const rest = children.filter((_, index) => !taken.has(index));
  return createSome(parent, rest, set);
}

const creationOf = (job: Job): TransactWriteItem => ({
  Put: {
    TableName: setting('JOBS_TABLE'),
    Item: job,
    ConditionExpression: 'attribute_not_exists(job_id)',
  },
});

function parentUpdate(parent: ClaimedJob, count: number, set: Partial<Job>): TransactWriteItem {
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

/** Every job and part that was made for a job. */
export async function* childrenOf(parent: Job): AsyncGenerator<Job> {
  const part = partIdOf(parent.job_id, 0).replace(/\d+$/, '');
  for (const prefix of [familyOf(parent.job_id), part]) {
    let from: Record<string, unknown> | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await dynamodb.send(
        new QueryCommand({
          TableName: setting('JOBS_TABLE'),
          KeyConditionExpression: 'key_id = :key AND begins_with(job_id, :prefix)',
          FilterExpression: 'parent_job_id = :parent',
          ExpressionAttributeValues: {
            ':key': parent.key_id,
            ':prefix': prefix,
            ':parent': parent.job_id,
          },
          ConsistentRead: true,
          ...(from && { ExclusiveStartKey: from }),
        }),
      );
      yield* Items as Job[];
      from = LastEvaluatedKey;
    } while (from);
  }
}
