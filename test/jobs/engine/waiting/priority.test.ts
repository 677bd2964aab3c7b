import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { dynamodb } from '../../../../shared/aws/dynamodb.ts';
import type { Job } from '../../../../shared/jobs/engine/item/job.ts';
import { retryJob } from '../../../../shared/jobs/engine/item/job-retry.ts';
import { completionOf } from '../../../../shared/jobs/results/keep-result.ts';
import { claimBest, claimJobs } from '../../../../shared/jobs/work/claim-jobs.ts';
import { cases } from '../../../support/run/cases.ts';
import {
  allWrites,
  answer,
  itemOf,
  lane,
  messageFor,
  submitted,
} from '../../../support/worlds/jobs.ts';
import { useStore } from '../../../support/worlds/store.ts';

const store = await useStore();

beforeEach(() => store.renew());

/** Two hundred priorities, each from 1 to 100 twice, shuffled; the first forty of them in the quick run. */
const priorities = Array.from({ length: cases(40, 200) }, (_, index) => ((index * 37) % 100) + 1);

const turnOf = ({ priority, job_id }: Job) => `${String(priority).padStart(3, '0')}#${job_id}`;
const inTurn = (jobs: Job[]) => jobs.toSorted((a, b) => (turnOf(a) < turnOf(b) ? -1 : 1));
const idsOf = (jobs: { job_id: string }[]) => jobs.map(({ job_id }) => job_id);

async function submittedOneByOne(priorities: number[]): Promise<Job[]> {
  const jobs: Job[] = [];
  for (const priority of priorities) jobs.push(await submitted({ priority }));
  return jobs;
}

/** The claimed jobs in the order in which the table saw their claims. */
async function claimsInTable(): Promise<string[]> {
  const writes = await allWrites();
  return writes.flatMap(({ before, after }) =>
    before?.status === 'queued' && after?.status === 'processing' ? [after.job_id] : [],
  );
}

/**
 * Four at once claim for one message after another. One that finds nothing waits for `more`, and stops where there will
 * be none.
 */
function fourWorkers(
  claimOne: () => Promise<boolean>,
  more = (): Promise<void> | undefined => undefined,
): Promise<unknown> {
  const work = async () => {
    for (;;) {
      const awaited = more();
      if (await claimOne()) continue;
      if (!awaited) return;
      await awaited;
    }
  };
  return Promise.all([work(), work(), work(), work()]);
}

describe('four workers that claim at once', () => {
  it('take jobs by priority, then age, each once', async () => {
    const jobs = await submittedOneByOne(priorities);
    const messages = jobs.map(messageFor);

    await fourWorkers(async () => {
      const bell = messages.pop();
      return bell !== undefined && (await claimJobs(lane, [bell])).length === 1;
    });

    // What workers of one process claim together is written in any order.
    const best = idsOf(inTurn(jobs));
    const claimed = await claimsInTable();
    const ahead = claimed.map((id, index) => Math.abs(best.indexOf(id) - index));
    expect(claimed.toSorted()).toEqual(best.toSorted());
    expect(Math.max(...ahead)).toBeLessThan(4);
  });

  it('pass over no better job that was ready before, while more are submitted', {
    tags: 'exhaustive',
  }, async () => {
    const first = await submittedOneByOne(priorities.slice(0, 20));
    const ready = new Map(first.map((job) => [job.job_id, { turn: turnOf(job), step: 0 }]));
    const began = new Map<string, number>();
    let step = 0;
    let more: PromiseWithResolvers<void> | undefined = Promise.withResolvers();

    const submitting = async () => {
      for (const [index, priority] of priorities.entries()) {
        const job = await submitted({ priority });
        ready.set(job.job_id, { turn: turnOf(job), step: ++step });
        const isLast = index === priorities.length - 1;
        if (!isLast && index % 3 > 0) continue;
        more?.resolve();
        more = isLast ? undefined : Promise.withResolvers();
      }
    };
    const claimOne = async () => {
      const start = ++step;
      const [job] = await claimJobs(lane, first.slice(0, 1).map(messageFor));
      if (job) began.set(job.job_id, start);
      return job !== undefined;
    };
    await Promise.all([submitting(), fourWorkers(claimOne, () => more?.promise)]);

    const claimed = await claimsInTable();
    const passedOver = claimed.filter((id, place) => {
      const { turn } = ready.get(id) ?? { turn: '' };
      // The three after it may have been claimed together with it.
      return claimed.slice(place + 4).some((later) => {
        const better = ready.get(later);
        return better && better.turn < turn && better.step < (began.get(id) ?? 0);
      });
    });
    expect(passedOver).toEqual([]);
    expect(claimed.toSorted()).toEqual([...ready.keys()].toSorted());
  });
});

it('is kept among workers of one process that look at once, in as few looks', async () => {
  await submittedOneByOne([50, 100, 1, 7]);
  const looks: unknown[] = [];
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === 'QueryCommand') looks.push(args.input);
        return next(args);
      },
    { step: 'initialize', name: 'looks', override: true },
  );
  onTestFinished(() => void dynamodb.middlewareStack.remove('looks'));

  const claims = await Promise.all([1, 2, 3].map((count) => claimBest(lane, count)));

  expect(claims.map((of) => of.map(({ priority }) => priority))).toEqual([[1], [7, 50], [100]]);
  // The first looks at once, and the others together.
  expect(looks).toHaveLength(2);
});

describe('a worker with several messages', () => {
  it('claims as many of the best jobs, whichever the messages name', async () => {
    const jobs = await submittedOneByOne([50, 100, 1, 50, 7]);

    const claimed = await claimJobs(lane, jobs.slice(0, 3).map(messageFor));

    expect(claimed.map(({ priority }) => priority)).toEqual([1, 7, 50]);
    expect(claimed[2]?.job_id).toBe(jobs[0]?.job_id);
  });

  it("claims the messages' own jobs where the index does not list them yet", async () => {
    const [ended, unlisted, listed] = await submittedOneByOne([1, 2, 3]);
    const [first, second] = await claimJobs(lane, [ended, unlisted].map(bellOf));
    if (first) await completionOf(first, answer)();
    if (second) await retryJob(second, 'model_unavailable: busy', -1);

    const claimed = await claimJobs(lane, [ended, unlisted].map(bellOf));

    expect(idsOf(claimed)).toEqual(idsOf([listed, unlisted].map(present)));
  });

  it('lets a job that waits keep its place behind the wait', async () => {
    const [waiting, other] = await submittedOneByOne([1, 9]);
    const [claim] = await claimJobs(lane, [bellOf(waiting)]);
    if (claim) await retryJob(claim, 'rate_limit_exceeded: busy', 60_000);
    const late = messageFor(await itemOf(present(waiting)));

    const claimed = await claimJobs(lane, [late]);

    expect(late.waits).toBe(true);
    expect(idsOf(claimed)).toEqual([other?.job_id]);
  });
});

const bellOf = (job: Job | undefined) => ({ ...messageFor(present(job)), waits: false });

function present(job: Job | undefined): Job {
  if (!job) throw new Error('no such job');
  return job;
}
