import { expressUpdate, type PlaceName, type PlaceValue } from '../../../aws/express-update.ts';
import { updateItem } from '../../../aws/write-item.ts';
import { setting } from '../../../config.ts';
import type { Condition } from './conditions.ts';
import type { Job, JobKey } from './job.ts';
import { notedProgress } from './progress.ts';

interface JobUpdate<Its extends Job> {
  when: Condition;
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
export const updateOf = <Its extends Job = Job>(job: Leased, update: JobUpdate<Its>) =>
  expressUpdate(
    setting('JOBS_TABLE'),
    { key_id: job.key_id, job_id: job.job_id },
    clausesOf({ ...update, set: { progress: notedProgress(job), ...update.set } as Partial<Its> }),
  );

/** Returns what writes the clauses of an update. */
function clausesOf<Its extends Job>({
  when,
  set,
  setOnce,
  remove = [],
  add,
  append,
}: JobUpdate<Its>) {
  return (value: PlaceValue, name: PlaceName) => {
    const once = (attribute: string, first: unknown) =>
      `if_not_exists(${name(attribute)}, ${value(first)})`;
    return {
      when: [when(value, name)],
      set: [
        ...each(set, (attribute, to) => `${name(attribute)} = ${value(to)}`),
        ...each(setOnce, (attribute, to) => `${name(attribute)} = ${once(attribute, to)}`),
        ...each(
          append,
          (attribute, items) =>
            `${name(attribute)} = list_append(${once(attribute, [])}, ${value(items)})`,
        ),
      ],
      remove: remove.map((attribute) => name(attribute)),
      add: each(add, (attribute, more) => `${name(attribute)} ${value(more)}`),
    };
  };
}

/** The clauses of the attributes that are given. */
const each = (given: object = {}, clauseOf: (attribute: string, value: unknown) => string) =>
  Object.entries(given).map(([attribute, to]) => to !== undefined && clauseOf(attribute, to));
