import * as v from 'valibot';
import { beforeEach, expect, it } from 'vitest';
import { streamChat } from '../../shared/chat/stream-chat.ts';
import { ChatStreamRequest } from '../../shared/chat/stream-request.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { openAccount } from '../../shared/ledger/account.ts';
import { endedCharges } from '../support/servers/chat-stage.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { streamOf } from '../support/servers/model-stub-pieces.ts';
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
