import type { APIGatewayProxyEvent } from 'aws-lambda';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { CompletionRequest } from '../../shared/chat/completion-request.ts';
import { ChatStreamRequest } from '../../shared/chat/stream-request.ts';
import { FeedbackRequest } from '../../shared/feedback/request.ts';
import { completionError, detailError } from '../../shared/http/error-response.ts';
import { UnprocessableEntityError } from '../../shared/http/errors.ts';
import { misspellingsIn } from '../../shared/http/misspellings.ts';
import { parseRequest } from '../../shared/http/request.ts';
import { listOf } from '../../shared/http/schema.ts';
import { JobSubmission } from '../../shared/jobs/routes/submission.ts';

const schemas = { CompletionRequest, ChatStreamRequest, JobSubmission, FeedbackRequest };

/** What one body may have of faults, and of items that are looked at: twenty, or a hundred, in each of a few lists. */
const few = 500;

/** Calls `count` the first time that anything of an object is read. */
function counted(count: () => void, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  let isRead = false;
  const read = () => {
    if (!isRead) count();
    isRead = true;
  };
  return new Proxy(value, {
    get: (target, name) => {
      read();
      return Reflect.get(target, name);
    },
    ownKeys: (target) => {
      read();
      return Reflect.ownKeys(target);
    },
  });
}

/** An item that fits no list, or misspells its names. */
const wrongItem = fc.constantFrom<unknown>(
  ...[{}, [], null, 0, '', { role: 'x' }, { role: 'user', content: 5 }, { type: 'image_url' }],
  ...[{ contnet: 1, nmae: 2 }, { base64: '!' }, { role: 'user', content: [{}, 1] }],
);

/** Makes a body that has many of them wherever a list may be, and counts those that are read. */
function hostileBody(item: unknown, length: number) {
  let read = 0;
  const list = () => Array.from({ length }, () => counted(() => (read += 1), item));
  const wrong = { role: 'assistant', content: list(), tool_calls: [0, 1] };
  const messages = [wrong, wrong, ...list()];
  const [chat_history, images, files] = [list(), list(), list()];
  const body = { messages, inline: { messages }, chat_history, images, files, tools: list() };
  return { body, itemsRead: () => read };
}

describe.each(Object.entries(schemas))('a hostile %s', (_, schema: v.GenericSchema) => {
  it('has few faults found and few misspellings, and few of its items are looked at', () => {
    fc.assert(
      fc.property(wrongItem, fc.integer({ min: 1_000, max: 5_000 }), (item, length) => {
        const { body, itemsRead } = hostileBody(item, length);

        const { issues = [] } = v.safeParse(schema, body, { abortPipeEarly: true });
        const misspellings = misspellingsIn(schema, body);

        expect(issues.length).toBeLessThan(few);
        expect(misspellings.length).toBeLessThan(few);
        expect(itemsRead()).toBeLessThan(few);
      }),
    );
  });
});

describe('a list', () => {
  const numbers = listOf(v.number(), 3);

  it.each([[[]], [[1, 2, 3]]])('of as many items as may be, %j, is taken', (list) => {
    expect(v.parse(numbers, list)).toEqual(list);
  });

  it('of more is refused without a look at its items', () => {
    const { issues = [] } = v.safeParse(numbers, ['a', 'b', 'c', 'd']);

    expect(issues.map(({ message }) => message)).toEqual([
      'too_long: List should have at most 3 items after validation, not 4',
    ]);
  });

  it('tells its first twenty faults', () => {
    const wrong = Array.from({ length: 1_000 }, (_, at) => (at < 5 ? at : 'x'));

    const { issues = [] } = v.safeParse(listOf(v.number(), 1_000), wrong);

    expect(issues.map(({ path }) => path?.[0]?.key)).toEqual(
      Array.from({ length: 20 }, (_, at) => at + 5),
    );
  });
});

describe('an error', () => {
  const faults = Array.from({ length: 1_000_000 }, (_, at) => ({
    loc: ['body', 'x'.repeat(500), at],
    msg: 'no',
    type: 'value_error',
  }));

  it.each([
    ['detail', detailError],
    ['completion', completionError],
  ])('of a million faults is a short %s', (_, format) => {
    expect(format(new UnprocessableEntityError(faults), 'request').body.length).toBeLessThan(5_000);
  });

  it.each([
    ['6 MB', 2_000_000, 'at most 500000 values in all'],
    ['a quarter million', 250_000, 'at most 500000 values in all'],
    ['less', 240_000, 'at most 100000 items'],
  ])('of a body that is empty objects, %s of them, names the field', (_, count, msg) => {
    const body = `{"model":"m","messages":[${Array(count).fill('{}').join(',')}]}`;

    const parse = () => parseRequest({ body: CompletionRequest }, { body } as APIGatewayProxyEvent);

    expect(parse).toThrow(
      expect.objectContaining({
        fields: [
          expect.objectContaining({ loc: ['body', 'messages'], msg: expect.stringContaining(msg) }),
        ],
      }),
    );
  });
});
