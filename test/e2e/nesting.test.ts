import { describe, expect, it } from 'vitest';
import { shared } from '../support/run/shared.ts';
import { call, chatJob } from '../support/servers/api.ts';

const stage = await shared('stage');

/** JSON of an object whose field `x` makes it this many levels deep, itself counted. */
const withDepth = (body: object, levels: number) =>
  JSON.stringify({ ...body, x: 0 }).replace(
    /"x":0}$/,
    () => `"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`,
  );

const message = { role: 'user', content: 'Hi' };
const tooDeep = 'Input should not be nested deeper than 64 levels';
const detail = { detail: [{ loc: ['body'], msg: tooDeep, type: 'json_invalid' }] };
const error = {
  error: {
    message: tooDeep,
    type: 'invalid_request_error',
    param: null,
    code: 'invalid_request_error',
  },
};

describe.each<[string, object, object, number]>([
  ['/batch/jobs', chatJob('Hi'), detail, 422],
  ['/chat/stream', { message: 'Hi' }, detail, 422],
  ['/feedback', { session_id: 'session', rating: 'up' }, detail, 422],
  ['/v1/chat/completions', { model: 'no-such-model', messages: [message] }, error, 400],
  ['/v1/responses', { model: 'no-such-model', input: [message] }, error, 400],
])('a body of POST %s', (path, body, refusal, status) => {
  it.each([65, 1_000, 10_000, 1_000_000])('of %i levels is refused', async (levels) => {
    const answer = await call(stage, 'POST', path, withDepth(body, levels));

    expect(answer).toMatchObject({ status, body: refusal });
  });

  it('of 64 levels is not refused for its depth', async () => {
    const response = await fetch(`${stage.base_url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.api_key}` },
      body: withDepth(body, 64),
    });

    expect(response.status).toBeLessThan(500);
    expect(await response.text()).not.toContain(tooDeep);
  });
});

it('a message that is nested deeply is refused, and no job is made of it', async () => {
  const messages = withDepth({ messages: [message] }, 5_000).replaceAll('"x"', '"content"');
  const body = `{"job_type":"chat","inline":${messages}}`;

  const answer = await call(stage, 'POST', '/batch/jobs', body);

  expect(answer).toMatchObject({ status: 422, body: detail });
});
