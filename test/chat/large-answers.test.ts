import { beforeEach, describe, expect, it } from 'vitest';
import { createCompletion } from '../../shared/chat/create-completion.ts';
import { createMessage } from '../../shared/chat/create-message.ts';
import { createResponse } from '../../shared/chat/create-response.ts';
import { completionError, responseError } from '../../shared/http/error-response.ts';
import { messagesError } from '../../shared/http/messages-error.ts';
import type { StreamedResponse } from '../../shared/http/stream-endpoint.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { findAccount } from '../../shared/ledger/account/account.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { endedCharges } from '../support/servers/chat-stage.ts';
import { type Behaviour, useModelStub } from '../support/servers/model-stub.ts';
import { chunk, streamOf } from '../support/servers/model-stub-pieces.ts';
import { anyRoom } from '../support/servers/rooms.ts';
import { useStore } from '../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });
let keyId: string;

beforeEach(async () => {
  keyId = `key_${performance.now()}`;
  const limits = { budget_usd: 100, duration: null, requests_per_minute: null };
  await openAccount(keyId, new Date().toISOString(), { ...limits, max_concurrent: null });
});

const mb = 2 ** 20;

/** Pieces of a megabyte each, of which `sent` counts those that were asked for. */
function megabytes(count: number, begin = '') {
  const upstream = { sent: 0 };
  const pieces = function* () {
    if (begin) yield begin;
    while (upstream.sent < count) {
      upstream.sent += 1;
      yield 'x'.repeat(mb);
    }
  };
  return { upstream, pieces: pieces() };
}

const caller = () => ({ keyId, limits: JSON.stringify(defaultLimits) });
const invocation = (room = anyRoom()) => ({
  ...{ requestId: 'request', timeIsUp: new AbortController().signal, note: () => {}, room },
});
const messages = [{ role: 'user', content: 'Hi' }];
const model = 'gpt-4.1';

const complete = (rest: object = {}, room = anyRoom()) =>
  createCompletion(
    { model, messages, max_tokens: 100, ...rest } as never,
    caller(),
    invocation(room),
  );

const ask: Record<string, () => Promise<StreamedResponse>> = {
  chat: () => complete(),
  responses: () =>
    createResponse({ model, input: 'Hi', max_output_tokens: 100 } as never, caller(), invocation()),
  messages: () =>
    createMessage({ model, messages, max_tokens: 100 } as never, {}, caller(), invocation()),
};
const formats = { chat: completionError, responses: responseError, messages: messagesError };

async function textOf({ body }: StreamedResponse): Promise<string> {
  let text = '';
  for await (const piece of body) text += Buffer.from(piece).toString();
  return text;
}

/** gpt-4.1 writes a million tokens for $8. */
const limitUsd = (100 * 8) / 1e6;

describe('an answer of 400 MB', () => {
  it.each(['chat', 'responses', 'messages'] as const)(
    'ends its call with a 502 in the dialect of %s, and is charged once, as far as its limit goes',
    async (dialect) => {
      const { upstream, pieces } = megabytes(400, '{"choices":[{"message":{"content":"');
      stub.respond([{ kind: 'pieces', pieces }]);
      const asked = stub.requests.length;

      const error = await ask[dialect]?.().catch((thrown: unknown) => thrown);

      const { statusCode, headers, body } = formats[dialect](error, 'request');
      const told = JSON.parse(String(body)).error;
      expect({ statusCode, retry: headers['x-should-retry'] }).toEqual({
        ...{ statusCode: 502, retry: 'false' },
      });
      expect(told.message).toMatch(
        /at least 16\.\d MB.* may have 16 MB.*max_tokens, n or top_logprobs/,
      );
      expect(await stub.requests[asked]?.closed).toBe('lost');
      expect(upstream.sent).toBeLessThan(40);
      expect(stub.requests.length).toBe(asked + 1);
      const [charge, ...others] = await endedCharges({ keyId });
      expect(others).toEqual([]);
      expect(charge).toMatchObject({ status: 'settled', completion_tokens: 100 });
      expect(charge?.cost).toBeLessThanOrEqual(charge?.hold ?? 0);
      expect(charge?.cost).toBeGreaterThanOrEqual(limitUsd * 1e9);
      expect(await findAccount(keyId)).toMatchObject({ held: 0, running: 0 });
    },
  );

  it('is not even begun to be read where its length says how large it is', async () => {
    const { pieces } = megabytes(1);
    const headers = { 'content-length': String(400 * mb) };
    stub.respond([{ kind: 'pieces', pieces, headers, ending: 'hang' }]);

    await expect(complete()).rejects.toMatchObject({
      ...{ statusCode: 502, code: 'answer_too_large' },
      message: expect.stringContaining('it has at least 400 MB'),
    });
    expect(await endedCharges({ keyId })).toHaveLength(1);
  });

  it('harms no other call of its upstream', async () => {
    for (let n = 0; n < 5; n++) {
      stub.respond([{ kind: 'pieces', ...megabytes(20) } satisfies Behaviour]);
      await expect(complete()).rejects.toMatchObject({ code: 'answer_too_large' });
    }

    expect(await textOf(await complete())).toContain('echo: Hi');
  });
});

describe('a stream', () => {
  it('ends with an error where a line of it has no end, and is charged what its call allows', async () => {
    const begin = chunk('Hello');
    const { upstream, pieces } = megabytes(400, `${begin}data: {"x":"`);
    stub.respond([{ kind: 'pieces', pieces }]);

    const text = await textOf(await complete({ stream: true }));

    expect(text).toMatch(/^data: .*Hello.*\n\ndata: \{"error":.*"code":"answer_too_large"/);
    expect(upstream.sent).toBeLessThan(40);
    expect(await endedCharges({ keyId })).toMatchObject([{ completion_tokens: 100 }]);
  });

  it.each([
    ['a line without an end', 'data: {"x":"'],
    ['comments', ': '],
  ])('is a 502 where nothing but %s comes', async (_, begin) => {
    const { upstream, pieces } = megabytes(400, begin);
    stub.respond([{ kind: 'pieces', pieces }]);

    await expect(complete({ stream: true })).rejects.toMatchObject({ statusCode: 502 });
    expect(upstream.sent).toBeLessThan(40);
  });

  it('may have any length', async () => {
    const padding = 'x'.repeat(mb);
    stub.respond([
      {
        kind: 'pieces',
        pieces: [...Array(20).fill(chunk('x', null, { padding })), ...streamOf(['end'])],
      },
    ]);

    const text = await textOf(await complete({ stream: true, max_tokens: undefined }));

    expect(text.length).toBeGreaterThan(20 * mb);
    expect(text).toMatch(/\[DONE\]\n\n$/);
  });
});

it('of an error of 200 MB no more is read than an error may have', async () => {
  const { upstream, pieces } = megabytes(200, '{"error":{"message":"No","details":"');
  stub.respond([{ kind: 'pieces', pieces, status: 400, type: 'application/json' }]);

  await expect(complete()).rejects.toMatchObject({
    ...{ statusCode: 400, message: 'The model provider answered 400.' },
  });
  expect(upstream.sent).toBeLessThan(20);
});

it.each([
  [{}, undefined],
  [{ top_logprobs: 20, logprobs: true, n: 8 }, 1_555],
  [{ n: 128, logprobs: true, top_logprobs: 20 }, 97],
])('an answer of %j without a limit is limited to what can fit', async (rest, limit) => {
  const { headers } = await complete({ ...rest, max_tokens: undefined });

  expect(headers['x-quire-max-tokens']).toBe(limit && String(limit));
});

it.each([
  ['max_tokens', { n: 8, logprobs: true, top_logprobs: 20, max_tokens: 1_556 }],
  [
    'max_completion_tokens',
    { n: 1, logprobs: true, top_logprobs: 20, max_tokens: null, max_completion_tokens: 12_447 },
  ],
])(
  'a limit of %s by which an answer can’t fit is refused before it is held',
  async (name, rest) => {
    const asked = stub.requests.length;

    await expect(complete(rest)).rejects.toMatchObject({
      fields: [{ loc: ['body', name], msg: expect.stringContaining('may have 16 MB') }],
    });
    expect(stub.requests.length).toBe(asked);
    expect((await complete({ ...rest, stream: true })).statusCode).toBe(200);
  },
);
