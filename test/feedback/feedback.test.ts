import * as v from 'valibot';
import { beforeEach, expect, it, vi } from 'vitest';
import { recordFeedback } from '../../shared/feedback/feedback.ts';
import { exportFeedback, listFeedback } from '../../shared/feedback/ratings.ts';
import { FeedbackRequest } from '../../shared/feedback/request.ts';
import { sessionFeedback } from '../../shared/feedback/session-feedback.ts';
import { summarizeFeedback } from '../../shared/feedback/summary.ts';
import { issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { countCharges } from '../../shared/usage/count.ts';
import { lastDays } from '../../shared/usage/day.ts';
import { dayMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { useStore } from '../support/worlds/store.ts';
import { endedCharge } from '../support/worlds/usage-world.ts';

const store = await useStore();
const callerOf = (keyId: string) => ({ keyId, limits: JSON.stringify(defaultLimits) });

useStoppedClock('2026-11-20T12:00:00.000Z');
beforeEach(() => store.renew());

const rate = (keyId: string, rest: object = {}) =>
  recordFeedback(
    callerOf(keyId),
    v.parse(FeedbackRequest, { session_id: 's', rating: 'up', ...rest }),
  );

const exported = async (days: number) =>
  (await Array.fromAsync(exportFeedback(lastDays(days)))).map((line) => JSON.parse(line));

it('replaces the rating of the same message, and keeps its id and day', async () => {
  const first = await rate('key_1', { user_message: 'Q', message_content: 'A', comment: 'good' });
  pass(dayMs);
  const second = await rate('key_1', {
    ...{ user_message: 'Q', message_content: 'A', rating: 'down', model: 'gpt-5' },
  });

  expect(second).toEqual({ ...first, rating: 'down' });
  expect(await exported(2)).toEqual([
    {
      ...{ id: first.id, key_id: 'key_1', session_id: 's', rating: 'down', model: 'gpt-5' },
      ...{ message_id: null, comment: '', correction: '', message_content: 'A', user_message: 'Q' },
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-21T12:00:00.000Z',
    },
  ]);
});

it.each<[string, string, object]>([
  ['key', 'key_2', {}],
  ['session', 'key_1', { session_id: 't' }],
  ['answer', 'key_1', { message_content: 'B' }],
  ['question', 'key_1', { user_message: 'B' }],
  ['side of the same words', 'key_1', { message_content: '', user_message: 'A' }],
])('keeps a rating of another %s apart', async (_, keyId, rest) => {
  const { id } = await rate('key_1', { message_content: 'A' });
  const other = await rate(keyId, { message_content: 'A', ...rest });

  expect(other.id).not.toBe(id);
  expect(await exported(1)).toHaveLength(2);
});

it('rates the message that its id names, whatever else is said of it', async () => {
  const first = await rate('key_1', { message_id: 'msg_1', message_content: 'A' });
  const again = await rate('key_1', { message_id: 'msg_1', rating: 'down' });
  const other = await rate('key_1', { message_id: 'msg_2', message_content: 'A' });
  const unnamed = await rate('key_1', { message_content: 'A' });

  expect(again).toEqual({ ...first, rating: 'down' });
  expect(new Set([first.id, other.id, unnamed.id]).size).toBe(3);
  const kept = (await exported(1)).map(({ message_id, rating }) => [message_id, rating]);
  expect(kept.sort()).toEqual([
    [null, 'up'],
    ['msg_1', 'down'],
    ['msg_2', 'up'],
  ]);
});

it('makes one of ratings that come at once', async () => {
  const answers = await Promise.all(
    ['up', 'down', 'up'].map((rating) => rate('key_1', { rating })),
  );

  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(await exported(1)).toHaveLength(1);
});

it('keeps the longest contents as they are', async () => {
  const longest = {
    message_content: '😀'.repeat(100_000),
    user_message: '🙁'.repeat(100_000),
    comment: '😀'.repeat(4_000),
    model: '😀'.repeat(200),
    session_id: '😀'.repeat(200),
  };

  await rate('key_1', longest);

  expect(await exported(1)).toEqual([expect.objectContaining(longest)]);
});

it('lists ratings by the day they were given, the oldest first', async () => {
  const moments = [
    '2026-11-18T23:59:59.999Z',
    '2026-11-19T00:00:00.000Z',
    '2026-11-20T23:00:00.000Z',
  ];
  for (const at of moments) {
    vi.setSystemTime(Date.parse(at));
    await rate('key_1', { session_id: at });
  }

  const listed = await Array.fromAsync(listFeedback(lastDays(2)));

  expect(listed.map(({ session_id }) => session_id)).toEqual(moments.slice(1));
});

it('sums up by model, the most rated first, with what all keys spent on it', async () => {
  const keys = await Promise.all(['a', 'b'].map((name) => issueKey(name, defaultLimits)));
  for (const { id } of keys) {
    await countCharges(id, [await endedCharge(id, { model: 'gpt-5', cost: 1_500_000_000 })]);
    const old = { model: 'gpt-5', cost: 9, ended_at: '2026-11-01T00:00:00.000Z' };
    await countCharges(id, [await endedCharge(id, old)]);
  }
  await rate('key_1', { model: 'a name of its own', message_content: '1' });
  await rate('key_1', { model: 'gpt-5', message_content: '2', comment: 'first' });
  await rate('key_1', { model: 'gpt-5', message_content: '3', rating: 'down' });
  pass(1);
  await rate('key_2', { model: 'gpt-5', rating: 'dislike', comment: 'second' });
  await rate('key_2', { model: 'gpt-5', message_content: '5' });

  const summary = await summarizeFeedback(lastDays(7));

  expect(summary).toMatchObject({ from: '2026-11-14', to: '2026-11-20', ratings: 5 });
  expect(summary.models).toEqual([
    {
      ...{ model: 'gpt-5', up: 2, down: 2, up_share: 0.5 },
      ...{ spend_usd: 3, usd_per_rating: 0.75 },
    },
    {
      ...{ model: 'a name of its own', up: 1, down: 0, up_share: 1 },
      ...{ spend_usd: null, usd_per_rating: null },
    },
  ]);
  expect(summary.comments.map(({ comment }) => comment)).toEqual(['second', 'first']);
});

it('reads what a key said of a session again, in order, and nothing of others', async () => {
  const job = { session_id: 'job_1', rating: 'down' };
  await rate('key_1', { ...job, message_id: '/total', correction: '12.50' });
  pass(1_000);
  await rate('key_1', { ...job, message_id: '/number', rating: 'up' });
  await rate('key_1', { message_id: '/total', correction: 'of another session' });
  await rate('key_2', { ...job, message_id: '/total', correction: 'of another key' });
  await rate('key_1', { ...job, message_id: '/total', correction: '12.60', comment: 'smudged' });

  const { feedback } = await sessionFeedback(callerOf('key_1'), 'job_1');

  expect(feedback).toEqual([
    {
      id: expect.stringMatching(/^feedback_/),
      ...{ session_id: 'job_1', message_id: '/total', rating: 'down', model: '' },
      ...{ comment: 'smudged', correction: '12.60' },
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:01.000Z',
    },
    expect.objectContaining({ message_id: '/number', rating: 'up', correction: '' }),
  ]);
  const corrections = (await exported(1)).map(({ correction }) => correction);
  expect(corrections.sort()).toEqual(['', '12.60', 'of another key', 'of another session']);
});
