import { describe, expect, it } from 'vitest';
import type { JobRecord } from '../../../shared/jobs/routes/record.ts';
import { jobFields } from '../../support/fixtures/job-fields.ts';
import { call, chatJob, read, submit, type Target, until } from '../../support/servers/api.ts';
import { useChatStage } from '../../support/servers/chat-stage.ts';

const chat = await useChatStage();
const account = await chat.newAccount();
let isRefusing = true;
const model = chat.newModel('plain', ({ messages }) => {
  const content = messages[0]?.content;
  if (content === 'refuse' && isRefusing) return { kind: 'status', status: 400 };
  if (content !== 'wait') return undefined;
  return { kind: 'status', status: 429, headers: { 'retry-after': '600' } };
});

const retry = (id: string, target: Target = account) =>
  call<JobRecord>(target, 'POST', `/batch/jobs/${id}/retry`);

async function jobThatIs(status: JobRecord['status'], content: string): Promise<string> {
  const { id } = await submit(account, chatJob(content, { model: model.id, priority: 4 }));
  await until(account, id, (job) => job.status === status && job.started_at !== null);
  return id;
}

describe('retrying a job', () => {
  it('that failed answers 202 and a new job, which is done; the failed one stays', async () => {
    const id = await jobThatIs('failed', 'refuse');
    const before = await read(account, id);
    isRefusing = false;

    const { status, body } = await retry(id);
    const end = await until(account, body.id);

    expect(status).toBe(202);
    expect(Object.keys(body)).toEqual(jobFields);
    expect(body).toMatchObject({ status: 'queued', retry_of: id, priority: 4, model: model.id });
    expect(end).toMatchObject({ status: 'done', retry_count: 0, error: null });
    expect(await read(account, id)).toEqual(before);
  });

  it('that was stopped is done; asked for again it is the same job', async () => {
    const { id } = await submit(account, chatJob('wait', { model: model.id }));
    await call(account, 'POST', `/batch/jobs/${id}/stop`);
    await until(account, id);

    const answers = await Promise.all(Array.from({ length: 10 }, () => retry(id)));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it.each([
    ['done', 'Hi'],
    ['queued', 'wait'],
  ] as const)('that is %s is a conflict, and makes none', async (jobStatus, content) => {
    const id = await jobThatIs(jobStatus, content);

    const { status, body } = await retry(id);

    expect(status).toBe(409);
    expect(body).toEqual({
      detail: `Only a failed or cancelled job, or a folder with failed files, can be tried again; this one is ${jobStatus}.`,
    });
  });

  it('answers the same 404 for an unknown id, a malformed one and one of another key', async () => {
    const id = await jobThatIs('queued', 'wait');
    await call(account, 'POST', `/batch/jobs/${id}/cancel`);
    const stranger = await chat.newAccount();

    const answers = [
      await retry(id, stranger),
      await retry('job_01890000-0000-7000-8000-000000000000'),
      await retry('x'),
    ];

    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(body).toEqual({ detail: 'There is no such job.' });
    }
  });
});
