import { expect, it } from 'vitest';
import { shared } from '../../support/run/shared.ts';
import { call, type Target } from '../../support/servers/api.ts';
import { post } from '../../support/servers/event-reader.ts';
import { newCaller } from '../../support/servers/new-caller.ts';

const stage = await shared('stage');

async function chat(caller: Target, body: object): Promise<void> {
  const response = await post(caller, '/chat/stream', { message: 'Hello', ...body });
  expect(response.status).toBe(200);
  await response.text();
}

it.each(['plain', 'with / and ?', '%2F 100%', 'ü+漢 #1'])(
  'the session %j is listed, read and deleted by its key alone',
  async (session_id) => {
    const [caller, other] = [await newCaller(stage), await newCaller(stage)];
    const path = `/chat/sessions/${encodeURIComponent(session_id)}`;
    await chat(caller, { session_id });

    const { body: list } = await call<{ sessions: object[] }>(caller, 'GET', '/chat/sessions');
    const read = await call(caller, 'GET', path);
    const strangers = [await call(other, 'GET', path), await call(other, 'DELETE', path)];
    const deleted = await call(caller, 'DELETE', path);
    const gone = await call(caller, 'GET', path);

    expect(list.sessions).toMatchObject([{ session_id, message_count: 2 }]);
    expect(read).toMatchObject({
      status: 200,
      body: { session_id, messages: [{ content: 'Hello' }, { role: 'assistant' }] },
    });
    expect(deleted).toMatchObject({ status: 200, body: { session_id, deleted: true } });
    for (const { status, body } of [...strangers, gone]) {
      expect(status).toBe(404);
      expect(body).toEqual({ detail: 'There is no such session.' });
    }
  },
);

it('a user’s session is told from another’s of the same id', async () => {
  const caller = await newCaller(stage);
  await chat(caller, { session_id: 's', user_id: 'ann' });

  const statuses = await Promise.all(
    ['/chat/sessions/s', '/chat/sessions/s?user_id=bob', '/chat/sessions/s?user_id=ann'].map(
      async (path) => (await call(caller, 'GET', path)).status,
    ),
  );

  expect(statuses).toEqual([404, 404, 200]);
});

const cursorOf = (time: string) => Buffer.from(`${time} ${'x'.repeat(43)}`).toString('base64url');

it('a list that goes on after its last session was forgotten is over', async () => {
  const lastYear = new Date(Date.now() - 365 * 24 * 3_600_000).toISOString();

  expect(await call(stage, 'GET', `/chat/sessions?cursor=${cursorOf(lastYear)}`)).toMatchObject({
    status: 200,
    body: { sessions: [], next_cursor: null },
  });
});

it.each([
  ['/chat/sessions?cursor=x', ['query', 'cursor']],
  [`/chat/sessions?cursor=${cursorOf('1')}`, ['query', 'cursor']],
  ['/chat/sessions?user_di=ann', ['query', 'user_di']],
  [`/chat/sessions/${'x'.repeat(129)}`, ['path', 'session_id']],
])('GET %s is a 422 that names the field', async (path, loc) => {
  expect(await call(stage, 'GET', path)).toMatchObject({
    status: 422,
    body: { detail: [{ loc }] },
  });
});
