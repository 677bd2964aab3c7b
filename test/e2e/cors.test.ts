import { describe, expect, it } from 'vitest';
import { allowedOrigins } from '../support/run/chat-slots.ts';
import { shared } from '../support/run/shared.ts';
import { useChatStage } from '../support/servers/chat-stage.ts';
import { complete, post } from '../support/servers/event-reader.ts';

const { stage, newAccount, newModel } = await useChatStage();
const account = await newAccount();
const { id: model } = newModel();
const [origin = '', other = ''] = allowedOrigins;
const stranger = 'https://evil.example';

const preflight = (path: string, from: string, baseUrl = stage.base_url) =>
  fetch(`${baseUrl}${path}`, {
    method: 'OPTIONS',
    headers: {
      origin: from,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-stainless-os',
    },
  });

const allowedIn = ({ headers }: Response) => headers.get('access-control-allow-origin');

describe('a preflight', () => {
  it.each(['/v1/chat/completions', '/chat/stream', '/batch/jobs/job_1', '/v1/models/a/b', '/docs'])(
    'for %s is answered by the gateway, without a key',
    async (path) => {
      const answer = await preflight(path, origin);

      expect(answer.status).toBe(204);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, POST, DELETE',
        'access-control-allow-headers': 'Authorization, *',
        'access-control-max-age': '3600',
        vary: 'Origin',
      });
    },
  );

  it('allows each origin of the list, and no other', async () => {
    const origins = [origin, other, stranger, `${origin}.evil.example`, 'https://appXexample.com'];

    const answers = await Promise.all(origins.map((each) => preflight('/chat/stream', each)));

    expect(answers.map(allowedIn)).toEqual([origin, other, null, null, null]);
  });

  it('is no route where no origin is allowed', async () => {
    const { base_url } = await shared('stage');

    const answer = await preflight('/chat/stream', origin, base_url);

    expect(answer.status).toBe(404);
    expect(allowedIn(answer)).toBe(null);
  });
});

describe('an answer', () => {
  const from = { origin };
  const withKey = { ...from, authorization: `Bearer ${account.api_key}` };
  const get = (path: string, headers: Record<string, string>) =>
    fetch(`${stage.base_url}${path}`, { headers });

  it.each([
    ['of a function', () => get('/v1/models', withKey), 200],
    ['of a function that streams', () => get('/docs/swagger-ui.css', from), 200],
    ['of a function that refuses', () => get('/batch/jobs/none', withKey), 404],
    ['of the gateway to a wrong key', () => get('/v1/models', from), 401],
    ['of the gateway to a wrong route', () => get('/nowhere', from), 404],
    ['of the gateway to a path that can’t be decoded', () => get('/%', from), 400],
  ])('%s may be read by a page', async (_, ask, status) => {
    const answer = await ask();

    expect(answer.status).toBe(status);
    expect(allowedIn(answer)).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toBe('*');
    await answer.body?.cancel();
  });

  it('that is streamed may be read by a page, and so may an error in its place', async () => {
    const [streamed, refused] = await Promise.all(
      [model, 'none'].map((id) =>
        fetch(`${stage.base_url}/v1/chat/completions`, {
          method: 'POST',
          headers: withKey,
          body: JSON.stringify({
            model: id,
            stream: true,
            messages: [{ role: 'user', content: 'x' }],
          }),
        }),
      ),
    );

    expect([streamed, refused].map((answer) => answer && allowedIn(answer))).toEqual([
      origin,
      origin,
    ]);
    expect(await streamed?.text()).toContain('[DONE]');
    expect(refused?.status).toBe(404);
  });

  it('to another page says nothing of it, and is kept apart', async () => {
    const answer = await get('/docs/swagger-ui.css', { origin: stranger });

    expect(answer.status).toBe(200);
    expect(allowedIn(answer)).toBe(null);
    expect(answer.headers.get('vary')).toBe('accept-encoding, origin');
    await answer.body?.cancel();
  });

  it('to no page is as it is without the setting, but for how it may be kept', async () => {
    const answer = await complete(account, { model });

    expect(allowedIn(answer)).toBe(null);
    expect(answer.headers.get('vary')).toBe('origin');
    await answer.body?.cancel();
  });

  it('has no header for pages where no origin is allowed', async () => {
    const plain = await shared('stage');

    const answer = await post(plain, '/feedback', {});

    expect(answer.status).toBe(422);
    expect(allowedIn(answer)).toBe(null);
    expect(answer.headers.get('vary')).toBe(null);
  });
});
