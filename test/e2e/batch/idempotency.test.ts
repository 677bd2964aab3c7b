import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JobRecord } from '../../../shared/jobs/routes/record.ts';
import { shared } from '../../support/run/shared.ts';
import { call, chatJob, type Target, until } from '../../support/servers/api.ts';
import { newCaller } from '../../support/servers/new-caller.ts';

const stage = await shared('stage');

function submitWith(idempotencyKey: string, job: object, target: Target = stage) {
  return call<JobRecord>(target, 'POST', '/batch/jobs', job, { 'idempotency-key': idempotencyKey });
}

describe('an Idempotency-Key', () => {
  it('gives the first record again for the same body', async () => {
    const key = randomUUID();
    const first = await submitWith(key, chatJob('Hi'));

    const again = await submitWith(key, chatJob('Hi'));

    expect(again.status).toBe(202);
    expect(again.body.id).toBe(first.body.id);
    expect(again.body.created_at).toBe(first.body.created_at);
  });

  it('gives the record as it stands once the job has ended', async () => {
    const key = randomUUID();
    const first = await submitWith(key, chatJob('Hi'));
    const done = await until(stage, first.body.id);

    const again = await submitWith(key, chatJob('Hi'));

    expect(again.body).toEqual(done);
  });

  it('takes a default that is spelled out for the same body', async () => {
    const key = randomUUID();
    const first = await submitWith(key, chatJob('Hi'));

    const again = await submitWith(key, chatJob('Hi', { priority: 10, model: null, drive: null }));

    expect(again.body.id).toBe(first.body.id);
  });

  it('makes one job of 20 submissions at once', async () => {
    const caller = await newCaller(stage);
    const key = randomUUID();

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => submitWith(key, chatJob('Hi'), caller)),
    );

    const { body: list } = await call<{ jobs: JobRecord[] }>(caller, 'GET', '/batch/jobs');
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(list.jobs).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set([list.jobs[0]?.id]));
  });

  it('with another body is a conflict, and makes no job', async () => {
    const caller = await newCaller(stage);
    const key = randomUUID();
    await submitWith(key, chatJob('Hi'), caller);

    const other = await submitWith(key, chatJob('Hi', { priority: 11 }), caller);

    const { body: list } = await call<{ jobs: JobRecord[] }>(caller, 'GET', '/batch/jobs');
    expect(other.status).toBe(409);
    expect(other.body).toEqual({
      detail: 'This Idempotency-Key was used for a different submission.',
    });
    expect(list.jobs).toHaveLength(1);
  });

  it('is not used up by a submission that was refused', async () => {
    const key = randomUUID();
    const refused = await submitWith(key, chatJob('Hi', { priority: 0 }));

    const accepted = await submitWith(key, chatJob('Hi'));

    expect(refused.status).toBe(422);
    expect(accepted.status).toBe(202);
  });

  it('of another API key is another one', async () => {
    const [ada, bob] = [await newCaller(stage), await newCaller(stage)];
    const key = randomUUID();
    const first = await submitWith(key, chatJob('Hi'), ada);

    const second = await submitWith(key, chatJob('Hello'), bob);

    expect(second.status).toBe(202);
    expect(second.body.id).not.toBe(first.body.id);
  });

  it('may have 255 characters', async () => {
    const { status } = await submitWith(randomUUID().padEnd(255, 'x'), chatJob('Hi'));

    expect(status).toBe(202);
  });

  it.each([
    ['nothing', '', 'string_too_short', 'String should have at least 1 character'],
    [
      '256 characters',
      'x'.repeat(256),
      'string_too_long',
      'String should have at most 255 characters',
    ],
  ])('of %s is refused', async (_, key, type, msg) => {
    const { status, body } = await submitWith(key, chatJob('Hi'));

    expect(status).toBe(422);
    expect(body).toEqual({ detail: [{ loc: ['header', 'idempotency-key'], type, msg }] });
  });
});
