import { beforeEach, describe, expect, it } from 'vitest';
import type { CompletionRequest } from '../../shared/chat/completion-request.ts';
import { createCompletion } from '../../shared/chat/create-completion.ts';
import { preferredWaitMs } from '../../shared/http/prefer.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { release, settle } from '../../shared/ledger/settle.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { anyRoom } from '../support/servers/rooms.ts';
import { accountOf } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });
let keyId: string;

beforeEach(async () => {
  keyId = `key_${crypto.randomUUID()}`;
  await openAccount(keyId, new Date().toISOString(), {
    ...{ budget_usd: 1, duration: null, requests_per_minute: null, max_concurrent: null },
  });
});

const subject = { model: 'gpt-4.1', tags: ['chat'] };
const outcome = {
  ...{ costNanoUsd: 999_999_999, figures: 'exact' as const },
  ...{ promptTokens: 1, completionTokens: 1 },
};

const complete = (waitMs?: number) =>
  createCompletion(
    {
      ...{ model: 'gpt-4.1', max_tokens: 10 },
      messages: [{ role: 'user', content: 'Hi' }],
    } as CompletionRequest,
    { keyId, limits: JSON.stringify(defaultLimits) },
    {
      requestId: 'request',
      timeIsUp: new AbortController().signal,
      note: () => {},
      room: anyRoom(),
      ...(waitMs !== undefined && { waitMs }),
    },
  );

describe('a call that lacks what running calls hold', () => {
  it('is refused at once unless its caller prefers to wait', async () => {
    await reserve(keyId, 1e9, subject);

    await expect(complete()).rejects.toMatchObject({ statusCode: 429, isHeldUp: true });
  });

  it('waits for them, and is made once they end', async () => {
    const running = await reserve(keyId, 1e9, subject);
    const waiting = complete(20_000);

    await release(running);

    expect(await waiting).toMatchObject({ statusCode: 200 });
    expect(await accountOf(keyId)).toMatchObject({ held: 0 });
  });

  it('is refused once they have spent it, and asks no model', async () => {
    const running = await reserve(keyId, 1e9, subject);
    const asked = stub.requests.length;
    const waiting = complete(20_000);
    waiting.catch(() => {});

    await settle(running, outcome);

    await expect(waiting).rejects.toMatchObject({ statusCode: 429, isHeldUp: false });
    expect(stub.requests).toHaveLength(asked);
  });

  it('is refused when its time is up', async () => {
    await reserve(keyId, 1e9, subject);

    await expect(complete(150)).rejects.toMatchObject({ statusCode: 429, isHeldUp: true });
  });
});

/** The examples are RFC 7240's. */
it.each<[string | undefined, number]>([
  ['wait=20', 20_000],
  ['respond-async, wait=10', 10_000],
  ['Wait="5"; foo="some value"', 5_000],
  ['wait=1000000', 25_000],
  ['priority=5, lenient', 0],
  ['await=20', 0],
  ['wait=-1', 0],
  ['wait=soon', 0],
  ['wait', 0],
  [undefined, 0],
])('Prefer: %s is a wait of %i ms', (prefer, ms) => {
  expect(preferredWaitMs({ headers: { ...(prefer !== undefined && { Prefer: prefer }) } })).toBe(
    ms,
  );
});
