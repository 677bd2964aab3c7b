import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, expect, it, vi } from 'vitest';
import { NoRoomError } from '../../../shared/http/byte-budget.ts';
import type { ClaimedJob } from '../../../shared/jobs/engine/item/job.ts';
import { claimJob } from '../../../shared/jobs/engine/item/job-lease.ts';
import { runLeased } from '../../../shared/jobs/work/run-leased.ts';
import { ModelPausedError, unavailable, unreached } from '../../../shared/models/errors.ts';
import { useJsonServer } from '../../support/servers/json-server.ts';
import { itemOf, submitted } from '../../support/worlds/jobs.ts';
import { useStore } from '../../support/worlds/store.ts';

await useStore();
let failure = { status: 400, code: 'ThrottlingException' };
const store = await useJsonServer(() => ({
  status: failure.status,
  body: { __type: `com.amazonaws#${failure.code}`, message: 'no' },
}));
const client = new DynamoDBClient({ endpoint: store.url, maxAttempts: 1 });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

/** Runs a job once, whose work fails. */
async function failedWith(fail: () => Promise<never>, ageMs = 0) {
  const job = await submitted({ max_retries: 0 });
  vi.advanceTimersByTime(ageMs);
  const claimed = (await claimJob(job)) as ClaimedJob;
  await runLeased(claimed, fail, new AbortController().signal);
  return itemOf(job);
}

const askStore = async () => {
  await client.send(new GetItemCommand({ TableName: 'any', Key: { id: { S: 'a' } } }));
  throw new Error('the store has answered');
};

it.each([
  ['throttles', 400, 'ThrottlingException'],
  ['throttles a table', 400, 'ProvisionedThroughputExceededException'],
  ['fails', 500, 'InternalServerError'],
])('a store that %s costs a job no retry: it waits', async (_, status, code) => {
  failure = { status, code };

  const job = await failedWith(askStore);

  expect(job).toMatchObject({ status: 'queued', retry_count: 0 });
  expect(Date.parse(job.ready_at)).toBeGreaterThan(Date.now());
});

it('a store that refuses what the job asks is the job’s failure', async () => {
  failure = { status: 400, code: 'ValidationException' };

  expect(await failedWith(askStore)).toMatchObject({ status: 'failed' });
});

it('six hours after its submission an outage costs retries', async () => {
  failure = { status: 500, code: 'InternalServerError' };

  expect(await failedWith(askStore, 6 * 3_600_000 + 1)).toMatchObject({ status: 'failed' });
});

it.each([0, 7 * 3_600_000])(
  'memory that others have costs no retry, also of a job that is %i ms old',
  async (ageMs) => {
    const job = await failedWith(() => Promise.reject(new NoRoomError()), ageMs);

    expect(job).toMatchObject({ status: 'queued', retry_count: 0 });
    expect(Date.parse(job.ready_at)).toBeLessThanOrEqual(Date.now() + 10_000);
  },
);

it('a provider that was not asked costs no retry, and is left alone for as long as advised', async () => {
  const paused = new ModelPausedError(503, 'model_unavailable', 'later', { retryAfterSeconds: 40 });

  const job = await failedWith(() => Promise.reject(paused));

  expect(job).toMatchObject({ status: 'queued', retry_count: 0 });
  expect(Date.parse(job.ready_at)).toBeGreaterThanOrEqual(Date.now() + 40_000);
});

it('a provider that could not be reached costs a lone job no retry', async () => {
  const job = await failedWith(() => Promise.reject(unreached(new Error('ECONNREFUSED'))));

  expect(job).toMatchObject({ status: 'queued', retry_count: 0 });
});

it('a provider that was asked, and failed, costs one', async () => {
  const failed = () => Promise.reject(unavailable('stub status 503'));

  expect(await failedWith(failed)).toMatchObject({ status: 'failed' });
});
