import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { findKey } from '../../keys/key.ts';
import { errorFields, jobErrorWords, type LogFields, log } from '../../log.ts';
import { remembered } from '../../remembered.ts';
import { eventIdOf, findListener, newEvent, noteEvent } from '../../webhooks/event.ts';
import type { JobEnd } from '../../webhooks/event-body.ts';
import type { Task } from '../asked/task.ts';
import { isPart, type Job } from '../engine/item/job.ts';
import { progressNoted } from '../kinds/kinds.ts';
import type { JobResult } from '../results/result.ts';

/** Logs one line for each job that these records end, for any reason; none for sections. */
export async function logEnds(records: DynamoDBRecord[]): Promise<void> {
  const ended = records.filter(hasEndedNow).map(jobOfRecord);
  await Promise.all(
    ended.filter((job) => !isPart(job)).map(async (job) => logEnd(job, await keyName(job.key_id))),
  );
}

function logEnd(job: Job, key: string | undefined): void {
  const { job_id, key_id, status, job_type, model, pipeline, retry_count } = job as Job & Task;
  log(status === 'failed' ? 'warn' : 'info', 'job ended', {
    job_id,
    key_id,
    key,
    status,
    job_type,
    pipeline,
    model,
    ...(retry_count > 0 && { retries: retry_count }),
    ...progressOf(job),
    ...useOf(job),
    duration_ms: Date.parse(job.completed_at ?? '') - Date.parse(job.created_at),
    error: job.error && jobErrorWords(job.error),
  });
}

/** How far the job had come, where its worker wrote that down. */
function progressOf(job: Job): LogFields {
  const { done, total, failed, unit } = progressNoted(job) ?? {};
  if (!unit) return {};
  if (unit === 'files') return { files: done, files_failed: failed, files_total: total };
  return { [unit]: done, [`${unit}_total`]: total };
}

/** Returns the use of a job for the log, from its result. */
function useOf({ result_json }: Job): LogFields {
  if (!result_json) return {};
  const result = JSON.parse(result_json) as JobResult;
  const usage = 'usage' in result ? result.usage : undefined;
  return {
    ...(usage && {
      prompt_tokens: usage.prompt_tokens,
      completion_tokens: usage.completion_tokens,
    }),
    ...(result.type === 'ocr' && { pages: result.page_count, pages_total: result.page_count }),
    ...(result.type === 'extract' &&
      result.ocr && { pages: result.ocr.page_count, pages_total: result.ocr.page_count }),
    ...('cost_usd' in result && { cost_usd: result.cost_usd }),
  };
}

/** Returns the job that a record of the table's stream tells of, as it is after the write. */
export const jobOfRecord = ({ dynamodb }: DynamoDBRecord) =>
  unmarshall(dynamodb?.NewImage as Record<string, AttributeValue>) as Job;

/** Whether a record tells of a job that ends by it. */
export function hasEndedNow({ dynamodb: { NewImage, OldImage } = {} }: DynamoDBRecord): boolean {
  return NewImage?.['completed_at'] !== undefined && OldImage?.['completed_at'] === undefined;
}

/** Names are remembered as long as the gateway remembers a key. */
const names = remembered<string | undefined>(60_000);

/** What a key is called, for the log; undefined if that can't be read now. */
const keyName = (id: string): Promise<string | undefined> =>
  names.get(id, () =>
    findKey(id).then(
      (key) => key?.name,
      () => undefined,
    ),
  );

/** Notes an event for each submitted job that ends, if its key has a listener. Returns the records that failed. */
export async function noteEnds(records: DynamoDBRecord[]): Promise<DynamoDBRecord[]> {
  const ofCallers = records.filter(({ dynamodb }) => !dynamodb?.NewImage?.['parent_job_id']);
  const byKey = Map.groupBy(ofCallers, ({ dynamodb }) => dynamodb?.NewImage?.['key_id']?.S ?? '');
  const failed = await Promise.all([...byKey].map(([keyId, of]) => noteEndsOf(keyId, of)));
  return failed.flat();
}

async function noteEndsOf(keyId: string, records: DynamoDBRecord[]): Promise<DynamoDBRecord[]> {
  try {
    if (!(await findListener(keyId))) return [];
    await Promise.all(records.map((record) => noteEnd(jobOfRecord(record))));
    return [];
  } catch (error) {
    log('error', 'ends not told', { key_id: keyId, ...errorFields(error) });
    return records;
  }
}

async function noteEnd(job: Job): Promise<void> {
  const end = endOf(job);
  const endedMs = Date.parse(end.completed_at);
  const id = eventIdOf(endedMs, job.key_id, job.job_id);
  await noteEvent(newEvent(job.key_id, id, `job.${end.status}`, end, endedMs));
}

const countNames = [
  ...['pages', 'pages_total', 'files', 'files_failed', 'files_total', 'lines', 'lines_total'],
];

/** Returns the event of a job's end, which has no file name, prompt, text or answer. */
function endOf(job: Job): JobEnd {
  const { job_id, key_id, job_type, input_type, model, error, created_at, completed_at } = job;
  const figures = { ...progressOf(job), ...useOf(job) };
  const counts = countNames.flatMap((name) => {
    const count = figures[name];
    return typeof count === 'number' ? [[name, count] as const] : [];
  });
  return {
    id: job_id,
    key_id,
    status: job.status as JobEnd['status'],
    job_type,
    input_type,
    model,
    error_code: error?.match(/^\w+(?=: )/)?.[0] ?? null,
    counts: Object.fromEntries(counts),
    cost_usd: typeof figures['cost_usd'] === 'number' ? figures['cost_usd'] : null,
    created_at,
    completed_at: completed_at ?? created_at,
    path: `/batch/jobs/${job_id}`,
  };
}
