import { describe, expect, it } from 'vitest';
import type { JobRecord } from '../../../shared/jobs/routes/record.ts';
import { instantFormat, jobFields } from '../../support/fixtures/job-fields.ts';
import { cases } from '../../support/run/cases.ts';
import { call, chatJob, read, submit, type Target, until } from '../../support/servers/api.ts';
import { budgetOf, endedCharges, useChatStage } from '../../support/servers/chat-stage.ts';
import { gate } from '../../support/servers/model-stub-pieces.ts';

const chat = await useChatStage();
const account = await chat.newAccount();
const slow = gate();
const model = chat.newModel('plain', ({ messages }) => {
  const content = messages[0]?.content;
  if (content === 'slow') return { kind: 'pieces', pieces: slowAnswer(), type: 'application/json' };
  if (content === 'refuse') return { kind: 'status', status: 400 };
  if (content !== 'wait') return undefined;
  return { kind: 'status', status: 429, headers: { 'retry-after': '600' } };
});

async function* slowAnswer(): AsyncGenerator<string> {
  await slow.opened;
  const message = { role: 'assistant', content: 'A slow answer.' };
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  yield JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
}

const job = (content: string) => chatJob(content, { model: model.id });
const stoppedError = 'stopped: The job was stopped by its caller.';

const stop = (id: string, target: Target = account) =>
  call<JobRecord>(target, 'POST', `/batch/jobs/${id}/stop`);

async function jobThatIs(status: JobRecord['status'], content: string): Promise<string> {
  const { id } = await submit(account, job(content));
  await until(account, id, (job) => job.status === status && job.started_at !== null);
  return id;
}

describe('stopping a job', () => {
  it('that waits answers 200 and its record, and it is cancelled a moment later', async () => {
    const id = await jobThatIs('queued', 'wait');

    const { status, body } = await stop(id);
    const end = await until(account, id);

    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(jobFields);
    expect(body).toMatchObject({ id, error: stoppedError });
    expect(end).toMatchObject({ status: 'cancelled', error: stoppedError, result: null });
    expect(end.completed_at).toMatch(instantFormat);
  });

  it('that runs keeps the answer that was paid for, and may be asked for twice', async () => {
    const own = await chat.newAccount();
    const { id } = await submit(own, job('slow'));
    await until(own, id, ({ status }) => status === 'processing');

    const answers = [await stop(id, own), await stop(id, own)];
    slow.open();
    const end = await until(own, id);

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.body).toMatchObject({ status: 'processing', error: stoppedError });
    expect(end).toMatchObject({ status: 'cancelled', error: stoppedError });
    expect(end.result).toMatchObject({ type: 'chat', content: 'A slow answer.' });
    expect(await endedCharges(own)).toHaveLength(1);
    expect((await budgetOf(own)).used_usd).toBe((end.result as { cost_usd: number }).cost_usd);
  });

  it.each([
    ['done', 'Hi'],
    ['failed', 'refuse'],
  ] as const)('that is %s is a conflict, and changes nothing', async (jobStatus, content) => {
    const id = await jobThatIs(jobStatus, content);
    const before = await read(account, id);

    const { status, body } = await stop(id);

    expect(status).toBe(409);
    expect(body).toEqual({
      detail: `Only a job that has not ended can be stopped; this one is ${jobStatus}.`,
    });
    expect(await read(account, id)).toEqual(before);
  });

  it('answers the same 404 for an unknown id, a malformed one and one of another key', async () => {
    const id = await jobThatIs('queued', 'wait');
    const stranger = await chat.newAccount();

    const answers = [
      await stop(id, stranger),
      await stop('job_01890000-0000-7000-8000-000000000000'),
      await stop('x'),
    ];

    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(body).toEqual({ detail: 'There is no such job.' });
    }
    expect(await read(account, id)).toMatchObject({ status: 'queued' });
  });

  it('at the moment a worker takes it or ends it cancels it, or is a conflict', {
    tags: 'exhaustive',
  }, async () => {
    const contents = Array.from({ length: cases(8, 30) }, (_, i) => `race ${i}`);

    const races = await Promise.all(
      contents.map(async (content, index) => {
        const { id } = await submit(account, job(content));
        for (let reads = 0; reads < index % 5; reads += 1) await read(account, id);
        const { status } = await stop(id);
        return [status, (await until(account, id)).status];
      }),
    );

    for (const [status, end] of races) {
      expect([status, end]).toEqual(status === 200 ? [200, 'cancelled'] : [409, 'done']);
    }
  });

  it('20 times at once cancels it once, and no request fails', async () => {
    const id = await jobThatIs('queued', 'wait');

    const answers = await Promise.all(Array.from({ length: 20 }, () => stop(id)));

    for (const { status } of answers) expect(status).toBeOneOf([200, 409]);
    expect(await until(account, id)).toMatchObject({ status: 'cancelled', error: stoppedError });
  });
});
