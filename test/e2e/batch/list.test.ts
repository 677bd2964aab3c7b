import { describe, expect, it } from 'vitest';
import { readStageFile } from '../../../lib/local/stage-file.ts';
import type { FieldError } from '../../../shared/http/errors.ts';
import type { JobList } from '../../../shared/jobs/routes/record.ts';
import { instantFormat, jobFields, jobIdFormat } from '../../support/fixtures/job-fields.ts';
import { shared } from '../../support/run/shared.ts';
import { call, chatJob, read, submit, type Target, until } from '../../support/servers/api.ts';
import { newCaller } from '../../support/servers/new-caller.ts';
import { putManyJobs } from '../../support/worlds/operators-world.ts';

const stage = await shared('stage');
process.env['JOBS_TABLE'] = readStageFile(stage.dataDir)?.outputs['JobsTable'];

async function list(target: Target, query = ''): Promise<JobList> {
  const { status, body } = await call<JobList>(target, 'GET', `/batch/jobs${query}`);
  expect(status).toBe(200);
  return body;
}

async function submitMany(target: Target, count: number): Promise<string[]> {
  const jobs = Array.from({ length: count }, (_, i) => submit(target, chatJob(`job ${i}`)));
  return (await Promise.all(jobs)).map(({ id }) => id);
}

/** Writes jobs that have ended, as many as would take long to run; returns their ids. */
async function putMany({ keyId }: { keyId: string }, count: number): Promise<string[]> {
  const jobs = await putManyJobs(
    keyId,
    Array.from({ length: count }, () => ({})),
  );
  return jobs.map(({ job_id }) => job_id);
}

describe('the list of jobs', () => {
  it('is empty for a key that never submitted one', async () => {
    const caller = await newCaller(stage);

    const answer = await list(caller);

    expect(answer).toEqual({ jobs: [], next_cursor: null });
  });

  it('shows the newest first, and all of a job of 50', async () => {
    const caller = await newCaller(stage);
    const ids = await putMany(caller, 50);

    const { jobs, next_cursor } = await list(caller);

    expect(jobs.map(({ id }) => id)).toEqual(ids.sort().reverse());
    expect(next_cursor).toBeNull();
  });

  it('gives the cursors to walk 120 jobs, 50 a page, each once', async () => {
    const caller = await newCaller(stage);
    const ids = await putMany(caller, 120);

    const first = await list(caller);
    const second = await list(caller, `?cursor=${first.next_cursor}`);
    const third = await list(caller, `?cursor=${second.next_cursor}`);

    const pages = [first, second, third].map(({ jobs }) => jobs.map(({ id }) => id));
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 20]);
    expect(pages.flat()).toEqual(ids.sort().reverse());
    expect(third.next_cursor).toBeNull();
  });

  it('gives as many a page as it is asked for', async () => {
    const caller = await newCaller(stage);
    await putMany(caller, 3);

    const first = await list(caller, '?limit=2');
    const second = await list(caller, `?limit=2&cursor=${first.next_cursor}`);

    expect([first.jobs.length, second.jobs.length]).toEqual([2, 1]);
    expect(second.next_cursor).toBeNull();
  });

  it('keeps its cursor valid while new jobs come in', async () => {
    const caller = await newCaller(stage);
    const ids = await putMany(caller, 60);
    const first = await list(caller);
    await submitMany(caller, 10);

    const second = await list(caller, `?cursor=${first.next_cursor}`);

    expect(second.jobs.map(({ id }) => id)).toEqual(ids.sort().reverse().slice(50));
  });

  it('leaves out what was made for others where `none` is asked for, whatever the status', async () => {
    const caller = await newCaller(stage);
    const records = await putManyJobs(caller.keyId, [
      ...Array.from({ length: 130 }, () => ({ parent_job_id: 'job_of-a-folder' })),
      {},
      { status: 'failed' },
    ]);
    const submitted = records.filter(({ parent_job_id }) => !parent_job_id);
    const ids = submitted.map(({ job_id }) => job_id).sort();

    const all = await list(caller, '?parent_job_id=none');
    const failed = await list(caller, '?parent_job_id=none&status=failed');

    expect(all.jobs.map(({ id }) => id).sort()).toEqual(ids);
    expect(all.next_cursor).toBeNull();
    expect(failed.jobs.map(({ id }) => id)).toEqual(
      submitted.filter(({ status }) => status === 'failed').map(({ job_id }) => job_id),
    );
  });

  it('shows what reading each of its jobs shows', async () => {
    const caller = await newCaller(stage);
    const [id = ''] = await submitMany(caller, 1);
    const job = await until(caller, id);

    const { jobs } = await list(caller);

    expect(jobs).toEqual([job]);
    expect(Object.keys(jobs[0] ?? {})).toEqual(jobFields);
  });

  it('shows only the jobs of the status asked for', async () => {
    const caller = await newCaller(stage);
    const [id = ''] = await submitMany(caller, 1);
    await until(caller, id);

    const done = await list(caller, '?status=done');
    const others = await Promise.all(
      ['queued', 'processing', 'failed', 'cancelled'].map((status) =>
        list(caller, `?status=${status}`),
      ),
    );

    expect(done.jobs.map((job) => job.id)).toEqual([id]);
    expect(others.flatMap(({ jobs }) => jobs)).toEqual([]);
  });

  it('shows none for a parent without children', async () => {
    const caller = await newCaller(stage);
    const [id = ''] = await submitMany(caller, 1);

    const { jobs } = await list(caller, `?parent_job_id=${id}`);

    expect(jobs).toEqual([]);
  });

  it('shows no job of another key', async () => {
    const [ada, bob] = [await newCaller(stage), await newCaller(stage)];
    await submitMany(ada, 2);
    const [bobs] = await submitMany(bob, 1);

    const { jobs } = await list(bob);

    expect(jobs.map(({ id }) => id)).toEqual([bobs]);
  });

  it('gives nothing away to a cursor of another key', async () => {
    const [ada, bob] = [await newCaller(stage), await newCaller(stage)];
    await putMany(ada, 51);
    const { next_cursor } = await list(ada);

    const { jobs } = await list(bob, `?cursor=${next_cursor}`);

    expect(jobs).toEqual([]);
  });

  const cursor: FieldError = {
    loc: ['query', 'cursor'],
    type: 'value_error',
    msg: 'Value error, not a cursor of ours',
  };
  const status: FieldError = {
    loc: ['query', 'status'],
    type: 'literal_error',
    msg: "Input should be 'queued', 'processing', 'done', 'failed' or 'cancelled'",
  };

  const parent: FieldError = {
    loc: ['query', 'parent_job_id'],
    type: 'string_too_short',
    msg: 'String should have at least 1 character',
  };

  it.each<[string, FieldError[]]>([
    ['?cursor=nonsense', [cursor]],
    ['?cursor=', [cursor]],
    ['?cursor=%ff%zz', [cursor]],
    [`?cursor=${Buffer.from('submission_0').toString('base64url')}`, [cursor]],
    ['?status=finished', [status]],
    ['?status=', [status]],
    ['?status=DONE', [status]],
    // A script whose variable is empty means no list of all jobs.
    ['?parent_job_id=', [parent]],
    ['?status=finished&cursor=nonsense', [cursor, status]],
  ])('refuses %s', async (query, detail) => {
    const answer = await call(stage, 'GET', `/batch/jobs${query}`);

    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ detail });
  });
});

describe('reading a job', () => {
  it('gives every field of the contract, and the result once it is done', async () => {
    const { id } = await submit(stage, chatJob('What is the capital of France?'));

    const job = await until(stage, id);

    expect(Object.keys(job)).toEqual(jobFields);
    expect(job).toMatchObject({
      id: expect.stringMatching(jobIdFormat),
      status: 'done',
      retry_count: 0,
      error: null,
      created_at: expect.stringMatching(instantFormat),
      started_at: expect.stringMatching(instantFormat),
      completed_at: expect.stringMatching(instantFormat),
    });
    expect(job.result).toEqual({
      type: 'chat',
      content: expect.any(String),
      finish_reason: 'stop',
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
      },
      cost_usd: expect.any(Number),
    });
    expect([job.created_at, job.started_at, job.completed_at]).toEqual(
      [job.created_at, job.started_at, job.completed_at].sort(),
    );
  });

  it('answers the same 404 for an unknown id, a malformed one and one of another key', async () => {
    const { id } = await submit(await newCaller(stage), chatJob('Hi'));
    const unknown = 'job_01890000-0000-7000-8000-000000000000';
    const strange = ['job_', 'x', 'submission_0', '%00', 'a%2Fb', '%E2%82%AC', 'x'.repeat(2000)];

    const answers = await Promise.all(
      [id, unknown, id.toUpperCase(), ...strange].map((each) =>
        call(stage, 'GET', `/batch/jobs/${each}`),
      ),
    );

    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(body).toEqual({ detail: 'There is no such job.' });
    }
  });

  it('finds an id in its percent-encoded form', async () => {
    const { id } = await submit(stage, chatJob('Hi'));

    const job = await read(stage, id.replace('_', '%5F'));

    expect(job.id).toBe(id);
  });
});
