import { beforeEach, expect, it } from 'vitest';
import { failJob } from '../../../shared/jobs/engine/item/job-end.ts';
import { claimJob, saveProgress } from '../../../shared/jobs/engine/item/job-lease.ts';
import { retryJob } from '../../../shared/jobs/engine/item/job-retry.ts';
import { completionOf } from '../../../shared/jobs/results/keep-result.ts';
import { cancelJob } from '../../../shared/jobs/routes/stop.ts';
import { dispatchJobs } from '../../../shared/jobs/work/dispatch.ts';
import { issueKey } from '../../../shared/keys/key.ts';
import { defaultLimits } from '../../../shared/keys/key-limits.ts';
import { writtenLines } from '../../support/run/output.ts';
import { answer, caller, streamRecords, submitted } from '../../support/worlds/jobs.ts';
import { useStore } from '../../support/worlds/store.ts';

const store = await useStore({ queues: true });
beforeEach(() => store.renew());

/** The lines of jobs' ends that dispatch logs for all that has happened. */
async function ends(): Promise<Record<string, unknown>[]> {
  await dispatchJobs({ Records: await streamRecords() });
  return writtenLines()
    .map((line) => JSON.parse(line))
    .filter(({ message }) => message === 'job ended');
}

it('a job that is done is one line, with what it used and without what it said', async () => {
  const job = await submitted();
  const claim = await claimJob(job);
  if (claim) await completionOf(claim, answer)();

  const lines = await ends();

  expect(lines).toEqual([
    {
      ...{ level: 'info', message: 'job ended', job_id: job.job_id, key_id: caller.keyId },
      ...{ status: 'done', job_type: 'chat', model: job.model, duration_ms: expect.any(Number) },
      ...{ prompt_tokens: 1, completion_tokens: 2, cost_usd: 0.001 },
    },
  ]);
});

it('a job that failed says why, after how many retries, and how far it had come', async () => {
  const claim = await claimJob(await submitted());
  if (claim) await retryJob(claim, 'model_unavailable: busy', -1);
  const again = claim && (await claimJob(claim));
  const split = { kind: 'document', phase: 'sections' };
  const read =
    again && (await saveProgress(again, { ...split, page_count: 20, filename: 'invoice-7.pdf' }));
  if (read) await failJob(read, `bad_document: ${'x'.repeat(1_000)}`);

  const [line] = await ends();

  expect(JSON.stringify(line)).not.toContain('invoice-7');
  expect(line).toMatchObject({
    ...{ level: 'warn', status: 'failed', retries: 1, pages_total: 20 },
    error: `bad_document: ${'x'.repeat(286)}`,
  });
});

it('a cancelled job is a line, and a job that goes on is none', async () => {
  const cancelled = await submitted();
  await cancelJob(caller, cancelled.job_id);
  await claimJob(await submitted());

  const lines = await ends();

  expect(lines).toMatchObject([{ status: 'cancelled', job_id: cancelled.job_id }]);
});

it('names the key', async () => {
  const { id } = await issueKey('shop', defaultLimits);
  const job = await submitted();
  await cancelJob(caller, job.job_id);
  const records = await streamRecords();
  for (const { dynamodb } of records) {
    if (dynamodb?.NewImage) dynamodb.NewImage['key_id'] = { S: id };
  }

  await dispatchJobs({ Records: records });

  expect(writtenLines().join('\n')).toContain('"key":"shop"');
});

it('a folder says how many of its files are done, and how many failed', async () => {
  const claim = await claimJob(await submitted());
  const counts = {
    children_total: 5,
    children_ended: 4,
    children_failed: 1,
    children_cancelled: 1,
  };
  const folder = claim && (await saveProgress(claim, { kind: 'folder', ...counts }));
  if (folder) await failJob(folder, 'unreadable: gone');

  const [line] = await ends();

  expect(line).toMatchObject({ files: 2, files_failed: 1, files_total: 5 });
});
