import { expect, it } from 'vitest';
import { Company } from '../../shared/jobs/company.ts';
import type { ClaimedJob } from '../../shared/jobs/job.ts';
import type { RunJob } from '../../shared/jobs/run-leased.ts';
import { answer } from '../support/worlds/jobs.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore();

const inTime = new AbortController().signal;
const job = (job_id: string, runs_alone = false) =>
  ({ key_id: 'key_test', job_id, lease_id: job_id, runs_alone }) as ClaimedJob;
const work: RunJob = async () => answer;

/** Lets a job into a company. Returns what lets it leave again, once it is in. */
async function entered(company: Company, of: ClaimedJob): Promise<() => Promise<void>> {
  const isIn = Promise.withResolvers<void>();
  const mayLeave = Promise.withResolvers<void>();
  const stay = company.keep(work, async (inCompany) => {
    await inCompany(of, inTime);
    isIn.resolve();
    await mayLeave.promise;
  });
  await isIn.promise;
  return () => {
    mayLeave.resolve();
    return stay;
  };
}

it('has its place back from a job whose work was called twice, as that of a stopped one is', async () => {
  const company = new Company();
  const begun: string[] = [];
  const noted: RunJob = async ({ job_id }) => {
    begun.push(job_id);
    return answer;
  };

  await company.keep(noted, async (inCompany) => {
    await inCompany(job('stopped'), inTime);
    await inCompany(job('stopped'), inTime);
  });
  await company.keep(noted, async (inCompany) => {
    await inCompany(job('alone', true), inTime);
  });

  expect(begun).toEqual(['stopped', 'stopped', 'alone']);
});

it('lets a job go on later whose time was up before it came to wait', async () => {
  const company = new Company();
  const leave = await entered(company, job('alone', true));
  let isBegun = false;

  let outcome: unknown;
  await company.keep(
    async () => {
      isBegun = true;
      return answer;
    },
    async (inCompany) => {
      outcome = await inCompany(job('late'), AbortSignal.abort());
    },
  );
  await leave();

  expect(outcome).toBeTypeOf('function');
  expect(isBegun).toBe(false);
});
