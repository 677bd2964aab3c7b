import { describe, expect, it } from 'vitest';
import type { JobRecord } from '../../shared/jobs/routes/record.ts';
import { chatJob, chatResultOf, submit, until } from '../support/servers/api.ts';
import { useChatStage } from '../support/servers/chat-stage.ts';
import type { Behaviour } from '../support/servers/model-stub.ts';

const chat = await useChatStage();
const account = await chat.newAccount();

/** Submits a job; the model meets its calls with these behaviours in turn, then answers. */
async function submitted(behaviours: Behaviour[], rest: object = {}) {
  const model = chat.newModel('plain', behaviours);
  const { id } = await submit(account, chatJob('a question', { model: model.id, ...rest }));
  return { id, callTimes: () => (model.upstreams[0]?.requests() ?? []).map(({ at }) => at) };
}

const status = (status: number, headers: Record<string, string> = {}): Behaviour => ({
  kind: 'status',
  status,
  headers,
});
const slowAnswer: Behaviour = { kind: 'answer', content: 'at last', delayMs: 300 };
const isRetried = ({ retry_count }: JobRecord) => retry_count === 1;

describe.concurrent('a call that may go better next time', () => {
  it.each<[string, Behaviour, string]>([
    [
      '429',
      status(429),
      'model_rate_limited: The model’s provider takes no more for now: stub status 429',
    ],
    ['500', status(500), 'model_unavailable: stub status 500'],
    ['503', status(503), 'model_unavailable: stub status 503'],
    [
      'a connection cut before the answer',
      { kind: 'cut' },
      'model_unavailable: The connection to the model broke.',
    ],
    [
      'a connection cut in its midst',
      { kind: 'cut', at: 'midway' },
      'model_unavailable: The connection to the model broke.',
    ],
    ['broken JSON', { kind: 'malformed' }, 'model_unavailable: The model answered broken JSON.'],
    ['a page of HTML', { kind: 'wrong-type' }, 'model_unavailable: The model answered text/html.'],
  ])('is repeated after %s, with the reason on the record meanwhile', async (_, failure, error) => {
    const { id, callTimes } = await submitted([failure, slowAnswer]);

    const waiting = await until(account, id, isRetried);
    const done = await until(account, id);

    expect(waiting).toMatchObject({ error, result: null, completed_at: null });
    expect(done).toMatchObject({ status: 'done', retry_count: 1, error: null });
    expect(chatResultOf(done)?.content).toBe('at last');
    expect(callTimes()).toHaveLength(2);
  });

  it.each([
    ['in seconds', () => '2'],
    ['as a date', () => new Date(Date.now() + 3_000).toUTCString()],
  ])('waits as long as Retry-After says %s', { tags: 'exhaustive' }, async (_, retryAfter) => {
    const { id, callTimes } = await submitted([status(429, { 'retry-after': retryAfter() })]);

    const done = await until(account, id);

    const [first = 0, second = 0] = callTimes();
    expect(done).toMatchObject({ status: 'done', retry_count: 1 });
    expect(second - first).toBeGreaterThanOrEqual(2_000);
  });

  it('fails for good with its last error once all retries are used', {
    tags: 'exhaustive',
  }, async () => {
    const { id, callTimes } = await submitted([status(500), status(503), status(429)], {
      max_retries: 2,
    });

    const failed = await until(account, id);

    expect(failed).toMatchObject({
      status: 'failed',
      retry_count: 2,
      error: 'model_rate_limited: The model’s provider takes no more for now: stub status 429',
      result: null,
    });
    expect(callTimes()).toHaveLength(3);
  });

  it('is repeated after 401, once the secret was read anew and refused too', {
    tags: 'exhaustive',
  }, async () => {
    const { id, callTimes } = await submitted([status(401), status(401), slowAnswer]);

    const waiting = await until(account, id, isRetried);
    const done = await until(account, id);

    expect(waiting.error).toBe('model_unavailable: The model provider refused our credentials.');
    expect(done).toMatchObject({ status: 'done', retry_count: 1, error: null });
    expect(callTimes()).toHaveLength(3);
  });

  it('is not repeated where max_retries is 0', async () => {
    const { id, callTimes } = await submitted([status(500)], { max_retries: 0 });

    const failed = await until(account, id);

    expect(failed).toMatchObject({ status: 'failed', retry_count: 0 });
    expect(callTimes()).toHaveLength(1);
  });
});

const tooLong = {
  error: {
    message: 'This model has a maximum context length of 400000 tokens.',
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  },
};

describe.concurrent('a call that would fail again', () => {
  it.each<[string, Behaviour, string]>([
    ['400', status(400), 'invalid_request_error: stub status 400'],
    ['404', status(404), 'model_not_found: stub status 404'],
    ['413', status(413), 'invalid_request_error: stub status 413'],
    ['422', status(422), 'invalid_request_error: stub status 422'],
    [
      'a context that is too long',
      { kind: 'status', status: 400, body: tooLong },
      `context_length_exceeded: ${tooLong.error.message}`,
    ],
  ])('fails at once after %s', async (_, failure, error) => {
    const { id, callTimes } = await submitted([failure], { max_retries: 5 });

    const failed = await until(account, id);

    expect(failed).toMatchObject({ status: 'failed', retry_count: 0, error });
    expect(callTimes()).toHaveLength(1);
  });
});
