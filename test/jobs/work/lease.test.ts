import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import type { ClaimedJob } from '../../../shared/jobs/engine/item/job.ts';
import { claimJob, renewLease, saveProgress } from '../../../shared/jobs/engine/item/job-lease.ts';
import { takeBackJob } from '../../../shared/jobs/engine/item/job-retry.ts';
import { runChatJob } from '../../../shared/jobs/kinds/chat-queue.ts';
import { runLeased } from '../../../shared/jobs/work/run-leased.ts';
import { sweepJobs } from '../../../shared/jobs/work/sweep.ts';
import { useModelStub } from '../../support/servers/model-stub.ts';
import { answer, itemOf, submitted } from '../../support/worlds/jobs.ts';
import { chargesOf } from '../../support/worlds/ledger-world.ts';
import { useStore } from '../../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
});

const neverUp = new AbortController().signal;

async function claimed(rest: object = {}): Promise<ClaimedJob> {
  const claim = await claimJob(await submitted(rest));
  if (!claim) throw new Error('the job was not claimed');
  return claim;
}

it('writes down the answer', async () => {
  const job = await claimed();

  await runLeased(job, runChatJob, neverUp);

  const { status, result_json = '' } = await itemOf(job);
  expect(status).toBe('done');
  expect(JSON.parse(result_json).content).toBe('echo: a question');
});

it('is done and charged once when the response to the write that ends it is lost', async () => {
  const job = await claimed();
  const calls = stub.requests.length;
  const written = countRequests('TransactWriteItemsCommand', { lost: 1 });

  await runLeased(job, runChatJob, neverUp);

  expect(written.requests).toBe(1);
  expect(await itemOf(job)).toMatchObject({ status: 'done', result_json: expect.any(String) });
  expect(stub.requests.length - calls).toBe(1);
  const charges = (await chargesOf(job.key_id)).filter(({ job_id }) => job_id === job.job_id);
  expect(charges).toMatchObject([{ status: 'settled' }]);
});

/** Counts requests of a kind to the store from now on; of the first so many the response is lost. */
function countRequests(commandName: string, { lost = 0 } = {}): { requests: number } {
  const counted = { requests: 0 };
  dynamodb.middlewareStack.add(
    (next, context) => async (args) => {
      const output = await next(args);
      if (context.commandName !== commandName) return output;
      counted.requests += 1;
      if (counted.requests <= lost) throw new Error('socket hang up');
      return output;
    },
    { step: 'deserialize', priority: 'low', name: 'countRequests', override: true },
  );
  onTestFinished(() => void dynamodb.middlewareStack.remove('countRequests'));
  return counted;
}

it('gives up on a model that hangs when the time is up, and retries', async () => {
  stub.respond([{ kind: 'hang' }]);
  const job = await claimed();
  const timeIsUp = new AbortController();
  const calls = stub.requests.length;

  const running = runLeased(job, runChatJob, timeIsUp.signal);
  await stub.requestCount(calls + 1);
  timeIsUp.abort();
  await running;

  await stub.requests.at(-1)?.closed;
  const { status, retry_count, error, ready_at } = await itemOf(job);
  expect({ status, retry_count }).toEqual({ status: 'queued', retry_count: 1 });
  expect(error).toMatch(/^timeout: /);
  expect(Date.parse(ready_at) - Date.now()).toBeLessThanOrEqual(1_000);
});

it('fails a job whose last try hangs', async () => {
  stub.respond([{ kind: 'hang', at: 'midway' }]);
  const job = await claimed({ max_retries: 0 });
  const timeIsUp = new AbortController();
  const calls = stub.requests.length;

  const running = runLeased(job, runChatJob, timeIsUp.signal);
  await stub.requestCount(calls + 1);
  timeIsUp.abort();
  await running;

  expect(await itemOf(job)).toMatchObject({
    status: 'failed',
    retry_count: 0,
    error: expect.stringMatching(/^timeout: /),
  });
});

it('keeps its lease as long as the job runs', async () => {
  const job = await claimed();
  const finish = Promise.withResolvers<typeof answer>();

  const running = runLeased(job, () => finish.promise, neverUp);
  for (let beat = 0; beat < 5; beat++) {
    const { lease_until } = await itemOf(job);
    vi.advanceTimersByTime(10_000);
    while ((await itemOf(job)).lease_until === lease_until);
    await sweepJobs();
  }
  finish.resolve(answer);
  await running;

  expect(await itemOf(job)).toMatchObject({ status: 'done', retry_count: 0 });
});

it('keeps its lease from a sweep whose clock is 30 seconds ahead', async () => {
  const job = await claimed();
  const finish = Promise.withResolvers<typeof answer>();
  const running = runLeased(job, () => finish.promise, neverUp);
  // Just before it is renewed.
  vi.setSystemTime(Date.now() + 9_999 + 30_000);

  await sweepJobs();
  const swept = await itemOf(job);
  finish.resolve(answer);
  await running;

  expect(swept).toEqual(job);
  expect(await itemOf(job)).toMatchObject({ status: 'done' });
});

it('keeps its lease when a sweep saw it lapse, but the worker has renewed it since', async () => {
  const seenBySweep = await claimed();
  vi.setSystemTime(Date.parse(seenBySweep.lease_until) + 1);
  const renewed = await renewLease(seenBySweep);

  const taken = await takeBackJob(seenBySweep, 'worker_lost: gone', 'worker_lost_twice: gone');

  expect(taken).toBeUndefined();
  expect(await itemOf(seenBySweep)).toEqual(renewed);
});

it('keeps its lease when the index of a sweep lags behind the renewal', async () => {
  const job = await claimed();
  await saveProgress(job, { due_at: job.created_at });
  const held = await itemOf(job);

  await sweepJobs();

  expect(await itemOf(job)).toEqual(held);
});

it('is moved among the jobs that are due by each fourth renewal, before it would be due', async () => {
  const job = await claimed();
  const began = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<typeof answer>();
  const running = runLeased(
    job,
    () => {
      began.resolve();
      return finish.promise;
    },
    neverUp,
  );
  await began.promise;
  const requests = endedRequests();
  const moved: string[] = [];

  let now = await itemOf(job);
  for (let beat = 1; beat <= 8; beat++) {
    const { due_at } = now;
    // A beat renews the lease, and reads the key.
    const soFar = requests.ended;
    vi.advanceTimersByTime(10_000);
    while (requests.ended < soFar + 2) await setImmediate();
    await setImmediate();
    now = await itemOf(job);
    expect(now.due_at).toSatisfy((due) => due > new Date().toISOString());
    if (now.due_at !== due_at) moved.push(`${beat}: ${now.due_at === now.lease_until}`);
  }
  finish.resolve(answer);
  await running;

  expect(moved).toEqual(['4: true', '8: true']);
});

/** Counts the requests to the store that have come to an end from now on. */
function endedRequests(): { ended: number } {
  const requests = { ended: 0 };
  dynamodb.middlewareStack.add(
    (next) => async (args) =>
      next(args).finally(() => {
        requests.ended += 1;
      }),
    { step: 'initialize', priority: 'high', name: 'endedRequests', override: true },
  );
  onTestFinished(() => void dynamodb.middlewareStack.remove('endedRequests'));
  return requests;
}

it('keeps a renewed lease from a sweep that finds it due, and loses it to the first one after its end', async () => {
  const job = await claimed();
  vi.advanceTimersByTime(30_000);
  const renewed = await renewLease(job);
  expect(renewed?.due_at).toBe(job.due_at);
  vi.setSystemTime(Date.parse(job.due_at ?? '') + 1);

  await sweepJobs();
  const swept = await itemOf(job);
  vi.setSystemTime(Date.parse(renewed?.lease_until ?? ''));
  await sweepJobs();

  expect(swept).toEqual(renewed);
  expect(await itemOf(job)).toMatchObject({ status: 'queued', runs_alone: true });
});

it('stops at once, and writes nothing, when the lease was lost', async () => {
  const job = await claimed();
  const began = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<unknown>();

  const running = runLeased(
    job,
    (_, signal) =>
      new Promise((_resolve, reject) => {
        began.resolve();
        signal.addEventListener('abort', () => {
          stopped.resolve(signal.reason);
          reject(signal.reason);
        });
      }),
    neverUp,
  );
  await began.promise;
  vi.setSystemTime(Date.parse(job.lease_until));
  await sweepJobs();
  const takenBack = await itemOf(job);
  vi.advanceTimersByTime(10_000);
  await stopped.promise;
  await running;

  expect(takenBack).toMatchObject({ status: 'queued', retry_count: 0, runs_alone: true });
  expect(await itemOf(job)).toEqual(takenBack);
});
