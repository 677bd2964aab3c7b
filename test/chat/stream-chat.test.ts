import * as v from 'valibot';
import { beforeEach, expect, it } from 'vitest';
import type { ChatEvent } from '../../shared/chat/chat-event.ts';
import { streamChat } from '../../shared/chat/stream/stream-chat.ts';
import { ChatStreamRequest } from '../../shared/chat/stream-request.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { endedCharges } from '../support/servers/chat-stage.ts';
import { eventsOf } from '../support/servers/event-reader.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { chunk, done, streamOf } from '../support/servers/model-stub-pieces.ts';
import { anyRoom } from '../support/servers/rooms.ts';
import { useStore } from '../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });

beforeEach(() => {
  stub.respond({ kind: 'pieces', pieces: streamOf(['a', 'b', 'c'], [30, 40]) });
});

it.each([1, 2, 3, 4, 5])(
  'an answer is paid in full where its reader leaves after event %i',
  async (events) => {
    const keyId = `key_${events}`;
    await openAccount(keyId, new Date().toISOString(), defaultLimits);
    const request = v.parse(ChatStreamRequest, { message: 'a question' });
    const caller = { keyId, limits: JSON.stringify(defaultLimits) };
    const timeIsUp = new AbortController().signal;
    const { body } = await streamChat(request, caller, {
      requestId: 'a request',
      timeIsUp,
      room: anyRoom(),
      note: () => {},
    });
    const reader = body[Symbol.asyncIterator]();
    for (let n = 0; n < events; n++) await reader.next();

    await reader.return?.();

    expect(await endedCharges({ keyId })).toMatchObject([
      { status: 'settled', figures: 'exact', completion_tokens: 40 },
    ]);
  },
);

/** Sends a request as a key of its own; answers the events. */
async function eventsFor(fields: object) {
  const keyId = `key_${crypto.randomUUID()}`;
  await openAccount(keyId, new Date().toISOString(), defaultLimits);
  const { body } = await streamChat(
    v.parse(ChatStreamRequest, { message: 'a question', ...fields }),
    { keyId, limits: JSON.stringify(defaultLimits) },
    {
      requestId: 'a request',
      timeIsUp: new AbortController().signal,
      note: () => {},
      room: anyRoom(),
    },
  );
  let text = '';
  for await (const piece of body) text += String(piece);
  return eventsOf<ChatEvent>(text).filter((event) => event !== '[DONE]');
}

it('an answer in parts is the text of those that are no thoughts', async () => {
  const thinking = [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }];
  const pieces = [thinking, [{ type: 'text', text: 'Yes, ' }], 'it is.', [null, 7]];
  stub.respond({
    kind: 'pieces',
    pieces: [...pieces.map((content) => chunk({ content })), chunk({}, 'stop'), done],
  });

  const events = await eventsFor({});

  expect(events.filter(({ type }) => type === 'delta')).toEqual([
    { type: 'delta', content: 'Yes, ' },
    { type: 'delta', content: 'it is.' },
  ]);
  expect(events.at(-1)).toEqual({ type: 'done', finish_reason: 'stop' });
});

it('a long text that begins as a data URL is a text', async () => {
  const content = `data:${'a'.repeat(500_000)}`;

  const events = await eventsFor({ files: [{ name: 'notes.txt', content }] });

  expect(events.at(-1)).toMatchObject({ type: 'done' });
});

it('a document of a million line breaks is refused as no base64', async () => {
  const content = `${'\n'.repeat(1_000_000)}!`;

  const refused = eventsFor({ files: [{ name: 'a.pdf', content }] });

  await expect(refused).rejects.toMatchObject({
    fields: [{ loc: ['body', 'files', 0, 'content'] }],
  });
});
