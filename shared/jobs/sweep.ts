import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { errorFields, log } from '../log.ts';
import { childrenOf } from './children.ts';
import { countEnded } from './count-children.ts';
import { type ClaimedJob, instant, type Job, type JobKey } from './job.ts';
import { ringGraceMs, updateJob, whileSilent } from './job-update.ts';
import { allLanes } from './lane.ts';
import { findJob } from './read.ts';
import { ring } from './ring.ts';
import { childrenGraceMs, resumeJob } from './suspension.ts';
import { endWait, retryJob } from './transitions.ts';

/** Looks after every job that is due: takes back expired leases, rings again for what nobody rang for. */
export async function sweepJobs(lanes = allLanes()): Promise<void> {
  for (const lane of lanes) {
    let swept = 0;
    for await (const keys of dueJobs(lane)) {
      await Promise.all(keys.map(sweepAlone));
      swept += keys.length;
    }
    if (swept > 0) log('info', 'jobs swept', { lane, jobs: swept });
  }
}

async function* dueJobs(lane: string): AsyncGenerator<JobKey[]> {
  const now = instant(Date.now());
  let from: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb.send(
      new QueryCommand({
        TableName: setting('JOBS_TABLE'),
        IndexName: 'due',
        KeyConditionExpression: 'lane = :lane AND due_at <= :now',
        ExpressionAttributeValues: { ':lane': lane, ':now': now },
        Limit: 25,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    yield Items as JobKey[];
    from = LastEvaluatedKey;
  } while (from);
}

/** A job that can't be swept must not keep the sweep from the others. */
async function sweepAlone(key: JobKey): Promise<void> {
  try {
    await sweepJob(key);
  } catch (error) {
    log('error', 'sweep of a job failed', { job_id: key.job_id, ...errorFields(error) });
  }
}

async function sweepJob(key: JobKey): Promise<void> {
  const job = await findJob(key);
  if (job?.status === 'processing')
    await (job.lease_id ? takeBack(job as ClaimedJob) : lookAfter(job));
  if (job?.status === 'queued') await ringAgain(job);
}

async function takeBack(job: ClaimedJob): Promise<void> {
  if (Date.parse(job.lease_until) > Date.now()) return;
  const error = 'worker_lost: The worker stopped before it finished the job.';
  const taken = await retryJob(job, error, 0, whileSilent(job));
  if (taken) log('warn', 'lease expired', { job_id: job.job_id, status: taken.status });
}

/** A job that waits for its children is looked at again later, and whom nobody counted is counted. */
async function lookAfter(parent: Job): Promise<void> {
  const postponed = await updateJob(parent, {
    when: '#status = :processing AND due_at = :due',
    values: { ':processing': 'processing', ':due': parent.due_at },
    set: { due_at: instant(Date.now() + childrenGraceMs) },
  });
  if (!postponed) return;
  const uncounted: Job[] = [];
  for await (const child of childrenOf(parent)) {
    if (child.completed_at && !child.counted) uncounted.push(child);
  }
  await countEnded(uncounted);
  if (uncounted.length === 0) await resumeJob(parent);
}

/** The longer a job has waited, the later it is rung for again, so that a long queue isn't flooded. */
async function ringAgain(job: Job): Promise<void> {
  const now = Date.now();
  const waitedMs = now - Date.parse(job.ready_at);
  const postponed = await updateJob(job, {
    when: '#status = :queued AND due_at = :due',
    values: { ':queued': 'queued', ':due': job.due_at },
    set: { due_at: instant(now + Math.max(ringGraceMs, waitedMs)) },
  });
  if (!postponed) return;
  await ring([job.turn ? job : ((await endWait(job)) ?? job)]);
}
