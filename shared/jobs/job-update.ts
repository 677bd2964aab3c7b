import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import { retryConflicts } from '../aws/transact.ts';
import { setting } from '../config.ts';
import type { Job, JobKey } from './job.ts';
import { notedProgress } from './progress.ts';

/** What a write of a job hangs on: a condition expression, and its values. */
export interface Condition {
  when: string;
  values: Record<string, unknown>;
}

/** A conditional update of one job: attributes to set and to remove, if the condition holds. */
interface JobUpdate extends Condition {
  set: Partial<Job>;
  /** Attributes to set if they are not there yet. */
  setOnce?: Partial<Job>;
  remove?: (keyof Job)[];
}

/**
 * Returns the whole new item; undefined if the condition doesn't hold. How far a job has come that runs here is
 * written along.
 */
export async function updateJob(
  job: JobKey & { lease_id?: string },
  { when, values, set, setOnce = {}, remove = [] }: JobUpdate,
): Promise<Job | undefined> {
  const { key_id, job_id } = job;
  const given = Object.entries({ progress: notedProgress(job), ...set, ...setOnce }).filter(
    ([, value]) => value !== undefined,
  );
  const assigned = (name: string) =>
    name in setOnce ? `if_not_exists(#${name}, :set_${name})` : `:set_${name}`;
  const names = [...given.map(([name]) => name), ...remove, 'status'];
  const update = new UpdateCommand({
    TableName: setting('JOBS_TABLE'),
    Key: { key_id, job_id },
    ConditionExpression: when,
    UpdateExpression: [
      given.length > 0
        ? `SET ${given.map(([name]) => `#${name} = ${assigned(name)}`).join(', ')}`
        : '',
      remove.length > 0 ? `REMOVE ${remove.map((name) => `#${name}`).join(', ')}` : '',
    ].join(' '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...values,
      ...Object.fromEntries(given.map(([name, value]) => [`:set_${name}`, value])),
    },
    ReturnValues: 'ALL_NEW',
  });
  // A parent's children are counted on it in transactions, which a plain write may meet.
  const updated = await unlessConditionFails(retryConflicts(() => dynamodb.send(update)));
  return updated?.Attributes as Job | undefined;
}
