import fc from 'fast-check';
import { expect } from 'vitest';
import { writeTransaction } from '../../../../shared/aws/transact.ts';
import { type ClaimedJob, findJob, type Job } from '../../../../shared/jobs/engine/item/job.ts';
import { completionWrite, failJob } from '../../../../shared/jobs/engine/item/job-end.ts';
import { beginAlone, renewLease } from '../../../../shared/jobs/engine/item/job-lease.ts';
import { retryJob } from '../../../../shared/jobs/engine/item/job-retry.ts';
import {
  continueJob,
  makeReady,
  postponeJob,
  suspendJob,
} from '../../../../shared/jobs/engine/item/job-wait.ts';
import { completionOf, keepResult } from '../../../../shared/jobs/results/keep-result.ts';
import { cancelJob, stopCallersJob } from '../../../../shared/jobs/routes/stop.ts';
import { claimJobs } from '../../../../shared/jobs/work/claim-jobs.ts';
import { sweepJobs } from '../../../../shared/jobs/work/sweep.ts';
import { pass } from '../../../support/worlds/clock.ts';
import { answer, caller, lane, messageFor, submitted } from '../../../support/worlds/jobs.ts';
import type { JobModel } from './job-model.ts';

/** The jobs submitted and all claims ever made, the lapsed ones too. */
export interface World {
  jobs: Job[];
  claims: ClaimedJob[];
}

const weights = {
  submit: 3,
  claim: 5,
  complete: 2,
  'complete in a transaction': 2,
  fail: 1,
  retry: 3,
  postpone: 1,
  continue: 1,
  suspend: 1,
  renew: 1,
  'run alone': 2,
  'end wait': 1,
  cancel: 1,
  stop: 2,
  sweep: 2,
  'pass time': 3,
};

/** A thing that may happen to jobs; `picks` choose among the world's jobs or claims. */
export const anAction = fc.record({
  kind: fc.oneof(
    ...Object.entries(weights).map(([kind, weight]) => ({
      weight,
      arbitrary: fc.constant(kind as keyof typeof weights),
    })),
  ),
  picks: fc.array(fc.nat(99), { minLength: 1, maxLength: 3 }),
  waits: fc.boolean(),
  ms: fc.constantFrom(0, 1_000, 20_000, 31_000, 130_000),
  priority: fc.integer({ min: 1, max: 100 }),
  maxRetries: fc.nat(2),
});

export type Action = typeof anAction extends fc.Arbitrary<infer Value> ? Value : never;

const retryError = 'rate_limit_exceeded: The model is busy.';
const postponeError = 'ocr_quota_exceeded: The images of this hour are used up.';
const failError = 'invalid_request_error: The model refuses this.';

const picked = <Value>(values: Value[], pick: number | undefined): Value | undefined =>
  values[(pick ?? 0) % values.length];

const doorbellsOf = ({ jobs }: World, { picks, waits }: Action) =>
  picks.flatMap((pick) => {
    const job = picked(jobs, pick);
    return job ? { ...messageFor(job), waits } : [];
  });

/** Does it; answers whether it took effect, or the ids of the jobs that were claimed. */
export async function perform(world: World, action: Action): Promise<unknown> {
  const { kind, picks, ms, priority, maxRetries } = action;
  const job = picked(world.jobs, picks[0]);
  const claim = picked(world.claims, picks[0]);
  switch (kind) {
    case 'submit':
      world.jobs.push(await submitted({ priority, max_retries: maxRetries }));
      return true;
    case 'claim': {
      const messages = doorbellsOf(world, action);
      const claims = messages.length > 0 ? await claimJobs(lane, messages) : [];
      world.claims.push(...claims);
      return claims.map(({ job_id }) => job_id);
    }
    case 'complete':
      return claim && tookEffect(completionOf(claim, answer)());
    case 'complete in a transaction':
      return claim && !claim.stop_reason && completeInTransaction(claim);
    case 'fail':
      return claim && tookEffect(failJob(claim, failError));
    case 'retry':
      return claim && tookEffect(retryJob(claim, retryError, ms));
    case 'postpone':
      return claim && tookEffect(postponeJob(claim, postponeError, Date.now() + ms));
    case 'continue':
      return claim && tookEffect(continueJob(claim));
    case 'suspend':
      return claim && tookEffect(suspendJob(claim));
    case 'renew':
      return claim && tookEffect(renewLease(claim));
    case 'run alone':
      return claim && tookEffect(beginAlone(claim));
    case 'end wait':
      return job && tookEffect(makeReady(job));
    case 'cancel':
      return job && tookEffect(cancelJob(caller, job.job_id).catch(refusal));
    case 'stop':
      return job && tookEffect(stopCallersJob(caller, job.job_id).catch(refusal));
    case 'sweep':
      await sweepJobs();
      return true;
    case 'pass time':
      pass(ms);
      return true;
  }
}

async function completeInTransaction(claim: ClaimedJob): Promise<boolean> {
  const { write, done } = completionWrite(claim, await keepResult(claim, answer));
  if (await writeTransaction([write])) return false;
  const { status, completed_at, result_json } = done;
  expect(await findJob(claim)).toMatchObject({ status, completed_at, result_json });
  return true;
}

const tookEffect = async (outcome: Promise<unknown>) => Boolean(await outcome);

function refusal(error: { statusCode?: number }): undefined {
  if (error.statusCode !== 409) throw error;
}

/** What `perform` should answer, worked out on the model; a submission is told to it afterwards. */
export function predict(model: JobModel, world: World, action: Action): unknown {
  const { kind, picks, ms } = action;
  const job = picked(world.jobs, picks[0]);
  const claim = picked(world.claims, picks[0]);
  switch (kind) {
    case 'claim':
      return model.claim(doorbellsOf(world, action));
    case 'complete':
      return claim && model.complete(claim);
    case 'complete in a transaction':
      return claim && !claim.stop_reason && model.completeUnstopped(claim);
    case 'fail':
      return claim && model.fail(claim, failError);
    case 'retry':
      return claim && model.retry(claim, retryError, ms);
    case 'postpone':
      return claim && model.postpone(claim, postponeError, ms);
    // There are no children: who waits for them goes on at once.
    case 'continue':
    case 'suspend':
      return claim && model.goOn(claim);
    case 'renew':
      return claim && model.renew(claim);
    case 'run alone':
      return claim && model.runAlone(claim);
    case 'end wait':
      return job && model.endWait(job.job_id);
    case 'cancel':
      return job && model.cancel(job.job_id);
    case 'stop':
      return job && model.stop(job.job_id);
    case 'sweep':
      model.sweep();
      return true;
    default:
      return true;
  }
}
