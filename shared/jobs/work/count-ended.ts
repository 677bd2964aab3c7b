import { type TransactWriteItem, writeTransaction } from '../../aws/transact.ts';
import { log } from '../../log.ts';
import { and, whileThere } from '../engine/item/conditions.ts';
import { findJob, type Job } from '../engine/item/job.ts';
import { updateOf } from '../engine/item/job-update.ts';
import { resumeJob } from '../engine/item/job-wait.ts';
import { asJob, kindOf } from '../kinds/kinds.ts';

/** A transaction takes 100 writes: one for a child, and the parent's. */
const countedPerTransaction = 50;

/** Counts ended jobs on their parents, each once, and queues a parent after its last. It throws only at the end. */
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
  const tally = parent ? kindOf(parent).tallyOf?.(asJob(parent), siblings) : {};
  const endedAs = (status: string) => siblings.filter((job) => job.status === status).length;
  const add = {
    children_ended: siblings.length,
    children_failed: endedAs('failed'),
    children_cancelled: endedAs('cancelled'),
    ...tally?.add,
  };
  // Lists are appended to, as others may be counted at the same moment.
  const append = tally?.append ?? {};
  const failed = await writeTransaction([
    { Update: updateOf(parentKey, { when: whileThere, add, append }) },
    ...siblings.map(markCounted),
  ]);
  // A parent that the table has forgotten counts no more.
  if (!failed || failed.includes(0)) return;
  await countSome(siblings.filter((_, index) => !failed.includes(index + 1)));
}

const markCounted = ({ key_id, job_id }: Job): TransactWriteItem => ({
  Update: updateOf(
    { key_id, job_id },
    { when: and(whileThere, () => 'attribute_not_exists(counted)'), set: { counted: true } },
  ),
});
