import type { DynamoDBRecord } from 'aws-lambda';
import { beforeEach, expect, it } from 'vitest';
import { claimJob, renewLease } from '../../../shared/jobs/engine/item/job-lease.ts';
import { retryJob } from '../../../shared/jobs/engine/item/job-retry.ts';
import { makeReady } from '../../../shared/jobs/engine/item/job-wait.ts';
import { completionOf } from '../../../shared/jobs/results/keep-result.ts';
import { cancelJob } from '../../../shared/jobs/routes/stop.ts';
import { dispatchJobs } from '../../../shared/jobs/work/dispatch.ts';
import { jobWorker } from '../../../shared/jobs/work/worker.ts';
import { contextOf, eventOf, takeMessages } from '../../support/servers/queue.ts';
import { answer, caller, itemOf, streamRecords, submitted } from '../../support/worlds/jobs.ts';
import { useStore } from '../../support/worlds/store.ts';

const store = await useStore({ queues: true });

beforeEach(() => store.renew());

const rungFor = async () =>
  (await takeMessages()).map(({ body }) => (JSON.parse(body) as { job_id: string }).job_id);

it('sends a message once for each job that became queued, and for no other change', async () => {
  const [fresh, done, cancelled] = [await submitted(), await submitted(), await submitted()];
  const claim = await claimJob(done);
  if (claim) await renewLease(claim);
  if (claim) await completionOf(claim, answer)();
  await cancelJob(caller, cancelled.job_id);

  const response = await dispatchJobs({ Records: await streamRecords() });

  expect(response).toEqual({ batchItemFailures: [] });
  expect((await rungFor()).toSorted()).toEqual(
    [fresh, done, cancelled].map(({ job_id }) => job_id),
  );
});

it('sends another message for a job that is back in the queue, when its wait is over', async () => {
  const job = await submitted();
  const claim = await claimJob(job);
  const submission = await streamRecords();
  if (claim) await retryJob(claim, 'rate_limit_exceeded: busy', 60_000);

  await dispatchJobs({ Records: (await streamRecords()).slice(submission.length) });

  expect(await rungFor()).toEqual([]);
});

it('sends no message for a queued job that only changed', async () => {
  const claim = await claimJob(await submitted());
  if (claim) await retryJob(claim, 'rate_limit_exceeded: busy', -1);
  const writes = (await streamRecords()).length;
  if (claim) await makeReady(claim);
  const change = (await streamRecords()).slice(writes);

  await dispatchJobs({ Records: change });

  expect(change).toHaveLength(1);
  expect(await rungFor()).toEqual([]);
});

it('sends messages for more jobs than one SQS batch takes', async () => {
  const jobs = await Promise.all(Array.from({ length: 25 }, () => submitted()));

  await dispatchJobs({ Records: await streamRecords() });

  expect((await rungFor()).toSorted()).toEqual(jobs.map(({ job_id }) => job_id).toSorted());
});

it('reports only the records whose message SQS refuses', async () => {
  await Promise.all(Array.from({ length: 12 }, () => submitted()));
  const records = (await streamRecords()).filter(({ dynamodb }) => dynamodb?.NewImage?.['status']);
  const refused = records[7] as DynamoDBRecord;
  const unsendable = { ...refused.dynamodb?.NewImage, key_id: { S: 'a key with \uffff in it' } };
  const batch = records.with(7, {
    ...refused,
    dynamodb: { ...refused.dynamodb, NewImage: unsendable },
  });

  const { batchItemFailures } = await dispatchJobs({ Records: batch });

  expect(batchItemFailures).toEqual([{ itemIdentifier: refused.dynamodb?.SequenceNumber }]);
  expect(await rungFor()).toHaveLength(11);
});

it('runs each job once when a batch of the stream comes twice', {
  tags: 'exhaustive',
}, async () => {
  const jobs = await Promise.all(Array.from({ length: 8 }, () => submitted()));
  const runs: string[] = [];
  const worker = jobWorker(async ({ job_id }) => {
    runs.push(job_id);
    return answer;
  });

  await dispatchJobs({ Records: await streamRecords() });
  await dispatchJobs({ Records: await streamRecords() });
  const messages = await takeMessages();
  await Promise.all(messages.map((message) => worker(eventOf(message), contextOf())));

  expect(messages).toHaveLength(16);
  expect(runs.toSorted()).toEqual(jobs.map(({ job_id }) => job_id).toSorted());
  for (const job of jobs) expect((await itemOf(job)).status).toBe('done');
});
