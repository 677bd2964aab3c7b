import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { dynamodb, queryPages } from '../../aws/dynamodb.ts';
import { deleteItem, updateItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import type { WithMessages } from '../asked/messages.ts';
import { and, whileThere } from '../engine/item/conditions.ts';
import { findJob, instant, isPart, type Job, type JobKey, queryUnder } from '../engine/item/job.ts';
import { updateJob } from '../engine/item/job-update.ts';
import { copyObject, deleteObject, folderOf, objectsOf } from '../engine/item/objects.ts';
import { stepsPrefixOf } from '../engine/item/steps.ts';
import { deleteOutputs } from '../kinds/batch/output-files.ts';
import { childrenOf, kindOf } from '../kinds/kinds.ts';
import { copyOwnerOf, isCopyInUse } from '../sources/kept-copies.ts';
import { stopOne } from '../work/stop.ts';
import {
  beginErasure,
  type Erasure,
  erasedJobOf,
  findErasure,
  openErasuresFor,
} from './erasure.ts';

const stoppedAbove = 'stopped: The job that this one was made for was deleted.';

/** Objects that are deleted at once, and jobs that are erased at once. */
const atOnce = 25;

/** How long a worker of an erased job may go on, as a function runs for 15 minutes: then its objects are erased too. */
const lateWorkerMs = 20 * 60_000;

/** How long an erased job is known as one: longer than a backup that would have it again can be restored. */
const knownForSeconds = 36 * 86_400;

/**
 * Erases what is left of a job: children, steps, kept pages, objects and other items. It may break off and run again
 * at any time. Returns false if the time was up, or another job still works on the document or on a child.
 */
export async function eraseDependents(erasure: Erasure, untilMs: number): Promise<boolean> {
  const isAlone = await eraseChildren(erasure, untilMs);
  await giveRetriesTheirOwn(erasure);
  const hasNoSteps = await eraseSteps(erasure, untilMs);
  await eraseLinks(erasure);
  // A batch's files: their store is left to the functions that erase.
  if (kindOf(asJobOf(erasure)).name === 'batch') await deleteOutputs(erasedJobOf(erasure));
  const hasNoObjects = await eraseObjects(erasure, untilMs);
  if (!isAlone || !hasNoSteps || !hasNoObjects) return false;
  await noteErased(erasure);
  return true;
}

/** Returns what is known of an erased job as the job. */
const asJobOf = (erasure: Erasure) => ({ ...erasure, ...erasedJobOf(erasure) }) as unknown as Job;

/** Erases what was made for a job. What has not ended is stopped first, and erased once it has. */
async function eraseChildren(erasure: Erasure, untilMs: number): Promise<boolean> {
  const limit = pLimit(atOnce);
  const done: Promise<boolean>[] = [];
  const erase = (work: () => Promise<boolean>) =>
    done.push(limit(async () => Date.now() < untilMs && work()));
  for await (const child of openErasuresFor(erasure)) erase(() => eraseDependents(child, untilMs));
  for await (const child of childrenOf(asJobOf(erasure))) erase(() => eraseChild(child, untilMs));
  return (await Promise.all(done)).every(Boolean);
}

async function eraseChild(child: Job, untilMs: number): Promise<boolean> {
  if (!child.completed_at) {
    await stopOne(child, stoppedAbove);
    return false;
  }
  const erasure = (await beginErasure(child)) ?? (await findErasure(child));
  return erasure !== undefined && eraseDependents(erasure, untilMs);
}

/** The objects that a job shares with one that it tries again: `retry.ts` copies their names, not the objects. */
const sharedNames = ['messages_object', 'document_object'] as const;

type Retry = Job & WithMessages & { document_object?: string };

/** Copies the shared objects for the job's retries, as the erasure deletes the originals. */
async function giveRetriesTheirOwn(erasure: Erasure): Promise<void> {
  const { key_id } = erasure;
  let next = erasure.retry_job_id;
  while (next) {
    const retry: Retry | undefined = await findJob<Retry>({ key_id, job_id: next });
    if (!retry) return;
    for (const name of sharedNames) await giveOwn(erasure, retry, name);
    next = retry.retry_job_id;
  }
}

async function giveOwn(
  erasure: Erasure,
  retry: Retry,
  name: (typeof sharedNames)[number],
): Promise<void> {
  const shared = retry[name];
  if (!shared?.startsWith(`${folderOf(erasedJobOf(erasure))}/`)) return;
  const own = `${folderOf(retry)}/${shared.split('/').at(-1)}`;
  await copyObject(shared, own);
  await updateJob<Retry>(retry, {
    when: and(whileThere, (value) => `${name} = ${value(shared)}`),
    set: { [name]: own },
  });
}

/** A part's steps lie under its document's name, and belong to the document. */
async function eraseSteps(erasure: Erasure, untilMs: number): Promise<boolean> {
  const job = erasedJobOf(erasure);
  if (isPart(job)) return true;
  const pages = queryPages<{ job_id: string; kept_as?: string }>({
    ...queryUnder(job.key_id, stepsPrefixOf(job)),
    ProjectionExpression: 'job_id, kept_as',
    // Each is deleted before the next is read, so that an interruption loses nothing.
    Limit: 500,
  });
  for await (const { items } of pages) {
    if (Date.now() >= untilMs) return false;
    // A page that is kept for other jobs goes before the step that names it.
    const kept = items.flatMap(({ kept_as }) => kept_as ?? []);
    const steps = items.map(({ job_id }) => job_id);
    for (const ids of [kept, steps]) await deleteItems(job.key_id, ids);
  }
  return true;
}

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html */
const maxBatch = 25;

async function deleteItems(key_id: string, ids: string[]): Promise<void> {
  const distinct = [...new Set(ids)];
  const batches = Array.from({ length: Math.ceil(distinct.length / maxBatch) }, (_, index) =>
    distinct.slice(index * maxBatch, (index + 1) * maxBatch),
  );
  await pLimit(4).map(batches, (batch) => deleteBatch(key_id, batch));
}

/** What DynamoDB left, as it throttles, is sent again. */
async function deleteBatch(key_id: string, ids: string[]): Promise<void> {
  const TableName = setting('JOBS_TABLE');
  let left = ids.map((job_id) => ({ DeleteRequest: { Key: { key_id, job_id } } })) as object[];
  while (left.length > 0) {
    const { UnprocessedItems } = await dynamodb.send(
      new BatchWriteCommand({ RequestItems: { [TableName]: left as [] } }),
    );
    left = UnprocessedItems?.[TableName] ?? [];
  }
}

async function eraseLinks({ key_id, links = [] }: Erasure): Promise<void> {
  for (const { job_id, attribute, value } of links) {
    const names = attribute.split('.');
    await deleteItem({
      TableName: setting('JOBS_TABLE'),
      Key: { key_id, job_id },
      ConditionExpression: `${names.map((_, index) => `#${index}`).join('.')} = :value`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name, i) => [`#${i}`, name])),
      ExpressionAttributeValues: { ':value': value },
    });
  }
}

/** Deletes a job's objects. A copy that another job works on stays; one of a job that is erased already goes too. */
async function eraseObjects(erasure: Erasure, untilMs: number): Promise<boolean> {
  const job = erasedJobOf(erasure);
  const { source_object } = erasure;
  const isUsed = await isCopyInUse(job);
  for await (const objects of objectsOf(job)) {
    if (Date.now() >= untilMs) return false;
    const unused = objects.filter((object) => !isUsed || !isCopy(job, object));
    await pLimit(atOnce).map(unused, deleteObject);
  }
  if (source_object && !isPart(job) && (await isNobodys(job, source_object))) {
    await deleteObject(source_object);
  }
  return !isUsed;
}

const isCopy = (job: JobKey, object: string) => object.startsWith(`${folderOf(job)}/source-`);

/** Whether a copy belongs to a job that no longer exists, and no job works on it. */
async function isNobodys(job: JobKey, object: string): Promise<boolean> {
  const owner = { key_id: job.key_id, job_id: copyOwnerOf(object) };
  if (owner.job_id === job.job_id) return false;
  const [kept, erasure] = await Promise.all([findJob(owner), findErasure(owner)]);
  return !kept && !erasure && !(await isCopyInUse(owner));
}

/** The first time that nothing is left, the sweep is to look once more; after that the erasure may be forgotten. */
async function noteErased({ key_id, job_id, erased_at }: Erasure): Promise<void> {
  const now = Date.now();
  const isSecond = erased_at !== undefined && Date.parse(erased_at) + lateWorkerMs <= now;
  if (erased_at && !isSecond) return;
  await updateItem({
    TableName: setting('JOBS_TABLE'),
    Key: { key_id, job_id },
    ConditionExpression: 'attribute_exists(job_id)',
    UpdateExpression: isSecond
      ? 'SET expires_at = :expires REMOVE lane, due_at, links'
      : 'SET erased_at = if_not_exists(erased_at, :now), due_at = :due',
    ExpressionAttributeValues: isSecond
      ? { ':expires': Math.floor(now / 1000) + knownForSeconds }
      : { ':now': instant(now), ':due': instant(now + lateWorkerMs) },
  });
}
