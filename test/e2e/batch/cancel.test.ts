import { describe, expect, it } from 'vitest';
import type { JobRecord } from '../../../shared/jobs/routes/record.ts';
import { instantFormat, jobFields } from '../../support/fixtures/job-fields.ts';
import { cases } from '../../support/run/cases.ts';
import { call, chatJob, read, submit, type Target, until } from '../../support/servers/api.ts';
import { useChatStage } from '../../support/servers/chat-stage.ts';

const chat = await useChatStage();
const account = await chat.newAccount();
const model = chat.newModel('plain', ({ messages }) => {
  const content = messages[0]?.content;
  if (content === 'hang') return { kind: 'hang' };
  if (content === 'refuse') return { kind: 'status', status: 400 };
  if (content !== 'wait') return undefined;
  return { kind: 'status', status: 429, headers: { 'retry-after': '600' } };
});

const job = (content: string) => chatJob(content, { model: model.id });

const cancel = (id: string, target: Target = account) =>
  call<JobRecord>(target, 'POST', `/batch/jobs/${id}/cancel`);

async function jobThatIs(status: JobRecord['status'], content: string): Promise<string> {
  const { id } = await submit(account, job(content));
  await until(account, id, (job) => job.status === status && job.started_at !== null);
  return id;
}

describe('cancelling a job', () => {
  it('that is queued answers 200 and its record, which then stays', async () => {
    const id = await jobThatIs('queued', 'wait');
    const before = await read(account, id);

    const { status, body } = await cancel(id);

    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(jobFields);
    expect(body).toEqual({
      ...before,
      status: 'cancelled',
      completed_at: expect.stringMatching(instantFormat),
    });
    expect(await read(account, id)).toEqual(body);
  });

  it('a second time is a conflict, and changes nothing', async () => {
    const id = await jobThatIs('queued', 'wait');
    const cancelled = await cancel(id);

    const { status, body } = await cancel(id);

    expect(status).toBe(409);
    expect(body).toEqual({ detail: 'Only a queued job can be cancelled; this one is cancelled.' });
    expect(await read(account, id)).toEqual(cancelled.body);
  });

  it.each([
    ['processing', 'hang'],
    ['done', 'Hi'],
    ['failed', 'refuse'],
  ] as const)('that is %s is a conflict, and changes nothing', async (jobStatus, content) => {
    const id = await jobThatIs(jobStatus, content);
    const before = await read(account, id);

    const { status, body } = await cancel(id);

    expect(status).toBe(409);
    expect(body).toEqual({
      detail: `Only a queued job can be cancelled; this one is ${jobStatus}.`,
    });
    expect(await read(account, id)).toEqual(before);
  });

  it('answers the same 404 for an unknown id, a malformed one and one of another key', async () => {
    const id = await jobThatIs('queued', 'wait');
    const stranger = await chat.newAccount();

    const answers = [
      await cancel(id, stranger),
      await cancel('job_01890000-0000-7000-8000-000000000000'),
      await cancel('x'),
    ];

    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(body).toEqual({ detail: 'There is no such job.' });
    }
    expect((await read(account, id)).status).toBe('queued');
  });

  it('at the moment a worker takes it either wins for good or loses for good', async () => {
    const contents = Array.from({ length: cases(8, 30) }, (_, i) => `race ${i}`);

    const races = await Promise.all(
      contents.map(async (content) => {
        const { id } = await submit(account, job(content));
        const { status } = await cancel(id);
        return { content, status, end: await until(account, id) };
      }),
    );

    const asked = new Set(
      model.upstreams[0]?.requests().map(({ body }) => body.messages[0]?.content),
    );
    for (const { content, status, end } of races) {
      expect([status, end.status, asked.has(content)]).toEqual(
        status === 200 ? [200, 'cancelled', false] : [409, 'done', true],
      );
    }
  });

  it('of 20 requests at once succeeds for one', async () => {
    const id = await jobThatIs('queued', 'wait');

    const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(id)));

    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(19).fill(409)]);
  });
});
