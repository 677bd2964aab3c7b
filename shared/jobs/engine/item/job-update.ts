import type { TransactWriteItem } from '../../../aws/transact.ts';
import { updateItem } from '../../../aws/write-item.ts';
import { setting } from '../../../config.ts';
import type { Condition } from './conditions.ts';
import type { Job, JobKey } from './job.ts';
import { notedProgress } from './progress.ts';

interface JobUpdate<Its extends Job> extends Condition {
  set?: Partial<Its>;
  /** Attributes to set if they are not there yet. */
  setOnce?: Partial<Its>;
  remove?: (keyof Its & string)[];
  /** Numbers to add to attributes, and items to append to lists. */
  add?: Record<string, number>;
  append?: Record<string, unknown[]>;
}

/** A job's key, and the lease under which it is written, if there is one. */
type Leased = JobKey & { lease_id?: string };

/** Makes an update. Returns the whole new item; undefined if the condition doesn't hold. */
export async function updateJob<Its extends Job = Job>(
  job: Leased,
  update: JobUpdate<Its>,
): Promise<Its | undefined> {
  const updated = await updateItem({ ...updateOf(job, update), ReturnValues: 'ALL_NEW' });
  return updated?.Attributes as Its | undefined;
}

/** Returns an update as a transaction takes it. It also writes how far the job has come, if it runs in this process. */
export function updateOf<Its extends Job = Job>(
  job: Leased,
  { when, values, set, setOnce = {}, remove = [], add = {}, append = {} }: JobUpdate<Its>,
): NonNullable<TransactWriteItem['Update']> {
  const { key_id, job_id } = job;
  const given = Object.entries({ progress: notedProgress(job), ...set, ...setOnce }).filter(
    ([, value]) => value !== undefined,
  );
  const assigned = (name: string) =>
    name in setOnce ? `if_not_exists(#${name}, :set_${name})` : `:set_${name}`;
  const lists = Object.keys(append);
  const sets = [
    ...given.map(([name]) => `#${name} = ${assigned(name)}`),
    ...lists.map((name) => `#${name} = list_append(if_not_exists(#${name}, :empty), :set_${name})`),
  ];
  const added = Object.keys(add).map((name) => `#${name} :set_${name}`);
  const written = { ...Object.fromEntries(given), ...add, ...append };
  const names = [...Object.keys(written), ...remove, 'status'];
  return {
    TableName: setting('JOBS_TABLE'),
    Key: { key_id, job_id },
    ConditionExpression: when,
    UpdateExpression: [
      sets.length > 0 ? `SET ${sets.join(', ')}` : '',
      remove.length > 0 ? `REMOVE ${remove.map((name) => `#${name}`).join(', ')}` : '',
      added.length > 0 ? `ADD ${added.join(', ')}` : '',
    ].join(' '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...values,
      ...Object.fromEntries(Object.entries(written).map(([name, to]) => [`:set_${name}`, to])),
      ...(lists.length > 0 && { ':empty': [] }),
    },
  };
}
