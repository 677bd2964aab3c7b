import { beforeEach, describe, expect, it } from 'vitest';
import { keepSession } from '../../shared/chat/session.ts';
import { deleteSession, getSession, listSessions } from '../../shared/chat/session-records.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { pass, useStoppedClock } from '../support/worlds/clock.ts';
import { useStore } from '../support/worlds/store.ts';

const store = await useStore();
useStoppedClock('2026-11-20T12:00:00.000Z');
beforeEach(() => store.renew());

const limits = JSON.stringify(defaultLimits);
const ann = { keyId: 'key_1', limits };
const name = { session_id: 'a', user_id: 'anonymous' };

const say = (session_id: string, { keyId = 'key_1', userId = 'anonymous', turns = 1 } = {}) =>
  keepSession(
    { keyId, userId, sessionId: session_id },
    Array.from({ length: turns }, (_, n) => ({ role: 'user' as const, content: `turn ${n}` })),
    Date.now(),
  );

const idsOf = ({ sessions }: { sessions: { session_id: string }[] }) =>
  sessions.map(({ session_id }) => session_id);

describe('the list of sessions', () => {
  it('is empty for a key without any', async () => {
    expect(await listSessions(ann, {})).toEqual({ sessions: [], next_cursor: null });
  });

  it('begins with the newest message, without what was said', async () => {
    await say('a', { turns: 2 });
    pass(1_000);
    await say('b', { userId: 'bob' });
    pass(1_000);
    await say('a', { turns: 4 });

    expect(await listSessions(ann, {})).toEqual({
      sessions: [
        {
          ...name,
          message_count: 4,
          updated_at: '2026-11-20T12:00:02.000Z',
          expires_at: '2026-11-21T12:00:02.000Z',
        },
        {
          ...{ session_id: 'b', user_id: 'bob', message_count: 1 },
          updated_at: '2026-11-20T12:00:01.000Z',
          expires_at: '2026-11-21T12:00:01.000Z',
        },
      ],
      next_cursor: null,
    });
  });

  it('has 50 a page, each session on one of them', async () => {
    for (let n = 0; n < 120; n++) {
      await say(`s${n}`, { userId: n % 3 ? 'ann' : 'bob' });
      if (n % 2) pass(1);
    }
    const names = Array.from({ length: 120 }, (_, n) => `s${n}`);

    for (const user_id of [undefined, 'ann']) {
      const pages = [await listSessions(ann, { ...(user_id && { user_id }) })];
      for (let last = pages[0]; last?.next_cursor; last = pages.at(-1)) {
        const cursor = Buffer.from(last.next_cursor, 'base64url').toString();
        pages.push(await listSessions(ann, { cursor, ...(user_id && { user_id }) }));
      }

      const expected = names.filter((_, n) => !user_id || n % 3 > 0);
      expect(pages.map(({ sessions }) => sessions.length)).toEqual(
        user_id ? [50, 30] : [50, 50, 20],
      );
      expect(pages.flatMap(idsOf).sort()).toEqual(expected.sort());
    }
  });

  it('leaves out what is forgotten, and other keys’', async () => {
    await say('old');
    pass(23 * 3_600_000);
    await say('young');
    await say('another’s', { keyId: 'key_2' });
    pass(3_600_000);

    expect(idsOf(await listSessions(ann, {}))).toEqual(['young']);
  });
});

describe('a session', () => {
  it('is read with its messages', async () => {
    await say('a', { turns: 2 });

    expect(await getSession(ann, name)).toMatchObject({
      ...name,
      message_count: 2,
      messages: [
        { role: 'user', content: 'turn 0' },
        { role: 'user', content: 'turn 1' },
      ],
    });
  });

  it('is deleted once', async () => {
    await say('a');

    expect(await deleteSession(ann, name)).toEqual({ ...name, deleted: true });
    await expect(getSession(ann, name)).rejects.toThrow('There is no such session.');
    await expect(deleteSession(ann, name)).rejects.toThrow('There is no such session.');
    expect(idsOf(await listSessions(ann, {}))).toEqual([]);
  });

  it.each([
    ['another key', { ...ann, keyId: 'key_2' }, name],
    ['another user', ann, { ...name, user_id: 'bob' }],
    ['nobody', ann, { ...name, session_id: 'b' }],
  ])('of %s is not found, and not deleted', async (_, caller, other) => {
    await say('a');

    await expect(getSession(caller, other)).rejects.toMatchObject({ statusCode: 404 });
    await expect(deleteSession(caller, other)).rejects.toMatchObject({ statusCode: 404 });
    expect(idsOf(await listSessions(ann, {}))).toEqual(['a']);
  });

  it('that is forgotten is not found, even if the table still has it', async () => {
    await say('a');
    pass(24 * 3_600_000);

    await expect(getSession(ann, name)).rejects.toMatchObject({ statusCode: 404 });
    await expect(deleteSession(ann, name)).rejects.toMatchObject({ statusCode: 404 });
  });
});
