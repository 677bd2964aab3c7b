import { describe, expect, it } from 'vitest';
import type { FieldError } from '../../shared/http/errors.ts';
import { shared } from '../support/run/shared.ts';
import { call, type Target } from '../support/servers/api.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import {
  at,
  dictionary,
  literal,
  missing,
  type Refusal,
  string,
  unicode,
} from '../support/servers/refusals.ts';

const stage = await shared('stage');

interface Rated {
  id: string;
  session_id: string;
  rating: string;
  created_at: string;
}

const post = <Body = Rated>(body: unknown, target: Target = stage) =>
  call<Body>(target, 'POST', '/feedback', body);

describe('feedback', () => {
  it.each([
    ...['up', 'thumbs_up', 'like', '1', 1].map((rating) => [rating, 'up']),
    ...['down', 'thumbs_down', 'dislike', '-1', -1].map((rating) => [rating, 'down']),
  ])('understands the rating %j', async (rating, understood) => {
    const { status, body } = await post({ session_id: 'a session', rating });

    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^feedback_[0-9a-f-]{36}$/),
      session_id: 'a session',
      message_id: null,
      rating: understood,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('of the same message replaces what its key gave before, but not what another gave', async () => {
    const [caller, other] = [await newCaller(stage), await newCaller(stage)];
    const rating = { session_id: 's', rating: 'up', message_content: 'A', user_message: 'Q' };

    const { body: first } = await post(rating, caller);
    const { body: second } = await post({ ...rating, rating: 'down', comment: 'no' }, caller);
    const { body: others } = await post(rating, other);

    expect(second).toEqual({ ...first, rating: 'down' });
    expect(others.id).not.toBe(first.id);
  });

  it('takes the longest fields, and fields it does not know', async () => {
    const { status } = await post({
      session_id: '😀'.repeat(200),
      rating: 'like',
      model: '😀'.repeat(200),
      comment: '😀'.repeat(4_000),
      message_content: '😀'.repeat(100_000),
      user_message: '😀'.repeat(100_000),
      unknown: true,
    });

    expect(status).toBe(200);
  });
});

describe('a field of feedback', () => {
  const ratings = literal(
    "'up', 'thumbs_up', 'like', '1', 'down', 'thumbs_down', 'dislike' or '-1'",
  );
  const longer = (most: number): Refusal => [
    'string_too_long',
    `String should have at most ${most} characters`,
  ];

  it.each<[string, object, string, Refusal]>([
    ['session_id missing', { session_id: undefined }, 'session_id', missing],
    ['session_id null', { session_id: null }, 'session_id', string],
    [
      'session_id empty',
      { session_id: '' },
      'session_id',
      ['string_too_short', 'String should have at least 1 character'],
    ],
    ['session_id of 201', { session_id: 'x'.repeat(201) }, 'session_id', longer(200)],
    ['session_id with half a pair', { session_id: 'a\ud83d' }, 'session_id', unicode],
    ['rating missing', { rating: undefined }, 'rating', missing],
    ['rating null', { rating: null }, 'rating', ratings],
    ['rating unknown', { rating: 'great' }, 'rating', ratings],
    ['rating true', { rating: true }, 'rating', ratings],
    ['rating 2', { rating: 2 }, 'rating', ratings],
    ['model of 201', { model: 'x'.repeat(201) }, 'model', longer(200)],
    ['model null', { model: null }, 'model', string],
    ['comment of 4001', { comment: 'x'.repeat(4001) }, 'comment', longer(4000)],
    ['message_id a number', { message_id: 5 }, 'message_id', string],
    ['message_id of 201', { message_id: 'x'.repeat(201) }, 'message_id', longer(200)],
    ['comment a number', { comment: 5 }, 'comment', string],
    [
      'message_content of 100001',
      { message_content: 'x'.repeat(100_001) },
      'message_content',
      longer(100_000),
    ],
    [
      'user_message of 100001',
      { user_message: 'x'.repeat(100_001) },
      'user_message',
      longer(100_000),
    ],
    ['user_message a list', { user_message: [] }, 'user_message', string],
  ])('is refused as %s', async (_, field, path, refusal) => {
    const body = { session_id: 's', rating: 'up', ...field };

    const answer = await post<{ detail: FieldError[] }>(body);

    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ detail: [at(path, refusal)] });
  });

  it.each([[[]], ['text'], [5]])('is not looked for in %j', async (body) => {
    const answer = await post<{ detail: FieldError[] }>(JSON.stringify(body));

    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ detail: [at('', dictionary)] });
  });
});
