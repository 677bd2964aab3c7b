import * as v from 'valibot';
import { expect, it } from 'vitest';
import { CompletionRequest } from '../../shared/chat/completion-request.ts';
import { createCompletion } from '../../shared/chat/create-completion.ts';
import { streamChat } from '../../shared/chat/stream/stream-chat.ts';
import { ChatStreamRequest } from '../../shared/chat/stream-request.ts';
import type { StreamedResponse } from '../../shared/http/stream-endpoint.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { catalogue } from '../../shared/models/catalogue.ts';
import { writtenLines } from '../support/run/output.ts';
import { question } from '../support/servers/event-reader.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { chunk, completionOf, streamOf } from '../support/servers/model-stub-pieces.ts';
import { anyRoom } from '../support/servers/rooms.ts';
import { useStore } from '../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });
await openAccount('key_1', new Date().toISOString(), defaultLimits);
const caller = { keyId: 'key_1', keyName: 'shop', limits: JSON.stringify(defaultLimits) };
const model = catalogue.defaults.chat;

/** What a request's line is told by the end of its response. */
async function notesOf(
  respond: (invocation: Parameters<typeof streamChat>[2]) => Promise<StreamedResponse>,
) {
  const notes = {};
  const { body } = await respond({
    requestId: 'a request',
    timeIsUp: new AbortController().signal,
    note: (fields) => Object.assign(notes, fields),
    room: anyRoom(),
  });
  for await (const _ of body);
  return notes;
}

const complete = (rest: object = {}) =>
  notesOf((invocation) => {
    const request = v.parse(CompletionRequest, { model, messages: question, ...rest });
    return createCompletion(request, caller, invocation);
  });

const chat = (rest: object = {}) =>
  notesOf((invocation) => {
    const request = v.parse(ChatStreamRequest, { message: 'a question', ...rest });
    return streamChat(request, caller, invocation);
  });

const used = { model, prompt_tokens: 30, completion_tokens: 40, cost_usd: expect.any(Number) };

it('a completion tells its model, tokens and cost', async () => {
  stub.respond({ kind: 'pieces', pieces: [completionOf('hi', [30, 40])] });

  expect(await complete()).toEqual(used);
});

it('a streamed one tells the same once it has ended', async () => {
  stub.respond({ kind: 'pieces', pieces: streamOf(['a', 'b'], [30, 40]) });

  expect(await complete({ stream: true })).toEqual(used);
});

it('a chat tells whose key it is too', async () => {
  stub.respond({ kind: 'pieces', pieces: streamOf(['a', 'b'], [30, 40]) });

  expect(await chat()).toEqual({ ...used, key_id: 'key_1', key: 'shop' });
});

it.each([
  ['a streamed completion', () => complete({ stream: true })],
  ['a chat', () => chat()],
])('%s that breaks off tells why', async (_, ask) => {
  stub.respond({ kind: 'pieces', pieces: [chunk('a')], ending: 'cut' });

  expect(await ask()).toMatchObject({
    error: expect.stringMatching(/^model_unavailable: /),
    cost_usd: expect.any(Number),
  });
});

it.each([
  ['a completion', complete],
  ['a chat', chat],
])('%s tells nothing of its metadata, and logs nothing of it', async (_, ask) => {
  const metadata = { 'cost centre qxz': 'acme-vwk' };
  stub.respond([
    { kind: 'pieces', pieces: streamOf(['a', 'b'], [30, 40]) },
    { kind: 'pieces', pieces: [chunk('a')], ending: 'cut' },
  ]);

  const notes = [await ask({ stream: true, metadata }), await ask({ stream: true, metadata })];

  const said = [JSON.stringify(notes), ...writtenLines()].join('\n');
  expect(said).toContain('model_unavailable');
  expect(said).not.toMatch(/qxz|vwk/);
});
