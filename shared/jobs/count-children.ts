import { failedConditions, type TransactWriteItem } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { log } from '../log.ts';
import type { Job, JobKey } from './job.ts';
import { findJob } from './read.ts';
import type { FailedFile } from './result.ts';
import { resumeJob } from './suspension.ts';

/** A transaction takes 100 writes: of a child each, and the parent. */
const countedPerTransaction = 50;
const mostFailedFiles = 100;
/** Of a failed file's error, which its own job says in full. */
const longestFileError = 300;

/** Counts jobs that have ended at their parents, each once, and queues a parent again after its last. */
export async function countEnded(children: Job[]): Promise<void> {
  // A batch of the stream may tell of one end twice.
  const distinct = new Map(children.map((job) => [`${job.key_id}/${job.job_id}`, job]));
  const families = Map.groupBy(
    distinct.values(),
    ({ key_id, parent_job_id }) => `${key_id}/${parent_job_id}`,
  );
  for (const siblings of families.values()) {
    for (let start = 0; start < siblings.length; start += countedPerTransaction) {
      await countSome(siblings.slice(start, start + countedPerTransaction));
    }
    const [{ key_id, parent_job_id = '' } = siblings[0] as Job] = siblings;
    const parent = await findJob({ key_id, job_id: parent_job_id });
    const resumed = parent && (await resumeJob(parent));
    if (resumed) log('info', 'children ended', { job_id: parent_job_id });
  }
}

async function countSome(siblings: Job[]): Promise<void> {
  const [first] = siblings;
  if (!first?.parent_job_id) return;
  const parentKey = { key_id: first.key_id, job_id: first.parent_job_id };
  const parent = await findJob(parentKey);
  const failed = await failedConditions([
    parentUpdate(parentKey, siblings, parent?.failed_files?.length ?? 0),
    ...siblings.map(markCounted),
  ]);
  if (!failed || failed.includes(0)) return;
  await countSome(siblings.filter((_, index) => !failed.includes(index + 1)));
}

/** A parent that the table has forgotten counts no more. */
function parentUpdate(key: JobKey, siblings: Job[], named: number): TransactWriteItem {
  const endedAs = (status: string) => siblings.filter((job) => job.status === status);
  const room = Math.max(0, mostFailedFiles - named);
  const files = endedAs('failed').flatMap(failedFileOf).slice(0, room);
  return {
    Update: {
      TableName: setting('JOBS_TABLE'),
      Key: { ...key },
      ConditionExpression: 'attribute_exists(job_id)',
      UpdateExpression: [
        'ADD children_ended :ended, children_failed :failed, children_cancelled :cancelled',
        // Appended, as others may be counted at the same moment.
        files.length > 0
          ? 'SET failed_files = list_append(if_not_exists(failed_files, :none), :files)'
          : '',
      ].join(' '),
      ExpressionAttributeValues: {
        ':ended': siblings.length,
        ':failed': endedAs('failed').length,
        ':cancelled': endedAs('cancelled').length,
        ...(files.length > 0 && { ':files': files, ':none': [] }),
      },
    },
  };
}

function failedFileOf({
  job_id,
  drive_file_id: file_id,
  filename = '',
  error = '',
}: Job): FailedFile[] {
  if (!file_id || job_id.startsWith('part_')) return [];
  return [{ job_id, file_id, filename, error: error.slice(0, longestFileError).toWellFormed() }];
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
