import { createHash } from 'node:crypto';
import { queryItems } from '../../../aws/dynamodb.ts';
import { writeTransaction } from '../../../aws/transact.ts';
import { setting } from '../../../config.ts';
import { isBatch } from '../../kinds/batch/batch-job.ts';
import { batchLinkOf } from '../../kinds/batch/batch-note.ts';
import { extractSha256 } from '../../kinds/extraction/extract-task.ts';
import { copyIdOfObject, copyOwnerOf, copyUseIdOf } from '../../sources/kept-copies.ts';
import {
  familyOf,
  findItem,
  findJob,
  instant,
  isSection,
  type Job,
  type JobKey,
} from '../item/job.ts';

/** The lane in which the sweep finds the erasures that are to go on. */
export const erasureLane = 'erasure';

/** How long whoever began an erasure has for it before the sweep goes on with it. */
const sweepAfterMs = 15_000;

/** What of an erased job says where the rest of it lies. It holds nothing that anybody asked, read or was told. */
const kept = [
  'parent_job_id',
  'input_type',
  'endpoint',
  'chat_job_id',
  'retry_job_id',
  'messages_object',
  'document_object',
  'source_object',
] as const satisfies (keyof Job)[];

/** An item of the key's that a job made beside its own. It is the job's while its attribute has this value. */
export interface Link {
  job_id: string;
  /** A path, such as `copy.source_object`. */
  attribute: string;
  value: string;
}

/** What stands for an erased job until all that was made of it is gone, in the job's partition of the jobs table. */
export interface Erasure extends JobKey, Partial<Pick<Job, (typeof kept)[number]>> {
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

/** Whether a job was made for one that was erased, so that it is about to go too. */
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
 * Puts an erasure in the place of a job that has ended, in one transaction: from then on no read finds the job, and no
 * write of a worker, each of which needs it, makes it anew. Its idempotency record goes at the same moment, so that the
 * same submission makes another job. Returns undefined if the job has changed since it was seen.
 */
export async function beginErasure(job: Job): Promise<Erasure | undefined> {
  const TableName = setting('JOBS_TABLE');
  const { key_id, job_id, retry_job_id, submission_id } = job;
  const erasure: Erasure = {
    key_id,
    job_id: erasureIdOf(job_id),
    erased_job_id: job_id,
    ...Object.fromEntries(kept.flatMap((name) => (job[name] ? [[name, job[name]]] : []))),
    links: await linksOf(job),
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

/** The items that a job's own attributes name: what is known of its file, its copy, the name of its result. */
async function linksOf(job: Job): Promise<Link[]> {
  if (isSection(job)) return [];
  const { job_id, known_id, source_object, drive_file_id } = job;
  // A job that was copied for before jobs named the item of their copy.
  const mayHaveCopy = source_object !== undefined && !job.file_id;
  const copy_id = job.copy_id ?? (mayHaveCopy && (await copyIdOfObject(job, source_object)));
  const links: Link[] = [];
  if (isBatch(job)) links.push(batchLinkOf(job));
  if (known_id) links.push({ job_id: known_id, attribute: 'source_job_id', value: job_id });
  if (copy_id && source_object) {
    links.push({ job_id: copy_id, attribute: 'copy.source_object', value: source_object });
    const use = copyUseIdOf(copyOwnerOf(source_object), job_id);
    links.push({ job_id: use, attribute: 'used_by', value: job_id });
  }
  if (drive_file_id) {
    const [kind, value] = job.extract
      ? ['extract', extractSha256(job)]
      : ['answer', sha256(job.pipeline_instruction ?? '')];
    const id = `${kind}_${sha256(drive_file_id)}`;
    links.push({ job_id: id, attribute: 'question_sha256', value });
  }
  return links;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Reads the erasures of what was made for an erased job that may still have something to erase. */
export const openErasuresFor = ({ key_id, erased_job_id }: Erasure) =>
  queryItems<Erasure>({
    TableName: setting('JOBS_TABLE'),
    KeyConditionExpression: 'key_id = :key AND begins_with(job_id, :prefix)',
    FilterExpression: 'parent_job_id = :parent AND attribute_not_exists(erased_at)',
    ExpressionAttributeValues: {
      ':key': key_id,
      ':prefix': erasureIdOf(familyOf(erased_job_id)),
      ':parent': erased_job_id,
    },
    ConsistentRead: true,
  });
