import { queryItems } from '../../../aws/dynamodb.ts';
import { type TransactWriteItem, writeTransaction } from '../../../aws/transact.ts';
import { setting } from '../../../config.ts';
import { log } from '../../../log.ts';
import { type FailedFile, shownName } from '../../results/result.ts';
import {
  type ClaimedJob,
  familyOf,
  findJob,
  isSection,
  type Job,
  type JobKey,
  sectionIdOf,
} from '../item/job.ts';
import { LeaseLostError, resumeJob, whileLeased } from '../item/state.ts';

/** A job to be made for another, and what is written in the same transaction. */
export interface Child {
  job: Job;
  beside?: TransactWriteItem[];
}

/** A transaction takes 100 writes: up to three for a child, and the parent's. */
const childrenPerTransaction = 33;

/**
 * Makes the jobs that are not there yet. Each is made in one transaction with its parent's count of them, so
 * that the count is right whatever dies in between; `set` is written to the parent with the last of them.
 * Returns the parent as it then is. Throws `LeaseLostError`.
 */
export async function createChildren(
  parent: ClaimedJob,
  children: Child[],
  set: Partial<Job> = {},
): Promise<ClaimedJob> {
  for (let start = 0; start === 0 || start < children.length; start += childrenPerTransaction) {
    const some = children.slice(start, start + childrenPerTransaction);
    const isLast = start + childrenPerTransaction >= children.length;
    await createSome(parent, some, isLast ? set : {});
  }
  const job = await findJob(parent);
  if (job?.lease_id !== parent.lease_id) throw new LeaseLostError();
  return job as ClaimedJob;
}

/** If some are there already, or another job has taken their file, a second transaction makes the others. */
async function createSome(parent: ClaimedJob, children: Child[], set: Partial<Job>): Promise<void> {
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

/** The parent's write: so many children more. */
function announceOf(parent: ClaimedJob, count: number, set: Partial<Job>): TransactWriteItem {
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

/** Reads every job and section that was made for a job. */
export async function* childrenOf(parent: Job): AsyncGenerator<Job> {
  if (parent.input_type === 'drive_folder') {
    yield* madeFor(parent, familyOf(parent.job_id));
    return;
  }
  yield* madeFor(parent, sectionIdOf(parent.job_id, 0).replace(/(?<!\d)\d+$/, ''));
  const step =
    parent.chat_job_id && (await findJob({ key_id: parent.key_id, job_id: parent.chat_job_id }));
  if (step) yield step;
}

const madeFor = (parent: Job, prefix: string) =>
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

/** A transaction takes 100 writes: one for a child, and the parent's. */
const countedPerTransaction = 50;

/**
 * Adds jobs that have ended to the counts of their parents, each once. Queues a parent again after its last. If those
 * of one parent can't be counted, the others still are; then it throws the first error.
 */
export async function countEnded(children: Job[]): Promise<void> {
  // A batch of the stream may tell of one end twice.
  const distinct = new Map(children.map((job) => [`${job.key_id}/${job.job_id}`, job]));
  const families = Map.groupBy(
    distinct.values(),
    ({ key_id, parent_job_id }) => `${key_id}/${parent_job_id}`,
  );
  const failures: unknown[] = [];
  for (const siblings of families.values()) {
    await countFamily(siblings).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function countFamily(siblings: Job[]): Promise<void> {
  for (let start = 0; start < siblings.length; start += countedPerTransaction) {
    await countSome(siblings.slice(start, start + countedPerTransaction));
  }
  const [{ key_id, parent_job_id = '' } = siblings[0] as Job] = siblings;
  const parent = await findJob({ key_id, job_id: parent_job_id });
  const resumed = parent && (await resumeJob(parent));
  if (resumed) log('info', 'children ended', { job_id: parent_job_id });
}

async function countSome(siblings: Job[]): Promise<void> {
  const [first] = siblings;
  if (!first?.parent_job_id) return;
  const parentKey = { key_id: first.key_id, job_id: first.parent_job_id };
  const parent = await findJob(parentKey);
  const failed = await writeTransaction([
    countOf(parentKey, siblings, parent?.failed_files?.length ?? 0),
    ...siblings.map(markCounted),
  ]);
  // A parent that the table has forgotten counts no more.
  if (!failed || failed.includes(0)) return;
  await countSome(siblings.filter((_, index) => !failed.includes(index + 1)));
}

const maxFailedFiles = 100;

/** The parent's write: it adds the children that have ended, and names the first files that failed. */
function countOf(key: JobKey, siblings: Job[], namedBefore: number): TransactWriteItem {
  const sections = siblings.filter(isSection);
  const endedAs = (status: string) => siblings.filter((job) => job.status === status);
  const room = Math.max(0, maxFailedFiles - namedBefore);
  const files = endedAs('failed').flatMap(failedFileOf).slice(0, room);
  return {
    Update: {
      TableName: setting('JOBS_TABLE'),
      Key: { ...key },
      ConditionExpression: 'attribute_exists(job_id)',
      UpdateExpression: [
        'ADD children_ended :ended, children_failed :failed, children_cancelled :cancelled',
        sections.length > 0 ? ', pages_done :read, pages_failed :unread' : '',
        // Appended, as others may be counted at the same moment.
        files.length > 0
          ? 'SET failed_files = list_append(if_not_exists(failed_files, :none), :files)'
          : '',
      ].join(' '),
      ExpressionAttributeValues: {
        ':ended': siblings.length,
        ...(sections.length > 0 && {
          ':read': sum(sections.map(({ progress }) => progress?.done ?? 0)),
          ':unread': sum(sections.map(({ progress }) => progress?.failed ?? 0)),
        }),
        ':failed': endedAs('failed').length,
        ':cancelled': endedAs('cancelled').length,
        ...(files.length > 0 && { ':files': files, ':none': [] }),
      },
    },
  };
}

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);

/** Of a failed file's error, which its own job says in full. */
const maxFileErrorLength = 300;

function failedFileOf(job: Job): FailedFile[] {
  const { job_id, drive_file_id: file_id, filename = '', error = '' } = job;
  if (!file_id || isSection(job)) return [];
  return [
    {
      job_id,
      file_id,
      filename: shownName(filename),
      error: error.slice(0, maxFileErrorLength).toWellFormed(),
    },
  ];
}

const markCounted = ({ key_id, job_id }: Job): TransactWriteItem => ({
  Update: {
    TableName: setting('JOBS_TABLE'),
    Key: { key_id, job_id },
    ConditionExpression: 'attribute_exists(job_id) AND attribute_not_exists(counted)',
    UpdateExpression: 'SET counted = :true',
    ExpressionAttributeValues: { ':true': true },
  },
});
