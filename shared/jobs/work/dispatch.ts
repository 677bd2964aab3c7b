import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { errorFields, log } from '../../log.ts';
import { isPart, type Job } from '../engine/item/job.ts';
import { queueOf } from '../engine/item/queue-shards.ts';
import { isEnd } from '../engine/item/status.ts';
import { uncountJobs } from '../engine/waiting/key-state.ts';
import { countEnded } from './count-ended.ts';
import { notify } from './notify.ts';
import { hasEndedNow, jobOfRecord, logEnds, noteEnds } from './report-ends.ts';

/** Reads the job table's stream: sends a message per queued job, and counts, logs and notes each end. */
export async function dispatchJobs({
  Records,
}: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const [refused, uncounted, unnoted] = await Promise.all([
    notifyOfQueued(Records.filter(becameQueued)),
    countChildren(Records.filter(endedUncounted)),
    noteEnds(Records.filter(hasEndedNow)),
    logEnds(Records),
  ]);
  const failed = [...refused, ...uncounted, ...unnoted];
  await uncountEnded(recordsBefore(failed, Records).filter(hasEndedNow));
  return {
    batchItemFailures: failed.map(({ dynamodb }) => ({
      itemIdentifier: dynamodb?.SequenceNumber ?? '',
    })),
  };
}

/** The records of a batch that don't come again: Lambda sends it again from the first that failed. */
function recordsBefore(failed: DynamoDBRecord[], records: DynamoDBRecord[]): DynamoDBRecord[] {
  const first = records.findIndex((record) => failed.includes(record));
  return first < 0 ? records : records.slice(0, first);
}

/** Subtracts ended jobs from their keys' counts. If that fails, the sweep recounts a key that is refused. */
async function uncountEnded(records: DynamoDBRecord[]): Promise<void> {
  const ended = records.map(jobOfRecord).filter((job) => job.tag !== undefined && !isPart(job));
  for (const [keyId, jobs] of Map.groupBy(ended, ({ key_id }) => key_id)) {
    try {
      await uncountJobs(keyId, jobs.length, endsByQueue(jobs));
    } catch (error) {
      log('error', 'ended jobs not counted', { key_id: keyId, ...errorFields(error) });
    }
  }
}

const endsByQueue = (jobs: Job[]) =>
  new Map(
    [...Map.groupBy(jobs, ({ lane }) => queueOf(lane))].map(([lane, of]) => [lane, of.length]),
  );

/** A job that is stopped while it waits may be claimed at once, so another message is sent for it. */
function becameQueued({ dynamodb: { NewImage, OldImage } = {} }: DynamoDBRecord): boolean {
  if (NewImage?.['status']?.S !== 'queued') return false;
  const wasStopped = NewImage['stop_reason'] !== undefined && !OldImage?.['stop_reason'];
  return OldImage?.['status']?.S !== 'queued' || wasStopped;
}

function endedUncounted({ dynamodb }: DynamoDBRecord): boolean {
  const { status, parent_job_id, counted } = dynamodb?.NewImage ?? {};
  return isEnd(status?.S ?? '') && parent_job_id?.S !== undefined && counted === undefined;
}

async function notifyOfQueued(records: DynamoDBRecord[]): Promise<DynamoDBRecord[]> {
  const jobs = new Map(records.map((record) => [jobOfRecord(record), record]));
  const refused = await notify([...jobs.keys()]);
  for (const { job_id } of refused) log('warn', 'queue message refused', { job_id });
  return refused.flatMap((job) => jobs.get(job) ?? []);
}

/** To count an end again changes nothing, so a batch that fails in its middle is read again. */
async function countChildren(records: DynamoDBRecord[]): Promise<DynamoDBRecord[]> {
  try {
    await countEnded(records.map(jobOfRecord));
    return [];
  } catch (error) {
    log('error', 'children not counted', errorFields(error));
    return records;
  }
}
