import type { DynamoDBRecord } from 'aws-lambda';
import { errorFields, log } from '../log.ts';
import { eventIdOf, findListener, newEvent, noteEvent } from '../webhooks/event.ts';
import type { JobEnd } from '../webhooks/event-body.ts';
import { progressOf, useOf } from './end-log.ts';
import type { Job } from './job.ts';
import { jobOfRecord } from './stream-record.ts';

/**
 * Notes an event for each job that its caller submitted and that ends by these records, if somebody listens to the
 * events of its key. Returns the records of those that could not be noted; a second note of an end does nothing.
 */
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

/** What is told of a job's end: never what it is called, was asked, read or said. */
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
