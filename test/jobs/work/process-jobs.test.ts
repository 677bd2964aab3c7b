import { expect, it } from 'vitest';
import type { ClaimedJob } from '../../../shared/jobs/engine/item/job.ts';
import { ProcessJobs } from '../../../shared/jobs/work/process-jobs.ts';
import type { RunJob } from '../../../shared/jobs/work/run-leased.ts';
import { answer } from '../../support/worlds/jobs.ts';
import { useStore } from '../../support/worlds/store.ts';

await useStore();

const inTime = new AbortController().signal;
const job = (job_id: string, runs_alone = false) =>
  ({ key_id: 'key_test', job_id, lease_id: job_id, runs_alone }) as ClaimedJob;
const work: RunJob = async () => answer;

/** Starts a job among others. Returns what ends it, once it has started. */
async function started(jobs: ProcessJobs, of: ClaimedJob): Promise<() => Promise<void>> {
  const hasStarted = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const run = jobs.run(work, async (inTurn) => {
    await inTurn(of, inTime);
    hasStarted.resolve();
    await mayEnd.promise;
  });
  await hasStarted.promise;
  return () => {
    mayEnd.resolve();
    return run;
  };
}

it('a job whose work was called twice, as that of a stopped one is, makes room once', async () => {
  const jobs = new ProcessJobs();
  const begun: string[] = [];
  const noted: RunJob = async ({ job_id }) => {
    begun.push(job_id);
    return answer;
  };

  await jobs.run(noted, async (inTurn) => {
    await inTurn(job('stopped'), inTime);
    await inTurn(job('stopped'), inTime);
  });
  await jobs.run(noted, async (inTurn) => {
    await inTurn(job('alone', true), inTime);
  });

  expect(begun).toEqual(['stopped', 'stopped', 'alone']);
});

it('a job whose time was up before it came to wait goes on later', async () => {
  const jobs = new ProcessJobs();
  const end = await started(jobs, job('alone', true));
  let isBegun = false;

  let outcome: unknown;
  await jobs.run(
    async () => {
      isBegun = true;
      return answer;
    },
    async (inTurn) => {
      outcome = await inTurn(job('late'), AbortSignal.abort());
    },
  );
  await end();

  expect(outcome).toBeTypeOf('function');
  expect(isBegun).toBe(false);
});
