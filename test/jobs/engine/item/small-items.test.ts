import { UpdateCommand, type UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, it, vi } from 'vitest';
import { dynamodb } from '../../../../shared/aws/dynamodb.ts';
import { setting } from '../../../../shared/config.ts';
import { messagesOf } from '../../../../shared/jobs/asked/messages.ts';
import type { ClaimedJob, Job } from '../../../../shared/jobs/engine/item/job.ts';
import { claimJob, renewLease } from '../../../../shared/jobs/engine/item/job-lease.ts';
import { getJob, listJobs } from '../../../../shared/jobs/routes/read.ts';
import { jobWorker } from '../../../../shared/jobs/work/worker.ts';
import { contextOf, eventOf, recordOf } from '../../../support/servers/queue.ts';
import { answer, caller, itemOf, messageFor, submitted } from '../../../support/worlds/jobs.ts';
import { useStore } from '../../../support/worlds/store.ts';

const store = await useStore({ queues: true });
beforeEach(() => store.renew());

/** What DynamoDB bills for the one write of `work`, its indexes' among it. */
async function unitsOf(work: () => Promise<unknown>): Promise<number> {
  const units: number[] = [];
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' as const };
      const done = await next({ ...args, input });
      const { ConsumedCapacity } = done.output as UpdateCommandOutput;
      units.push(ConsumedCapacity?.CapacityUnits ?? 0);
      return done;
    },
    { step: 'initialize', name: 'unitsOf', override: true },
  );
  try {
    await work();
  } finally {
    dynamodb.middlewareStack.remove('unitsOf');
  }
  expect(units).toHaveLength(1);
  return units[0] ?? 0;
}

async function claimed(job: Job): Promise<ClaimedJob> {
  const claim = await claimJob(job);
  if (!claim) throw new Error('the job was not claimed');
  return claim;
}

/** Writes what changes neither an index nor the item's size. */
const touch = ({ key_id, job_id }: Job) =>
  dynamodb.send(
    new UpdateCommand({
      TableName: setting('JOBS_TABLE'),
      Key: { key_id, job_id },
      UpdateExpression: 'SET created_at = created_at',
    }),
  );

async function run(job: Job, content: string): Promise<void> {
  const message = recordOf(JSON.stringify(messageFor(job)));
  await jobWorker(async () => ({ ...answer, content }))(eventOf(message), contextOf());
}

it.each([
  { bytes: 100, units: 1 },
  { bytes: 1_500, units: 3 },
  { bytes: 3_000, units: 1 },
  { bytes: 90_000, units: 1 },
])(
  'a lease of a job with $bytes bytes of messages is renewed for $units units at most',
  async (row) => {
    const job = await claimed(await submitted({}, 'ä'.repeat(row.bytes / 2)));

    const renewed = await unitsOf(() => renewLease(job));
    const moved = await unitsOf(() => renewLease({ ...job, due_at: job.created_at }));

    expect(renewed).toBeLessThanOrEqual(row.units);
    expect(moved).toBeLessThanOrEqual(row.units + 2);
  },
);

it('a claim of a job that is new costs two units less, as it is due soon anyway', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const [fresh, old] = [await submitted(), await submitted()];

  expect(await unitsOf(() => claimJob(fresh))).toBe(2);
  vi.setSystemTime(Date.now() + 30_000);
  expect(await unitsOf(() => claimJob(old))).toBe(4);

  const { due_at = '', lease_until = '' } = await itemOf(fresh);
  expect(due_at <= lease_until).toBe(true);
  expect(await itemOf(old)).toMatchObject({ due_at: expect.any(String) });
});

it.each([1_500, 3_000, 90_000])(
  'a job with %d bytes of messages and as large a result is small when it is done',
  async (bytes) => {
    const job = await submitted({}, 'ä'.repeat(bytes / 2));
    await run(job, 'ö'.repeat(bytes / 2));

    const done = await itemOf(job);
    expect(await unitsOf(() => touch(done))).toBeLessThanOrEqual(bytes > 2_048 ? 2 : 5);
    expect(done.messages_json === undefined).toBe(bytes > 2_048);
    expect(done.result_object !== undefined).toBe(bytes > 2_048);
  },
);

it('messages and results that lie apart are read whole, and listed without content', async () => {
  const job = await submitted({}, 'long question '.repeat(300));
  await run(job, 'long answer '.repeat(300));

  const [listed] = (await listJobs(caller, {})).jobs;
  expect(await messagesOf(await itemOf(job))).toEqual([
    { role: 'user', content: 'long question '.repeat(300) },
  ]);
  expect((await getJob(caller, job.job_id)).result).toEqual({
    ...answer,
    content: 'long answer '.repeat(300),
  });
  expect(listed?.result).toEqual({ ...answer, content: null });
});
