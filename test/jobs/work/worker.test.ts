import { setImmediate } from 'node:timers/promises';
import { type GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';
import { type ClaimedJob, type Job, leaseMs } from '../../../shared/jobs/engine/item/job.ts';
import type { JobResult } from '../../../shared/jobs/results/result.ts';
import { cancelJob } from '../../../shared/jobs/routes/stop.ts';
import { notify } from '../../../shared/jobs/work/notify.ts';
import type { RunJob } from '../../../shared/jobs/work/run-leased.ts';
import { sweepJobs } from '../../../shared/jobs/work/sweep.ts';
import { jobWorker } from '../../../shared/jobs/work/worker.ts';
import { writtenLines } from '../../support/run/output.ts';
import {
  contextOf,
  contextOfOneClaim,
  eventOf,
  recordOf,
  takeMessages,
} from '../../support/servers/queue.ts';
import { pass, useStoppedClock } from '../../support/worlds/clock.ts';
import { answer, caller, itemOf, messageFor, submitted } from '../../support/worlds/jobs.ts';
import { useStore } from '../../support/worlds/store.ts';

const store = await useStore({ queues: true });

let runs: string[];

useStoppedClock();
beforeEach(async () => {
  runs = [];
  await store.renew();
});

const run: RunJob = async ({ job_id }) => {
  runs.push(job_id);
  return answer;
};
const recordFor = (job: Job) => recordOf(JSON.stringify(messageFor(job)));
const statusOf = async (job: Job) => (await itemOf(job)).status;

it('runs a job once however often its message comes, one after another or at once', async () => {
  const job = await submitted();
  const message = recordFor(job);

  const responses = await Promise.all([
    jobWorker(run)(eventOf(message, message), contextOf()),
    jobWorker(run)(eventOf(message), contextOf()),
  ]);
  responses.push(await jobWorker(run)(eventOf(message), contextOf()));

  expect(runs).toEqual([job.job_id]);
  expect(responses).toEqual(Array(3).fill({ batchItemFailures: [] }));
  expect(await statusOf(job)).toBe('done');
});

it('takes a message for a job that was cancelled, and runs nothing', async () => {
  const job = await submitted();
  await cancelJob(caller, job.job_id);

  const response = await jobWorker(run)(eventOf(recordFor(job)), contextOf());

  expect(response.batchItemFailures).toEqual([]);
  expect(runs).toEqual([]);
});

it.each([
  ['no JSON', 'notify, notify'],
  ['no object', 'null'],
  ['no job', '{"lane":"chat#0","key_id":"key_test","priority":1,"waits":false}'],
  ['an empty key', '{"lane":"chat#0","key_id":"","job_id":"job_1","priority":1,"waits":false}'],
])('fails a message with %s alone, and runs the jobs of the others', async (_, body) => {
  const jobs = [await submitted(), await submitted()];
  const [first, last] = jobs.map(recordFor);
  const poison = recordOf(body);
  const batch = [first, poison, last].filter((record) => record !== undefined);

  const response = await jobWorker(run)(eventOf(...batch), contextOf());

  expect(response.batchItemFailures).toEqual([{ itemIdentifier: poison.messageId }]);
  expect(runs.toSorted()).toEqual(jobs.map(({ job_id }) => job_id));
});

it('runs the other jobs of a batch when one breaks', async () => {
  const jobs = [await submitted({ max_retries: 0 }), await submitted(), await submitted()];
  const [broken, ...others] = jobs as [Job, Job, Job];
  const breaking: RunJob = async (job, signal) => {
    if (job.job_id === broken.job_id) throw new TypeError('a mistake in code');
    return run(job, signal);
  };

  const response = await jobWorker(breaking)(eventOf(...jobs.map(recordFor)), contextOf());

  expect(response.batchItemFailures).toEqual([]);
  expect(await itemOf(broken)).toMatchObject({
    status: 'failed',
    error: 'internal_error: Something went wrong on our side.',
  });
  for (const job of others) expect(await statusOf(job)).toBe('done');
});

/** Notes the requests to the store from now on: each operation with its table, if it names one. */
function requestsFromNow(): string[] {
  const requests: string[] = [];
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        requests.push(
          [commandName, (args.input as GetCommand['input']).TableName].join(' ').trim(),
        );
        return next(args);
      },
    { step: 'initialize', name: 'requests', override: true },
  );
  onTestFinished(() => void dynamodb.middlewareStack.remove('requests'));
  return requests;
}

it('reads a key once in a second for all jobs that it runs, and after its claims', async () => {
  const keyRead = `GetItemCommand ${setting('KEYS_TABLE')}`;
  const claim = `UpdateItemCommand ${setting('JOBS_TABLE')}`;
  const requests = requestsFromNow();
  const runThree = async () => {
    const jobs = [await submitted(), await submitted(), await submitted()];
    requests.length = 0;
    await jobWorker(run)(eventOf(...jobs.map(recordFor)), contextOfOneClaim());
    return requests.filter((each) => each === keyRead).length;
  };
  pass(1_000);

  expect(await runThree()).toBe(1);
  const beforeRead = requests.slice(0, requests.indexOf(keyRead));
  expect(beforeRead.filter((each) => each === claim)).toHaveLength(3);
  pass(999);
  expect(await runThree()).toBe(0);
  pass(1_000);
  expect(await runThree()).toBe(1);
  expect(runs).toHaveLength(9);
});

it('reads the jobs of late and doubled messages at once, and runs none again', async () => {
  const jobs = await Promise.all(Array.from({ length: 3 }, () => submitted()));
  await jobWorker(run)(eventOf(...jobs.map(recordFor)), contextOf());
  const done = await Promise.all(jobs.map(itemOf));
  const requests = requestsFromNow();

  await jobWorker(run)(eventOf(...[...jobs, ...jobs].map(recordFor)), contextOf());

  expect(requests).toEqual([`QueryCommand ${setting('JOBS_TABLE')}`, 'BatchGetItemCommand']);
  expect(await Promise.all(jobs.map(itemOf))).toEqual(done);
  expect(runs).toHaveLength(3);
});

it('goes on with ready jobs whose messages were lost', async () => {
  const jobs = await Promise.all(Array.from({ length: 7 }, () => submitted()));

  await jobWorker(run)(eventOf(...jobs.slice(0, 2).map(recordFor)), contextOf());

  expect(runs.toSorted()).toEqual(jobs.map(({ job_id }) => job_id).toSorted());
});

it('runs all others while a slow job has one slot', async () => {
  const jobs = await Promise.all(Array.from({ length: 7 }, () => submitted()));
  const slow = jobs[0]?.job_id;
  const othersEnded = Promise.withResolvers<void>();
  const oneSlow: RunJob = async (job, signal) => {
    if (job.job_id === slow) await othersEnded.promise;
    const result = await run(job, signal);
    if (runs.length === 6) othersEnded.resolve();
    return result;
  };

  await jobWorker(oneSlow)(eventOf(...jobs.slice(0, 2).map(recordFor)), contextOf());

  expect(runs.at(-1)).toBe(slow);
  expect(runs.toSorted()).toEqual(jobs.map(({ job_id }) => job_id).toSorted());
});

it('refills a slot that frees while the one beside it is refilled', async () => {
  const jobs = await Promise.all(Array.from({ length: 4 }, () => submitted()));
  const [first, second] = jobs.toSorted((a, b) => ((a.turn ?? '') < (b.turn ?? '') ? -1 : 1));
  const refill = Promise.withResolvers<void>();
  const lastBegun = Promise.withResolvers<void>();
  const send = dynamodb.send.bind(dynamodb);
  vi.spyOn(dynamodb, 'send').mockImplementation(async (command: object) => {
    const isRefill = command instanceof QueryCommand && runs.length > 0;
    if (isRefill && second && (await statusOf(second)) === 'processing') {
      refill.resolve();
      await vi.waitUntil(async () => (await statusOf(second)) === 'done', { timeout: 60_000 });
      await setImmediate();
    }
    return send(command as GetCommand);
  });
  const overlapping: RunJob = async (job, signal) => {
    const result = await run(job, signal);
    if (job.job_id === second?.job_id) await refill.promise;
    if (runs.length === 4) lastBegun.resolve();
    if (job.job_id !== first?.job_id && job.job_id !== second?.job_id) await lastBegun.promise;
    return result;
  };

  await jobWorker(overlapping, 2)(eventOf(...jobs.slice(0, 2).map(recordFor)), contextOf());

  for (const job of jobs) expect(await statusOf(job)).toBe('done');
});

it('takes a job that comes while another runs, if it has a slot free', async () => {
  const slow = await submitted();
  const late = Promise.withResolvers<void>();
  const slowUntilLate: RunJob = async (job, signal) => {
    if (job.job_id === slow.job_id) {
      await submitted();
      await late.promise;
    } else late.resolve();
    return run(job, signal);
  };

  await jobWorker(slowUntilLate, 2)(eventOf(recordFor(slow)), contextOf());

  expect(runs).toHaveLength(2);
  expect(runs.at(-1)).toBe(slow.job_id);
});

it('runs as many at once as it may, however few its messages are', async () => {
  const jobs = await Promise.all(Array.from({ length: 3 }, () => submitted()));
  const allBegun = Promise.withResolvers<void>();
  const together: RunJob = async (job, signal) => {
    const result = await run(job, signal);
    if (runs.length === 3) allBegun.resolve();
    await allBegun.promise;
    return result;
  };

  await jobWorker(together, 3)(eventOf(...jobs.slice(0, 1).map(recordFor)), contextOf());

  for (const job of jobs) expect(await statusOf(job)).toBe('done');
});

it('begins at once a job that was submitted by a clock 30 seconds ahead', async () => {
  const now = Date.now();
  vi.setSystemTime(now + 30_000);
  const job = await submitted();
  vi.setSystemTime(now);

  await notify([job]);
  await jobWorker(run)(eventOf(...(await takeMessages())), contextOf());

  expect(await statusOf(job)).toBe('done');
});

it('sends another message for a job whose message was lost', async () => {
  const job = await submitted();
  vi.setSystemTime(Date.parse(job.due_at ?? '') + 1);

  await sweepJobs();
  await jobWorker(run)(eventOf(...(await takeMessages())), contextOf());

  expect(await statusOf(job)).toBe('done');
});

it('sends no message for anything that is not due', async () => {
  const job = await submitted();
  vi.setSystemTime(Date.parse(job.due_at ?? '') - 1);

  await sweepJobs();

  expect(await takeMessages()).toEqual([]);
});

it('tells how long jobs have waited, and writes no figure while none does', async () => {
  const job = await submitted();
  const figures = () => writtenLines().filter((line) => line.includes('"OldestReadyMs":'));

  await sweepJobs();
  const atRest = figures();
  vi.setSystemTime(Date.parse(job.due_at ?? '') + 1);
  await sweepJobs();

  expect(atRest).toEqual([]);
  expect(figures()).toHaveLength(1);
});

it('waits longer and longer before it sends another', async () => {
  const job = await submitted();
  const waits: number[] = [];
  for (let round = 0; round < 4; round++) {
    const { due_at = '' } = await itemOf(job);
    waits.push(Date.parse(due_at) - Date.now());
    vi.setSystemTime(Date.parse(due_at));

    await sweepJobs();
  }

  const [firstWait = 0] = waits;
  expect(await takeMessages()).toHaveLength(4);
  expect(waits.map((wait) => wait / firstWait)).toEqual([1, 1, 2, 4]);
});

it('finishes the job of a worker that was lost, whose own late answer changes nothing', async () => {
  const job = await submitted();
  const started = Promise.withResolvers<ClaimedJob>();
  const late = Promise.withResolvers<JobResult>();
  const stuck: RunJob = (claim) => {
    started.resolve(claim);
    return late.promise;
  };
  const lostWorker = jobWorker(stuck)(eventOf(recordFor(job)), contextOf());
  vi.setSystemTime(Date.parse((await started.promise).lease_until));

  await sweepJobs();
  await jobWorker(run)(eventOf(recordFor(job)), contextOf());
  late.resolve({ ...answer, content: 'too late' });
  await lostWorker;

  const { status, retry_count, result_json } = await itemOf(job);
  expect({ status, retry_count }).toEqual({ status: 'done', retry_count: 0 });
  expect(result_json).toBe(JSON.stringify(answer));
  expect(runs).toEqual([job.job_id]);
});

it('takes no retry from the jobs beside one over which workers are lost, and fails that at its second worker', async () => {
  const harmless = [await submitted({ max_retries: 0 }), await submitted({ max_retries: 0 })];
  const poison = await submitted({ max_retries: 1 });
  const jobs = [...harmless, poison];
  const over = Promise.withResolvers<JobResult>();
  const lostWorkers: Promise<unknown>[] = [];
  /**
   * Runs what is ready by a worker that is lost: the first one once all jobs have begun, later ones once the poison has.
   * The others of those run before the poison, or never.
   */
  const loseWorker = async () => {
    const isFirst = lostWorkers.length === 0;
    const begun = Promise.withResolvers<void>();
    let tries = 0;
    const work: RunJob = async (job, signal) => {
      tries += 1;
      const isPoison = job.job_id === poison.job_id;
      if (isFirst ? tries === jobs.length : isPoison) begun.resolve();
      return isFirst || isPoison ? over.promise : run(job, signal);
    };
    lostWorkers.push(jobWorker(work)(eventOf(...jobs.map(recordFor)), contextOfOneClaim()));
    await begun.promise;
    vi.setSystemTime(Date.now() + leaseMs + 1);
    await sweepJobs();
    return itemOf(poison);
  };

  const losses = [await loseWorker(), await loseWorker()];
  await jobWorker(run)(eventOf(...jobs.map(recordFor)), contextOf());
  over.resolve(answer);
  await Promise.all(lostWorkers);

  expect(losses).toMatchObject([
    { status: 'queued', retry_count: 0 },
    { status: 'failed', retry_count: 0, error: expect.stringMatching(/^worker_lost_twice: /) },
  ]);
  for (const job of harmless) {
    expect(await itemOf(job)).toMatchObject({ status: 'done', retry_count: 0 });
  }
});

it('lets no job begin beside one that runs alone until the end of that one is written', async () => {
  const jobs = [await submitted(), await submitted()];
  for (const { key_id, job_id } of jobs) {
    await dynamodb.send(
      new UpdateCommand({
        TableName: setting('JOBS_TABLE'),
        Key: { key_id, job_id },
        UpdateExpression: 'SET runs_alone = :true',
        ExpressionAttributeValues: { ':true': true },
      }),
    );
  }
  const ending = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const send = dynamodb.send.bind(dynamodb);
  vi.spyOn(dynamodb, 'send').mockImplementation(async (command: object) => {
    const { ExpressionAttributeValues: values } = (command as UpdateCommand).input;
    if (Object.values(values ?? {}).includes('done')) {
      ending.resolve();
      await mayEnd.promise;
    }
    return send(command as GetCommand);
  });

  const worker = jobWorker(run)(eventOf(...jobs.map(recordFor)), contextOf());
  await ending.promise;
  // More requests than another job would need to begin.
  for (const job of [...jobs, ...jobs]) await itemOf(job);
  const begun = [...runs];
  mayEnd.resolve();
  await worker;

  expect(begun).toHaveLength(1);
  expect(await Promise.all(jobs.map(statusOf))).toEqual(['done', 'done']);
});

it('returns all its messages when the table cannot be read', async () => {
  const messages = [await submitted(), await submitted(), await submitted()].map(recordFor);
  vi.stubEnv('JOBS_TABLE', 'no-such-table');

  const { batchItemFailures } = await jobWorker(run)(eventOf(...messages), contextOf());

  expect(batchItemFailures).toEqual(
    messages.map(({ messageId }) => ({ itemIdentifier: messageId })),
  );
});
