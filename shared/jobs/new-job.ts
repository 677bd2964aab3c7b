import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { findJob, instant, type Job } from './job.ts';
import { type LaneName, laneOf, turnOf } from './lane.ts';
import { ringGraceMs } from './state.ts';

type Given = 'key_id' | 'job_id' | 'job_type' | 'model' | 'input_type' | 'priority' | 'max_retries';

/** Returns a job that is queued and ready now, in the lane of what it does. */
export function newJob(given: Pick<Job, Given> & Partial<Job>): Job {
  const now = Date.now();
  return {
    status: 'queued',
    retry_count: 0,
    created_at: instant(now),
    lane: laneOf(laneNameOf(given), given.job_id),
    ready_at: instant(now),
    turn: turnOf(given),
    due_at: instant(now + ringGraceMs),
    ...given,
  };
}

/** Puts a new job into the table. Returns it as it is there, if it was there already. */
export async function putJob(job: Job): Promise<Job> {
  const created = await unlessConditionFails(
    dynamodb.send(
      new PutCommand({
        TableName: setting('JOBS_TABLE'),
        Item: job,
        ConditionExpression: 'attribute_not_exists(job_id)',
      }),
    ),
  );
  return (!created && (await findJob(job))) || job;
}

/** Only when its file is opened does it show what an `auto` job is to do, so it goes to the lane that opens any. */
function laneNameOf({ input_type, job_type, pipeline }: Pick<Job, Given> & Partial<Job>): LaneName {
  if (input_type === 'drive_folder') return 'folder';
  return job_type === 'chat' && !pipeline ? 'chat' : 'ocr';
}
