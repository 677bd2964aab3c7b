import * as v from 'valibot';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../../shared/http/caller.ts';
import { type ClaimedJob, findItem, type Job } from '../../../../shared/jobs/engine/item/job.ts';
import { retryJob } from '../../../../shared/jobs/engine/item/job-retry.ts';
import { type KeyState, keyStateKey } from '../../../../shared/jobs/engine/waiting/key-state.ts';
import { splitIntoSections } from '../../../../shared/jobs/kinds/section/sections.ts';
import { getJob } from '../../../../shared/jobs/routes/read.ts';
import { retryCallersJob } from '../../../../shared/jobs/routes/retry.ts';
import { cancelJob } from '../../../../shared/jobs/routes/stop.ts';
import { JobSubmission } from '../../../../shared/jobs/routes/submission.ts';
import { submitJob } from '../../../../shared/jobs/routes/submit.ts';
import { claimBest, claimJobs } from '../../../../shared/jobs/work/claim-jobs.ts';
import { dispatchJobs } from '../../../../shared/jobs/work/dispatch.ts';
import { recountJobs } from '../../../../shared/jobs/work/recount.ts';
import { issueKey } from '../../../../shared/keys/key.ts';
import { defaultLimits } from '../../../../shared/keys/key-limits.ts';
import { chatJob } from '../../../support/servers/api.ts';
import { anyRoom } from '../../../support/servers/rooms.ts';
import { pass, useStoppedClock } from '../../../support/worlds/clock.ts';
import { dyingBefore } from '../../../support/worlds/dying.ts';
import {
  itemOf,
  keyed,
  lane,
  messageFor,
  streamRecords,
  submittedBy,
} from '../../../support/worlds/jobs.ts';
import { useStore } from '../../../support/worlds/store.ts';

const store = await useStore({ queues: true });

useStoppedClock();
beforeEach(() => store.renew());

async function submittedTimes(caller: Caller, count: number, rest: object = {}): Promise<Job[]> {
  const jobs: Job[] = [];
  for (let index = 0; index < count; index++) jobs.push(await submittedBy(caller, rest));
  return jobs;
}

/** The keys of the next jobs that are claimed. */
async function nextKeys(count: number): Promise<string> {
  const keys: string[] = [];
  for (let index = 0; index < count; index++) {
    const [job] = await claimBest(lane, 1);
    keys.push(job?.key_id ?? '-');
  }
  return keys.join(' ');
}

const jobsOf = async ({ keyId }: Caller) => (await findItem<KeyState>(keyStateKey(keyId)))?.jobs;

const [one, two, three] = [keyed('one'), keyed('two'), keyed('three')];

describe('keys take turns', () => {
  it('within a priority, however many jobs each has waiting', async () => {
    await submittedTimes(one, 6);
    await submittedTimes(two, 2);
    await submittedTimes(three, 1);

    expect(await nextKeys(9)).toBe('one two three one two one one one one');
  });

  it('by priority first', async () => {
    await submittedTimes(one, 2, { priority: 5 });
    await submittedTimes(two, 1, { priority: 6 });
    await submittedTimes(three, 1, { priority: 4 });

    expect(await nextKeys(4)).toBe('three one one two');
  });

  it('as their weights say', async () => {
    await submittedTimes(keyed('heavy', { weight: 3 }), 9);
    await submittedTimes(one, 3);

    const keys = (await nextKeys(8)).split(' ');

    expect(keys.filter((key) => key === 'heavy')).toHaveLength(6);
    expect(keys.filter((key) => key === 'one')).toHaveLength(2);
  });

  it('and save up none while they are idle', async () => {
    await submittedTimes(one, 3);
    await nextKeys(2);
    pass(60_000);
    await submittedTimes(two, 3);
    await submittedTimes(one, 1);

    expect(await nextKeys(5)).toBe('one two two one two');
  });

  it('with the parts of a long document too', async () => {
    const { id: key_id } = await issueKey('reader', defaultLimits);
    const reader = keyed(key_id, { drive_folders: ['f'] });
    const ocr = { job_type: 'ocr', inline: null, drive: { file_id: 'a-file' } };
    await submittedBy(reader, ocr);
    const [document] = await claimBest('ocr#0', 1);
    const source = { source_object: 'o', source_kind: 'pdf' as const, filename: 'long.pdf' };
    const suspend = await splitIntoSections({ ...(document as ClaimedJob), ...source }, 300, 50);
    await suspend();
    await submittedBy(keyed('one', { drive_folders: ['f'] }), ocr);

    const claims = [...(await claimBest('ocr#0', 1)), ...(await claimBest('ocr#0', 1))];

    expect(claims.map((job) => job.key_id)).toEqual(['one', key_id]);
  });

  it('and a job that was tried before keeps its tag, and gives who submits next no older one', async () => {
    const [first] = await submittedTimes(one, 1);
    const [claim] = await claimJobs(lane, [messageFor(first as Job)]);
    pass(60_000);
    const waiting = await submittedTimes(two, 3);
    await retryJob(claim as NonNullable<typeof claim>, 'model_unavailable: busy', 0);
    const [late] = await submittedTimes(three, 1);

    expect((await itemOf(first as Job)).tag).toBe(first?.tag);
    expect(late?.tag).toBe(waiting[0]?.tag);
    expect(await nextKeys(5)).toBe('one two three two two');
  });
});

describe('a key’s best priority', () => {
  it('takes the place of a better one, which the record names', async () => {
    const limited = keyed('limited', { best_priority: 20 });

    const raised = await submittedBy(limited, { priority: 5 });
    const kept = await submittedBy(limited, { priority: 21 });

    expect(await getJob(limited, raised.job_id)).toMatchObject({ priority: 20, asked_priority: 5 });
    expect(await getJob(limited, kept.job_id)).toMatchObject({
      priority: 21,
      asked_priority: null,
    });
    expect(raised.turn).toMatch(/^020#/);
  });

  it('holds for a job that is tried again', async () => {
    const job = await submittedBy(one, { priority: 5 });
    await cancelJob(one, job.job_id);

    const again = await retryCallersJob(keyed('one', { best_priority: 20 }), job.job_id);

    expect(again).toMatchObject({ priority: 20, asked_priority: 5 });
  });
});

describe('a key that may have three jobs', () => {
  const few = keyed('few', { max_queued: 3 });
  const full = {
    statusCode: 429,
    code: 'too_many_jobs',
    details: { queue: { limit: 'queued_jobs', max_jobs: 3, jobs: 3 } },
  };

  it('is refused a fourth with the figures, until one has ended', async () => {
    const jobs = await submittedTimes(few, 3);
    await expect(submittedBy(few)).rejects.toMatchObject(full);
    await cancelJob(few, jobs[0]?.job_id ?? '');
    await dispatchJobs({ Records: await streamRecords() });

    await submittedBy(few);

    expect(await jobsOf(few)).toBe(3);
    await expect(submittedBy(few)).rejects.toMatchObject(full);
  });

  it('is refused none that was accepted before under the same Idempotency-Key', async () => {
    const first = await submittedBy(few, {}, 'again');
    await submittedTimes(few, 2);

    expect((await submittedBy(few, {}, 'again')).job_id).toBe(first.job_id);
    expect(await jobsOf(few)).toBe(3);
  });

  it('has three, however many are submitted at once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => submittedBy(few)));

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await jobsOf(few)).toBe(3);
  });

  it('gets back what a submission took that died, once the sweep has counted', async () => {
    const submission = v.parse(JobSubmission, chatJob('lost'));
    for (let times = 0; times < 3; times++) {
      await dyingBefore(2, () => submitJob(few, submission, undefined, anyRoom()));
    }
    expect(await jobsOf(few)).toBe(3);
    await expect(submittedBy(few)).rejects.toMatchObject(full);

    await recountJobs();

    expect(await jobsOf(few)).toBe(0);
    await submittedTimes(few, 3);
    await expect(submittedBy(few)).rejects.toMatchObject(full);
  });

  it('is counted once for two submissions under one Idempotency-Key at once', async () => {
    await Promise.all(
      [submittedBy(few, {}, 'twice'), submittedBy(few, {}, 'twice')].map((job) =>
        job.catch(() => undefined),
      ),
    );

    expect(await jobsOf(few)).toBe(1);
  });
});

describe('a key’s line', () => {
  it('forgets the tags of a day ago', async () => {
    for (let priority = 1; priority <= 12; priority++) await submittedBy(one, { priority });
    pass(25 * 60 * 60_000);

    await submittedBy(one, { priority: 50 });
    await submittedBy(one, { priority: 50 });

    const line = await findItem(keyStateKey('one'));
    expect(Object.keys(line ?? {}).filter((name) => name.startsWith('last_'))).toEqual([
      `last_${lane}_50`,
    ]);
  });
});
