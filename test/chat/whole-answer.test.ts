import { beforeEach, expect, it, vi } from 'vitest';
import type { CompletionRequest } from '../../shared/chat/completion-request.ts';
import { createCompletion } from '../../shared/chat/create-completion.ts';
import { wholeAnswerMs } from '../../shared/chat/respond.ts';
import { heartbeatMs } from '../../shared/http/event-stream.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { findAccount } from '../../shared/ledger/account/account.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { endedCharges } from '../support/servers/chat-stage.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { gate, streamOf } from '../support/servers/model-stub-pieces.ts';
import { anyRoom } from '../support/servers/rooms.ts';
import { useStore } from '../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });
let keyId: string;
/** Stands for the time that answers which aren't streamed have. */
let time: AbortController;
const given: number[] = [];

vi.mock('../../shared/deadline.ts', () => ({
  deadline: (ms: number) => {
    given.push(ms);
    return { signal: time.signal, clear: () => {} };
  },
}));

beforeEach(async () => {
  keyId = `key_${performance.now()}`;
  const limits = { budget_usd: 100, duration: null, requests_per_minute: null };
  await openAccount(keyId, new Date().toISOString(), { ...limits, max_concurrent: null });
  time = new AbortController();
  given.length = 0;
});

const complete = (rest: object) =>
  createCompletion(
    { model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hi' }], ...rest } as CompletionRequest,
    { keyId, limits: JSON.stringify(defaultLimits) },
    {
      requestId: 'request',
      timeIsUp: new AbortController().signal,
      note: () => {},
      room: anyRoom(),
    },
  );

it.each([
  ['before it begins', 'before'],
  ['midway', 'midway'],
] as const)(
  'an answer that isn’t streamed and hangs %s is given up, and ended, before the gateway gives up',
  async (_, at) => {
    stub.respond({ kind: 'hang', at });
    const asked = stub.requests.length;
    const answer = complete({});
    answer.catch(() => {});
    await stub.requestCount(asked + 1);

    time.abort(new DOMException('late', 'TimeoutError'));

    await expect(answer).rejects.toMatchObject({ statusCode: 503, code: 'model_unavailable' });
    expect(given).toContain(wholeAnswerMs);
    expect(wholeAnswerMs).toBeLessThan(5 * 60_000);
    expect(await endedCharges({ keyId })).toHaveLength(1);
    expect(await findAccount(keyId)).toMatchObject({ held: 0, running: 0 });
  },
);

it('a streamed answer has as long as its function', async () => {
  const { body } = await complete({ stream: true });

  for await (const _ of body);

  expect(given).not.toContain(wholeAnswerMs);
});

it('a stream has its head after 15 seconds of silence, before its first chunk', async () => {
  const begun = gate();
  async function* pieces() {
    await begun.opened;
    yield* streamOf(['late'], [1, 1]);
  }
  stub.respond({ kind: 'pieces', pieces: pieces() });
  const asked = stub.requests.length;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const answer = complete({ stream: true });
  await stub.requestCount(asked + 1);
  await vi.advanceTimersByTimeAsync(heartbeatMs);

  const { statusCode, body } = await answer;
  vi.useRealTimers();
  begun.open();

  expect(statusCode).toBe(200);
  expect((await Array.fromAsync(body, String)).join('')).toContain('late');
});
