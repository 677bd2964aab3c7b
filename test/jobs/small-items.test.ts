import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, it } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { setting } from '../../shared/config.ts';
import type { Job } from '../../shared/jobs/job.ts';
import { messagesOf } from '../../shared/jobs/objects.ts';
import { listJobs } from '../../shared/jobs/read.ts';
import { getJob } from '../../shared/jobs/read-whole.ts';
import { jobWorker } from '../../shared/jobs/worker.ts';
import { contextOf, eventOf, recordOf } from '../support/servers/queue.ts';
import { answer, caller, doorbellOf, itemOf, submitted } from '../support/worlds/jobs.ts';
import { useStore } from '../support/worlds/store.ts';

const store = await useStore({ queues: true });
beforeEach(() => store.renew());

/** What DynamoDB bills for a write that changes an instant of a job's item, as a renewal of its lease does. */
async function unitsOfRenewal({ key_id, job_id }: Job): Promise<number | undefined> {
  const { ConsumedCapacity } = await dynamodb.send(
    new UpdateCommand({
      TableName: setting('JOBS_TABLE'),
      Key: { key_id, job_id },
      UpdateExpression: 'SET renewed_at = :now',
      ExpressionAttributeValues: { ':now': new Date().toISOString() },
      ReturnConsumedCapacity: 'TOTAL',
    }),
  );
  return ConsumedCapacity?.CapacityUnits;
}

async function run(job: Job, content: string): Promise<void> {
  const message = recordOf(JSON.stringify(doorbellOf(job)));
  await jobWorker(async () => ({ ...answer, content }))(eventOf(message), contextOf());
}

it.each([1_500, 3_000, 90_000])(
  'a renewal of a job with %d bytes of messages and as large a result is billed three units at most',
  async (bytes) => {
    const job = await submitted({}, 'ä'.repeat(bytes / 2));
    const waiting = await unitsOfRenewal(job);
    await run(job, 'ö'.repeat(bytes / 2));

    const done = await itemOf(job);
    expect(waiting).toBeLessThanOrEqual(3);
    expect(await unitsOfRenewal(done)).toBeLessThanOrEqual(bytes > 2_048 ? 2 : 5);
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

it('messages that an earlier version kept in the item are read there', async () => {
  const content = 'x'.repeat(90_000);
  const messages_json = JSON.stringify([{ role: 'user', content }]);

  expect(await messagesOf({ messages_json } as Job)).toEqual([{ role: 'user', content }]);
});
