import pLimit from 'p-limit';
import { getItems, type Page, queryPages } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import { NotFoundError } from '../../http/errors.ts';
import { uuidPrefix } from '../../uuid-time.ts';
import type { Job } from '../engine/item/job.ts';
import type { JobStatus } from '../engine/item/status.ts';

/** Which jobs an operator means. */
export interface JobFilter {
  statuses?: readonly JobStatus[] | undefined;
  /** What the job's error begins with: its code, or the beginning of it. */
  error?: string | undefined;
  /** Jobs submitted at this time or later, in ms since 1970. */
  sinceMs?: number | undefined;
  /** Only jobs that nobody has tried again. */
  untried?: boolean;
}

/** What an operator sees of a job in a list: nothing of what it works on, and nothing of what came of it. */
const attributes = `
  key_id job_id kind phase status job_type model input_type filename priority chat_job_id
  document_object extract asked_priority retry_count max_retries error stop_reason drive_folder_id
  drive_file_id file_id drive_result_file_id pipeline parent_job_id created_at lane started_at
  attempt_at completed_at retry_of retry_job_id progress children_total children_ended
  children_failed children_cancelled page_count pages_done pages_failed ready_at lease_until turn
  endpoint window_ends_at in_progress_at finalizing_at stopped_at output_file_id error_file_id
  warnings
`.match(/\w+/g) as string[];

const keysAtOnce = 16;
/** The most items of one page: fewer than one of 1 MB mostly has. */
const pageItems = 1000;

/** Reads the jobs of a key that fit, the newest first. DynamoDB filters what it has read, so a page may be empty. */
function pagesOf(keyId: string, filter: JobFilter, Limit: number): AsyncGenerator<Page<Job>> {
  const { conditions, values } = conditionsOf(filter);
  return queryPages<Job>({
    TableName: setting('JOBS_TABLE'),
    KeyConditionExpression: 'key_id = :key AND job_id BETWEEN :from AND :to',
    ...(conditions.length > 0 && { FilterExpression: conditions.join(' AND ') }),
    ProjectionExpression: attributes.map((name) => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ':key': keyId,
      ':from': `job_${uuidPrefix(filter.sinceMs ?? 0)}`,
      ':to': 'job_~',
      ...values,
    },
    ScanIndexForward: false,
    Limit: conditions.length > 0 ? pageItems : Math.min(Limit, pageItems),
  });
}

function conditionsOf({ statuses, error, untried }: JobFilter) {
  const conditions: string[] = [];
  const values: Record<string, unknown> = {};
  if (statuses) {
    const named = statuses.map((status, index) => [`:status${index}`, status] as const);
    conditions.push(`#status IN (${named.map(([name]) => name).join(', ')})`);
    Object.assign(values, Object.fromEntries(named));
  }
  if (error !== undefined) {
    // A stopped job says why it was stopped, and not what failed before.
    conditions.push(
      '(begins_with(#stop_reason, :error) OR (attribute_not_exists(#stop_reason) AND begins_with(#error, :error)))',
    );
    values[':error'] = error;
  }
  if (untried) conditions.push('attribute_not_exists(#retry_job_id)');
  return { conditions, values };
}

/** Newer ids are greater, across all keys. */
const newestFirst = (a: Job, b: Job) => (a.job_id > b.job_id ? -1 : 1);

/** Reads the `count` newest jobs of some keys that fit. It holds those, and one page for each query under way. */
export async function newestJobs(
  keyIds: readonly string[],
  filter: JobFilter,
  count: number,
  onKey: (done: number) => void = () => {},
): Promise<Job[]> {
  let newest: Job[] = [];
  await forEachKey(keyIds, onKey, async (keyId) => {
    for await (const { items, lastKey } of pagesOf(keyId, filter, count)) {
      newest = [...newest, ...items].sort(newestFirst).slice(0, count);
      const oldest = newest.length === count ? newest.at(-1)?.job_id : undefined;
      if (oldest !== undefined && String(lastKey?.['job_id']) < oldest) break;
    }
  });
  return newest;
}

/** Reads all jobs of some keys that fit, up to `maxJobs`, the newest of a key first. */
export async function matchingJobs(
  keyIds: readonly string[],
  filter: JobFilter,
  maxJobs: number,
  onKey: (done: number) => void = () => {},
): Promise<Job[]> {
  const jobs: Job[] = [];
  await forEachKey(keyIds, onKey, async (keyId) => {
    for await (const { items } of pagesOf(keyId, filter, pageItems)) {
      jobs.push(...items.slice(0, maxJobs - jobs.length));
      if (jobs.length >= maxJobs) break;
    }
  });
  return jobs;
}

async function forEachKey(
  keyIds: readonly string[],
  onKey: (done: number) => void,
  read: (keyId: string) => Promise<void>,
): Promise<void> {
  let done = 0;
  await pLimit(keysAtOnce).map(keyIds, async (keyId) => {
    await read(keyId);
    onKey(++done);
  });
}

/** Finds a job by its id alone, whosever of some keys it is: a hundred keys a request. Throws `NotFoundError`. */
export async function jobOfAny(keyIds: readonly string[], job_id: string): Promise<Job> {
  const candidates = keyIds.map((key_id) => ({ key_id, job_id }));
  for await (const job of getItems<Job>(setting('JOBS_TABLE'), candidates)) return job;
  throw new NotFoundError(`There is no job ${job_id}.`);
}
