import { beforeEach, expect, it } from 'vitest';
import { createChildren } from '../../shared/jobs/engine/children/children.ts';
import { childIdOf } from '../../shared/jobs/engine/item/job.ts';
import { failJob } from '../../shared/jobs/engine/item/job-end.ts';
import { claimJob } from '../../shared/jobs/engine/item/job-lease.ts';
import { newJob } from '../../shared/jobs/engine/item/new-job.ts';
import { chatKind } from '../../shared/jobs/kinds/chat/chat-job.ts';
import { sectionIdOf } from '../../shared/jobs/kinds/section/section-job.ts';
import { completionOf } from '../../shared/jobs/results/keep-result.ts';
import { cancelJob } from '../../shared/jobs/routes/stop.ts';
import { dispatchJobs } from '../../shared/jobs/work/dispatch.ts';
import { removeWebhook } from '../../shared/webhooks/set-webhook.ts';
import { answer, caller, itemOf, streamRecords, submitted } from '../support/worlds/jobs.ts';
import { useStore } from '../support/worlds/store.ts';
import { bodyOf, eventsOf, hookKey } from '../support/worlds/webhook-world.ts';

const store = await useStore({ queues: true });
beforeEach(async () => {
  await store.renew();
  await hookKey(caller.keyId, 'https://example.com/hook');
});

const dispatched = async () => dispatchJobs({ Records: await streamRecords() });

async function claimed() {
  const claim = await claimJob(await submitted());
  if (!claim) throw new Error('not claimed');
  return claim;
}

it('tells how a job ended, what it used and where it is, and nothing that it said or was asked', async () => {
  const claim = await claimed();
  await completionOf(claim, answer)();

  await dispatched();

  const [event, ...others] = await eventsOf(caller.keyId);
  const job = await itemOf(claim);
  expect(others).toEqual([]);
  expect(event && bodyOf(event)).toEqual({
    id: event?.entry,
    object: 'event',
    type: 'job.done',
    created_at: Math.floor(Date.parse(job.completed_at ?? '') / 1000),
    data: {
      ...{ id: job.job_id, key_id: caller.keyId, status: 'done', job_type: 'chat' },
      ...{ input_type: 'inline', model: job.model, error_code: null, counts: {}, cost_usd: 0.001 },
      ...{ created_at: job.created_at, completed_at: job.completed_at },
      path: `/batch/jobs/${job.job_id}`,
    },
  });
  expect(event?.body).not.toMatch(/an answer|a question/);
});

it('tells the code of an error without its sentence, and how far the job had come', async () => {
  const claim = await claimed();
  await failJob({ ...claim, page_count: 20 }, 'bad_document: "secret plans.pdf" is broken');

  await dispatched();

  const [event] = await eventsOf(caller.keyId);
  expect(event && bodyOf(event)).toMatchObject({
    type: 'job.failed',
    data: { status: 'failed', error_code: 'bad_document', cost_usd: null },
  });
  expect(event?.body).not.toContain('secret plans');
});

it('tells that a job was cancelled', async () => {
  await cancelJob(caller, (await submitted()).job_id);

  await dispatched();

  expect((await eventsOf(caller.keyId)).map(({ type }) => type)).toEqual(['job.cancelled']);
});

it('tells each end once, however often and in whatever batches the stream tells it', async () => {
  for (let each = 0; each < 3; each += 1) await completionOf(await claimed(), answer)();
  const Records = await streamRecords();

  await Promise.all([dispatchJobs({ Records }), dispatchJobs({ Records: Records.slice(3) })]);
  await dispatchJobs({ Records });

  expect(await eventsOf(caller.keyId)).toHaveLength(3);
});

it('tells of a folder, and not of its files, nor of the parts of a document', async () => {
  const folder = await claimed();
  const { lease_id: _, lease_until: __, ...shared } = folder;
  const turn = (await submitted()).turn ?? '';
  const children = [childIdOf(folder.job_id, 'a'), sectionIdOf(folder.job_id, 1)].map((job_id) => ({
    job: newJob(chatKind, {
      ...shared,
      job_id,
      parent_job_id: folder.job_id,
      status: 'queued',
      turn,
    }),
  }));
  const parent = await createChildren(folder, children);
  for (const { job } of children) {
    const claim = await claimJob(job);
    if (!claim) throw new Error('not claimed');
    await failJob(claim, 'bad_document: broken');
  }
  await completionOf(parent, answer)();

  await dispatched();

  const told = (await eventsOf(caller.keyId)).map(
    (event) => (bodyOf(event).data as { id: string }).id,
  );
  expect(told).toEqual([folder.job_id]);
});

it('notes nothing for a key without a webhook', async () => {
  await removeWebhook(caller.keyId);
  await completionOf(await claimed(), answer)();

  await dispatched();

  expect(await eventsOf(caller.keyId)).toEqual([]);
});

it('sends its messages all the same if an end can not be noted, and has its record sent again', async () => {
  await completionOf(await claimed(), answer)();
  const Records = await streamRecords();
  const table = process.env['WEBHOOKS_TABLE'];
  process.env['WEBHOOKS_TABLE'] = 'no-such-table';

  const { batchItemFailures } = await dispatchJobs({ Records });
  process.env['WEBHOOKS_TABLE'] = table;
  const end = Records.find(({ dynamodb }) => dynamodb?.NewImage?.['completed_at']);
  await dispatchJobs({ Records: Records.slice(Records.indexOf(end as (typeof Records)[number])) });

  expect(batchItemFailures).toEqual([{ itemIdentifier: end?.dynamodb?.SequenceNumber }]);
  expect(await eventsOf(caller.keyId)).toHaveLength(1);
});
