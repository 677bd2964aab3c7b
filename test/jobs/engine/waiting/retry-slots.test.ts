import * as v from 'valibot';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedJob, Job } from '../../../../shared/jobs/engine/item/job.ts';
import { claimJob } from '../../../../shared/jobs/engine/item/job-lease.ts';
import { takeBackJob } from '../../../../shared/jobs/engine/item/job-retry.ts';
import { makeReady } from '../../../../shared/jobs/engine/item/job-wait.ts';
import { endOfWait } from '../../../../shared/jobs/engine/run/failure.ts';
import { waitForLimit } from '../../../../shared/jobs/engine/waiting/retry-slots.ts';
import { runChatJob } from '../../../../shared/jobs/kinds/chat-queue.ts';
import { JobSubmission } from '../../../../shared/jobs/routes/submission.ts';
import { submitJob } from '../../../../shared/jobs/routes/submit.ts';
import { claimBest } from '../../../../shared/jobs/work/claim-jobs.ts';
import { type RunJob, runLeased } from '../../../../shared/jobs/work/run-leased.ts';
import { issueKey } from '../../../../shared/keys/key.ts';
import { defaultLimits, type KeyLimits } from '../../../../shared/keys/key-limits.ts';
import { RequestsPerMinuteError } from '../../../../shared/ledger/terms/limit-errors.ts';
import { chatJob } from '../../../support/servers/api.ts';
import { useModelStub } from '../../../support/servers/model-stub.ts';
import { anyRoom } from '../../../support/servers/rooms.ts';
import { hourMs, minuteMs, pass, useFreshHour } from '../../../support/worlds/clock.ts';
import { allJobs, answer, itemOf, lane } from '../../../support/worlds/jobs.ts';
import { useStore } from '../../../support/worlds/store.ts';

const stub = await useModelStub();
const store = await useStore({ modelUrl: stub.url, queues: true });
const neverUp = new AbortController().signal;

useFreshHour();
beforeEach(() => store.renew());

async function submittedBy(limits: Partial<KeyLimits>, count: number): Promise<Job[]> {
  const { id } = await issueKey('test', { ...defaultLimits, ...limits });
  const caller = { keyId: id, limits: JSON.stringify(defaultLimits) };
  const jobs: Job[] = [];
  for (let index = 0; index < count; index++) {
    const submission = v.parse(JobSubmission, chatJob(`question ${index}`));
    const record = await submitJob(caller, submission, undefined, anyRoom());
    jobs.push(await itemOf({ key_id: id, job_id: record.id }));
  }
  return jobs;
}

/** Runs every job that is ready now. Returns how many runs that took. */
async function runReady(): Promise<number> {
  for (const job of await allJobs()) if (job.status === 'queued') await makeReady(job);
  let runs = 0;
  for (;;) {
    const [job] = await claimBest(lane, 1);
    if (!job) return runs;
    await runLeased(job, runChatJob, neverUp);
    runs += 1;
  }
}

const waitsOf = async () =>
  (await allJobs())
    .filter(({ status }) => status === 'queued')
    .map(({ ready_at }) => Date.parse(ready_at));

describe('jobs of a key with two requests a minute', () => {
  it('run once when the limit stops them, and once more when it is their turn', async () => {
    await submittedBy({ requests_per_minute: 2 }, 9);
    const calls = stub.requests.length;

    const first = await runReady();
    let later = 0;
    for (let waits = await waitsOf(); waits.length > 0; waits = await waitsOf()) {
      pass(Math.min(...waits) - Date.now());
      later += await runReady();
    }

    expect([first, later]).toEqual([9, 7]);
    expect(stub.requests.length - calls).toBe(9);
    expect((await allJobs()).map(({ status }) => status)).toEqual(Array(9).fill('done'));
  });

  it('wait for different moments, two of each minute', async () => {
    await submittedBy({ requests_per_minute: 2 }, 12);

    await runReady();

    const waits = await waitsOf();
    const minutes = waits.map((ms) => Math.floor(ms / minuteMs)).sort();
    expect(new Set(waits).size).toBe(10);
    expect(new Set(minutes).size).toBeGreaterThanOrEqual(5);
    for (const minute of minutes) {
      expect(minutes.filter((other) => other === minute).length).toBeLessThanOrEqual(2);
    }
  });
});

it('a job whose place is far ahead asks within the hour, and keeps it', {
  tags: 'exhaustive',
}, async () => {
  await submittedBy({ requests_per_minute: 1 }, 90);
  await runReady();
  const waiting = (await allJobs()).toSorted((a, b) => (a.ready_at < b.ready_at ? -1 : 1));
  const [next] = waiting.filter(({ status }) => status === 'queued') as [Job];
  const far = waiting.reduce((a, b) => ((b.place?.at ?? '') > (a.place?.at ?? '') ? b : a));
  for (const ms of await waitsOf()) expect(ms - Date.now()).toBeLessThanOrEqual(hourMs);
  pass(Date.parse(far.ready_at) - Date.now());

  await runAlone(next);
  await runAlone(far);

  expect((await itemOf(next)).status).toBe('done');
  const again = await itemOf(far);
  expect(again).toMatchObject({ status: 'queued', place: far.place });
  expect(Date.parse(again.ready_at)).toBeGreaterThan(Date.now());
});

it('a job that asks in the minute before its place keeps it, whenever in that minute', async () => {
  const [job] = (await submittedBy({ requests_per_minute: 1 }, 1)) as [Job];
  const refused = () => new RequestsPerMinuteError({ key_id: job.key_id, requests_per_minute: 1 });
  const placed = (of: Job) => waitForLimit(of, refused(), endOfWait(of, refused()) ?? 0);
  const nextMinute = Math.ceil(Date.now() / minuteMs) * minuteMs;
  pass(20_345);
  const first = await placed(job);
  pass(10_300);

  const at = new Date(first.untilMs).toISOString();
  const again = await placed({ ...job, place: { limit: 'requests', at } });
  const other = await placed(job);

  expect([first.untilMs, again.untilMs]).toEqual([nextMinute, nextMinute]);
  expect(other.untilMs).toBeGreaterThanOrEqual(nextMinute + minuteMs);
});

it.each([
  ['a young job', 0, [0.5, 1]],
  ['one of a day', 24, [3, 6]],
  ['one of a month', 30 * 24, [3, 6]],
])('%s asks again long before its budget renews', async (_, ageHours, [least = 0, most = 0]) => {
  const [job] = (await submittedBy({}, 1)) as [Job];
  pass(ageHours * hourMs);
  const renewsMs = Date.now() + 30 * 24 * hourMs;

  const { untilMs, place } = await waitForLimit(job, new Error('budget'), renewsMs);

  expect(place).toBeUndefined();
  expect((untilMs - Date.now()) / hourMs).toBeGreaterThanOrEqual(least);
  expect((untilMs - Date.now()) / hourMs).toBeLessThanOrEqual(most + 0.01);
});

async function runAlone(job: Job): Promise<void> {
  await makeReady(job);
  await runLeased((await claimJob(job)) as ClaimedJob, runChatJob, neverUp);
}

describe('a key that may have two jobs running', () => {
  const limits = { max_running: 2 };

  /** Runs claimed jobs; those that may begin end with `finish`. `oneBegun` resolves when the first has begun. */
  function running(claims: ClaimedJob[]) {
    const begun: string[] = [];
    const finish = Promise.withResolvers<typeof answer>();
    const oneBegun = Promise.withResolvers<void>();
    const run: RunJob = (job) => {
      begun.push(job.job_id);
      oneBegun.resolve();
      return finish.promise;
    };
    const ends = Promise.all(claims.map((claim) => runLeased(claim, run, neverUp)));
    return { begun, oneBegun: oneBegun.promise, ends, finish: () => finish.resolve(answer) };
  }

  it('has two, and the others wait out of the way of other keys', async () => {
    await submittedBy(limits, 4);
    const claims = await claimBest(lane, 4);
    const { begun, ends, finish } = running(claims);
    while ((await waitsOf()).length < 2);
    const [other] = await submittedBy({}, 1);

    const next = await claimBest(lane, 2);

    expect(next.map(({ job_id }) => job_id)).toEqual([other?.job_id]);
    expect(begun).toHaveLength(2);
    for (const ms of await waitsOf()) expect(ms - Date.now()).toBeGreaterThan(0);
    finish();
    await ends;
  });

  it('has the next when one has ended', async () => {
    await submittedBy(limits, 3);
    const { ends, finish } = running(await claimBest(lane, 3));
    while ((await waitsOf()).length < 1);
    finish();
    await ends;
    pass(10_000);

    expect(await runReady()).toBe(1);
    expect((await allJobs()).map(({ status }) => status)).toEqual(Array(3).fill('done'));
  });

  it('has room again after its workers have died', async () => {
    await submittedBy({ max_running: 1 }, 2);
    const [lost] = await claimBest(lane, 1);
    const { oneBegun, ends, finish } = running([lost as ClaimedJob]);
    await oneBegun;
    const [second] = await claimBest(lane, 1);
    await runLeased(second as ClaimedJob, runChatJob, neverUp);
    const held = await itemOf(second as Job);
    await takeBackJob(
      (await itemOf(lost as Job)) as ClaimedJob,
      'worker_lost: gone',
      'worker_lost_twice: gone',
    );
    pass(minuteMs);

    await runReady();
    finish();
    await ends;

    expect(held).toMatchObject({
      status: 'queued',
      error: expect.stringMatching(/^too_many_running/),
    });
    expect((await itemOf(second as Job)).status).toBe('done');
  });
});
