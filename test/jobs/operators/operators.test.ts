import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { sqs } from '../../../shared/aws/sqs.ts';
import { setting } from '../../../shared/config.ts';
import { childIdOf } from '../../../shared/jobs/engine/item/job.ts';
import { completeJob } from '../../../shared/jobs/engine/item/job-end.ts';
import { claimJob } from '../../../shared/jobs/engine/item/job-lease.ts';
import { retryJob } from '../../../shared/jobs/engine/item/job-retry.ts';
import { postponeJob } from '../../../shared/jobs/engine/item/job-wait.ts';
import { jobStatuses } from '../../../shared/jobs/engine/item/status.ts';
import { keyStateKey, uncountJobs } from '../../../shared/jobs/engine/waiting/key-state.ts';
import { actOnAll, withoutChildren } from '../../../shared/jobs/operators/act-on.ts';
import { jobOfAny, matchingJobs, newestJobs } from '../../../shared/jobs/operators/find-jobs.ts';
import { reportQueue } from '../../../shared/jobs/operators/queue-report.ts';
import { redrive } from '../../../shared/jobs/operators/redrive.ts';
import { dispatchJobs } from '../../../shared/jobs/work/dispatch.ts';
import { type ApiKey, changeKey, issueKey } from '../../../shared/keys/key.ts';
import { defaultLimits } from '../../../shared/keys/key-limits.ts';
import { summariesOf } from '../../../shared/usage/key-summary.ts';
import { cases } from '../../support/run/cases.ts';
import { takeMessages } from '../../support/servers/queue.ts';
import { minuteMs, pass, stopClock } from '../../support/worlds/clock.ts';
import { itemOf, keyed, streamRecords, submittedBy } from '../../support/worlds/jobs.ts';
import { putManyJobs } from '../../support/worlds/operators-world.ts';
import { useStore } from '../../support/worlds/store.ts';
import type { StoredJob } from '../../support/worlds/stored-job.ts';

const store = await useStore({ queues: true });

const byId = (...keys: ApiKey[]) => new Map(keys.map((key) => [key.id, key]));
const idsOf = (jobs: StoredJob[]) => jobs.map(({ job_id }) => job_id);

/** Of a large key; each thousandth has failed for its rate, each tenth for another reason. */
const jobCount = cases(1_000, 10_000);

describe('of keys with thousands of jobs', () => {
  const rateLimited = { status: 'failed', error: 'rate_limit_exceeded: busy' } as const;
  let large: ApiKey;
  let small: ApiKey;
  let jobs: StoredJob[];
  let others: StoredJob[];

  beforeAll(async () => {
    [large, small] = [
      await issueKey('large', defaultLimits),
      await issueKey('small', defaultLimits),
    ];
    const made = Array.from({ length: jobCount }, (_, index): Partial<StoredJob> => {
      if (index % 1000 === 7) return rateLimited;
      return index % 10 === 0 ? { status: 'failed', error: 'not_found: no such file' } : {};
    });
    jobs = await putManyJobs(large.id, made);
    others = await putManyJobs(small.id, [rateLimited, {}, rateLimited], Date.now() - 5_000);
    // The official DynamoDB Local may take minutes for so many, where other tests use it too.
  }, 600_000);

  it('finds the few that failed for a reason, the newest of all keys first', async () => {
    const filter = { statuses: ['failed'], error: 'rate_limit' } as const;

    const found = await newestJobs([large.id, small.id], filter, 50);

    const wanted = [...jobs, ...others].filter(({ error }) => error === rateLimited.error);
    expect(idsOf(found)).toEqual(idsOf(wanted).sort().reverse());
    expect(found).toHaveLength(jobCount / 1_000 + 2);
  });

  it('lists the newest, and reads no more of a key than is shown', async () => {
    const send = vi.spyOn(dynamodb, 'send');

    const found = await newestJobs([large.id, small.id], {}, 20);

    expect(idsOf(found)).toEqual(
      idsOf([...jobs, ...others])
        .sort()
        .reverse()
        .slice(0, 20),
    );
    expect(send.mock.calls.length).toBeLessThanOrEqual(4);
  });

  it('collects all that fit, and no more than it may', async () => {
    const filter = { statuses: ['failed'] } as const;

    expect(await matchingJobs([large.id], filter, 100_000)).toHaveLength(
      jobCount / 10 + jobCount / 1_000,
    );
    expect(await matchingJobs([large.id, small.id], filter, 70)).toHaveLength(70);
  });

  it('shows nothing of what was asked in a list', async () => {
    const [found] = await newestJobs([large.id], {}, 1);

    expect(found).not.toHaveProperty('messages_json');
  });

  it('finds a job by its id alone', async () => {
    const keys = Array.from({ length: 250 }, (_, index) => `key_${index}`);

    const found = await jobOfAny([...keys, small.id], others[0]?.job_id ?? '');

    expect(found).toEqual(others[0]);
    await expect(jobOfAny(keys, others[0]?.job_id ?? '')).rejects.toThrow('There is no job');
  });
});

it('lists for any jobs of any keys what fits, as a plain filter and sort would', async () => {
  const job = fc.record(
    {
      status: fc.constantFrom(...jobStatuses),
      error: fc.constantFrom('rate_limit_exceeded: busy', 'not_found: gone'),
      stop_reason: fc.constantFrom('stopped: by its caller', 'rate_limit: as if'),
    },
    { requiredKeys: ['status'] },
  );
  const filter = fc.record(
    {
      statuses: fc.subarray([...jobStatuses], { minLength: 1 }),
      error: fc.constantFrom('rate', 'not_found', 'stopped'),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(job, { maxLength: 30 }), { minLength: 1, maxLength: 4 }),
      filter,
      fc.integer({ min: 1, max: 40 }),
      async (jobsOfKeys, wanted, count) => {
        const made: StoredJob[] = [];
        for (const jobs of jobsOfKeys) {
          const items = jobs.map((each) => each as Partial<StoredJob>);
          made.push(...(await putManyJobs(`key_${crypto.randomUUID()}`, items)));
        }
        const keyIds = [...new Set(made.map(({ key_id }) => key_id))];

        const found = await newestJobs(keyIds, wanted, count);

        const fitting = made.filter(
          ({ status, error, stop_reason }) =>
            (wanted.statuses?.includes(status) ?? true) &&
            (stop_reason ?? error ?? '').startsWith(wanted.error ?? ''),
        );
        expect(idsOf(found)).toEqual(idsOf(fitting).sort().reverse().slice(0, count));
      },
    ),
    { numRuns: cases(4, 25) },
  );
});

describe('an action on many jobs', () => {
  beforeEach(() => store.renew());

  const keyWith = async (count: number, rest: object = {}) => {
    const key = await issueKey(`of ${crypto.randomUUID()}`, defaultLimits);
    const jobs: StoredJob[] = [];
    for (let index = 0; index < count; index++) jobs.push(await submittedBy(keyed(key.id), rest));
    return { key, jobs };
  };

  it('cancels what is queued, and says of each other why not', async () => {
    const { key, jobs } = await keyWith(3);
    await claimJob(jobs[1] as StoredJob);

    const acted = await actOnAll('cancel', jobs, byId(key));

    expect(acted.map(({ record, refused }) => record?.status ?? refused)).toEqual([
      'cancelled',
      'Only a queued job can be cancelled; this one is processing.',
      'cancelled',
    ]);
  });

  it('stops what runs, and the job says that an operator did', async () => {
    const { key, jobs } = await keyWith(1);
    const [job] = jobs as [StoredJob];
    await claimJob(job);

    await actOnAll('stop', jobs, byId(key));

    expect(await itemOf(job)).toMatchObject({
      status: 'processing',
      stop_reason: 'stopped: The job was stopped by an operator.',
    });
  });

  it('tries each failed job again once, with the limits of its own key', async () => {
    const { key, jobs } = await keyWith(2, { max_retries: 0 });
    for (const job of jobs) {
      const claim = await claimJob(job);
      if (claim) await retryJob(claim, 'rate_limit_exceeded: busy', 0);
    }
    const limited = await changeKey(key.id, { best_priority: 60 });
    const filter = { statuses: ['failed'], untried: true } as const;

    const found = await matchingJobs([key.id], filter, 100);
    const acted = await actOnAll('retry', found, byId(limited));

    expect(acted.map(({ record }) => record)).toMatchObject([
      { status: 'queued', priority: 60 },
      { status: 'queued', priority: 60 },
    ]);
    expect(await matchingJobs([key.id], filter, 100)).toEqual([]);
  });

  it('tries no job of a revoked key again', async () => {
    const { key, jobs } = await keyWith(1);
    await actOnAll('cancel', jobs, byId(key));
    const revoked = await changeKey(key.id, { state: 'revoked' });

    const [acted] = await actOnAll('retry', jobs, byId(revoked));

    expect(acted?.refused).toBe('Its key is revoked.');
  });

  it('leaves what was made for a job to that job, but for the files of a folder that is done', async () => {
    const key_id = 'key_family';
    const folder = { kind: 'folder', input_type: 'drive_folder', lane: 'folder#0' } as const;
    const [done, failed, pipeline] = (await putManyJobs(key_id, [
      { ...folder, status: 'done' },
      { ...folder, status: 'failed' },
      { kind: 'document', status: 'failed', pipeline: 'ocr_then_chat' },
    ])) as [StoredJob, StoredJob, StoredJob];
    const childOf = ({ job_id }: StoredJob, rest: Partial<StoredJob> = {}): Partial<StoredJob> => ({
      ...{ job_id: childIdOf(job_id, 'a'), parent_job_id: job_id, status: 'failed' },
      ...rest,
    });
    const file = { input_type: 'drive_file' } as const;
    const [ofDone, ofFailed, step] = (await putManyJobs(key_id, [
      childOf(done, file),
      childOf(failed, file),
      childOf(pipeline),
    ])) as [StoredJob, StoredJob, StoredJob];

    const retried = await withoutChildren('retry', [failed, pipeline, ofDone, ofFailed, step]);
    const stopped = await withoutChildren('stop', [failed, ofDone, ofFailed]);

    expect(retried).toEqual([failed, pipeline, ofDone]);
    expect(stopped).toEqual([failed, ofDone]);
  });
});

describe('what waits', () => {
  beforeEach(() => store.renew());

  it('is told by lane, priority and key, with its age and the rate of ends', async () => {
    const [a, b] = [await issueKey('a', defaultLimits), await issueKey('b', defaultLimits)];
    const first = await submittedBy(keyed(a.id), { priority: 7 });
    await submittedBy(keyed(a.id), { priority: 7 });
    const later = await claimJob(await submittedBy(keyed(b.id), { priority: 3 }));
    if (later) await postponeJob(later, 'too_many_running: …', Date.now() + 60_000);
    await claimJob(await submittedBy(keyed(b.id)));
    const ended = await claimJob(await submittedBy(keyed(b.id)));
    if (ended) await completeJob(ended);
    await dispatchJobs({ Records: await streamRecords() });

    const { lanes, waiting } = await reportQueue(byId(a, b));
    const standings = await summariesOf([a, b]);

    expect(waiting).toEqual([
      {
        ...{ lane: 'chat', priority: 3, key_id: b.id, key_name: 'b', ready: 0, later: 1 },
        oldest_at: later?.created_at,
      },
      {
        ...{ lane: 'chat', priority: 7, key_id: a.id, key_name: 'a', ready: 2, later: 0 },
        oldest_at: first.created_at,
      },
    ]);
    expect(lanes.map(({ lane, ready, running }) => [lane, ready, running])).toEqual([
      ['chat', 2, 1],
      ['ocr', 0, 0],
      ['folder', 0, 0],
    ]);
    expect(lanes[0]).toMatchObject({ later: 1, oldest_at: first.created_at });
    const [rate = 0] = lanes.map(({ ended_per_minute }) => ended_per_minute);
    expect(rate).toBeGreaterThanOrEqual(0.1);
    expect(rate).toBeLessThanOrEqual(0.2);
    expect(lanes[1]?.ended_per_minute).toBe(0);
    expect(standings.get(a.id)?.jobs).toEqual({ queued: 2, running: 0 });
    expect(standings.get(b.id)?.jobs).toEqual({ queued: 1, running: 1 });
  });

  it('is brought back: dead letters, turns whose wait is over, and messages that were lost', async () => {
    const { id } = await issueKey('waits in vain', defaultLimits);
    const jobs = [await submittedBy(keyed(id)), await submittedBy(keyed(id))];
    const claim = await claimJob(await submittedBy(keyed(id)));
    if (claim) await retryJob(claim, 'rate_limit_exceeded: busy', -1_000);
    const letter = { lane: 'chat#0', key_id: id, job_id: jobs[0]?.job_id, priority: 50 };
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: setting('CHAT_DEAD_LETTERS_URL'),
        MessageBody: JSON.stringify({ ...letter, waits: false }),
      }),
    );

    const [chat] = await redrive();
    const [again] = await redrive();

    expect(chat).toEqual({ lane: 'chat', moved: 1, woken: 1, rung: 2 });
    expect(again).toEqual({ lane: 'chat', moved: 0, woken: 0, rung: 0 });
    expect(await takeMessages()).toHaveLength(3);
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: setting('CHAT_DEAD_LETTERS_URL') }),
    );
    expect(Messages).toEqual([]);
  });

  it('keeps no count of ends for longer than it is asked for', async () => {
    const { id } = await issueKey('counted', defaultLimits);
    await submittedBy(keyed(id));
    stopClock();
    for (let spans = 0; spans < 24; spans++) {
      pass(5 * minuteMs);
      await uncountJobs(id, 0, new Map([['chat', 1]]));
    }

    const line = await itemOf(keyStateKey(id));

    const counts = Object.keys(line).filter((name) => name.startsWith('ended_'));
    expect(counts).toHaveLength(3);
  });
});
