import { sweepDue } from '../../aws/sweep-due.ts';
import { setting } from '../../config.ts';
import { log } from '../../log.ts';
import { measure } from '../../metrics.ts';
import {
  type ClaimedJob,
  findJob,
  type Job,
  type JobKey,
  withinWindow,
} from '../engine/item/job.ts';
import { takeBackJob } from '../engine/item/job-retry.ts';
import {
  childrenGraceMs,
  makeReady,
  notifyGraceMs,
  postponeSweep,
  resumeJob,
} from '../engine/item/job-wait.ts';
import { allShards } from '../engine/item/queue-shards.ts';
import { childrenOf } from '../kinds/kinds.ts';
import { countEnded } from './count-ended.ts';
import { notify } from './notify.ts';
import { endOfWindow, stopOne } from './stop.ts';

/** Looks at each due job: takes it from a lost worker, sends its message again, or recounts its children. */
export async function sweepJobs(shards = allShards()): Promise<void> {
  let oldestReadyMs = 0;
  const table = setting('JOBS_TABLE');
  for (const lane of shards) {
    await sweepDue<JobKey>({ table, lane, limit: 25, thing: 'job' }, async (key) => {
      const readyMs = await sweepJob(key);
      oldestReadyMs = Math.max(oldestReadyMs, readyMs);
    });
  }
  // CloudWatch bills a metric for each hour in which it has figures, so it has none while nothing waits.
  if (oldestReadyMs > 0) measure({ OldestReadyMs: oldestReadyMs });
}

/** Sweeps a job. Returns for how long it has been ready, in ms. */
async function sweepJob(key: JobKey): Promise<number> {
  const job = await findJob(key);
  if (job?.status === 'queued') return notifyAgain(job);
  if (job?.status !== 'processing') return 0;
  await (job.lease_id ? takeBack(job as ClaimedJob) : countAgain(job));
  return 0;
}

async function takeBack(job: ClaimedJob): Promise<void> {
  if (Date.parse(job.lease_until) > Date.now()) return;
  const error = 'worker_lost: The worker stopped before it finished the job.';
  const lastError =
    'worker_lost_twice: The worker stopped in the midst of the job twice, the second time with no other job beside it.';
  const taken = await takeBackJob(job, error, lastError);
  if (taken) log('warn', 'lease expired', { job_id: job.job_id, status: taken.status });
}

/** Counts the children whose end nobody has counted; the stream may have lost it. */
async function countAgain(parent: Job): Promise<void> {
  if (!(await postponeSweep(parent, Date.now() + childrenGraceMs))) return;
  const uncounted: Job[] = [];
  for await (const child of childrenOf(parent)) {
    if (child.completed_at && !child.counted) uncounted.push(child);
  }
  await countEnded(uncounted);
  if (uncounted.length === 0) await resumeJob(parent);
}

/** Sends a queued job's message again, the later the longer it waits. It stops a job if its window has ended. */
async function notifyAgain(job: Job): Promise<number> {
  const windowOver = endOfWindow(job);
  if (windowOver && !job.stop_reason) {
    await stopOne(job, windowOver);
    return 0;
  }
  const now = Date.now();
  const waitedMs = now - Date.parse(job.ready_at);
  const againMs = now + Math.max(notifyGraceMs, waitedMs);
  if (!(await postponeSweep(job, job.stop_reason ? againMs : withinWindow(job, againMs)))) return 0;
  await notify([job.turn ? job : ((await makeReady(job)) ?? job)]);
  return waitedMs;
}
