import { PassThrough } from 'node:stream';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { ask } from '../../shared/chat/ask.ts';
import { forwardStream } from '../../shared/chat/forward-stream.ts';
import type { ModelCall } from '../../shared/chat/hold-call.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { findModel, type Model } from '../../shared/models/catalogue.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { chunk, completionOf, streamOf } from '../support/servers/model-stub-pieces.ts';
import { minuteMs } from '../support/worlds/clock.ts';
import { accountOf, chargesOf, sum } from '../support/worlds/ledger-world.ts';
import { openKey, openMeteredCall } from '../support/worlds/model-calls.ts';
import { useStore } from '../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });

/** The writes to the store since the test began. */
let writes: { entry: string; done: Promise<unknown> }[];
let keyId: string;

beforeEach(async () => {
  keyId = await openKey(100);
  writes = [];
  const send = dynamodb.send.bind(dynamodb) as (...args: object[]) => Promise<object>;
  vi.spyOn(dynamodb, 'send').mockImplementation((...args: object[]) => {
    const done = send(...args);
    const [command] = args;
    if (command instanceof PutCommand || command instanceof UpdateCommand)
      writes.push({
        entry: command instanceof PutCommand ? command.input.Item?.['entry'] : '',
        done,
      });
    return done;
  });
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
});

const notes = () => writes.filter(({ entry }) => entry.endsWith('#noted'));

/** Lets time pass, a second at a time, and what is begun meanwhile be written. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    vi.advanceTimersByTime(1_000);
    await Promise.all(writes.map(({ done }) => done));
  }
}

const callOf = (content: string, stream: boolean): ModelCall => ({
  keyId,
  model: findModel('gpt-4.1') as Model,
  body: { model: 'gpt-4.1', messages: [{ role: 'user', content }], ...(stream && { stream }) },
  subject: { tags: ['chat'] },
  signal: new AbortController().signal,
});

/** Begins a stream. `say` has its upstream send a text, and resolves once the caller has it; `end` ends it. */
async function begin() {
  const upstream = new PassThrough();
  stub.respond({ kind: 'pieces', pieces: upstream });
  upstream.write(chunk('Hello'));
  const stream = forwardStream(await openMeteredCall(callOf('hi', true)), false);
  return {
    async say(text: string) {
      upstream.write(chunk(text));
      for (let bytes = 0; bytes < text.length; ) bytes += (await stream.next()).value.length;
    },
    async end() {
      upstream.end(streamOf(['.'], [3, 4]).join(''));
      for await (const _ of stream);
    },
  };
}

/** As long as about a cent's worth of output of the model. */
const aCent = 'word '.repeat(1_300);

describe('a call', () => {
  it.each([
    [3, 0],
    [9, 0],
    [10, 1],
    [39, 2],
    [41, 3],
    [100, 4],
  ])('of %i s writes its hold, its charge and its credit, and %i notes', async (seconds, count) => {
    const call = await begin();

    for (let second = 0; second < seconds; second += 1) {
      await call.say('Hello');
      await pass(1);
    }
    await call.end();

    expect(notes()).toHaveLength(count);
    expect(writes).toHaveLength(3 + count);
  });

  it('that uses more than a cent is noted at once, and for each cent more, once a second', async () => {
    const call = await begin();

    await call.say(aCent);
    await pass(1);
    for (let cents = 0; cents < 3; cents += 1) await call.say(aCent);
    await pass(1);
    const noted = notes().length;
    await pass(3);
    await call.end();

    expect(noted).toBe(2);
    expect(notes()).toHaveLength(2);
  });

  it('whose process dies costs what was noted of it, and one that is asked whole its prompt', async () => {
    const call = await begin();
    await call.say(aCent);
    await pass(1);
    stub.respond({ kind: 'hang' });
    ask(callOf('A long question. '.repeat(100), false)).catch(() => {});
    await stub.requestCount(stub.requests.length + 1);
    await pass(10);
    expect(notes()).toHaveLength(2);

    vi.setSystemTime(Date.now() + 27 * minuteMs);
    await sweepLedger();

    const charges = await chargesOf(keyId);
    const costs = charges.map(({ cost = 0 }) => cost).sort((a, b) => b - a);
    expect(charges).toMatchObject(Array(2).fill({ status: 'settled', figures: 'partial' }));
    expect(costs[0]).toBeGreaterThan(10_000_000);
    expect(costs[1]).toBeGreaterThan(500_000);
    expect(costs[1]).toBeLessThan(2_000_000);
    expect(await accountOf(keyId)).toMatchObject({ held: 0, spent: sum(costs) });
  });

  it('that is answered whole after a note costs what its provider tells', async () => {
    const { promise, resolve: goOn } = Promise.withResolvers<void>();
    async function* pieces() {
      await promise;
      yield completionOf('Hi.', [10, 20]);
    }
    stub.respond({ kind: 'pieces', pieces: pieces() });
    const answer = ask(callOf('hi', false));
    await stub.requestCount(stub.requests.length + 1);
    await pass(10);
    expect(notes()).toHaveLength(1);
    goOn();

    const { cost } = await answer;

    vi.setSystemTime(Date.now() + 27 * minuteMs);
    await sweepLedger();
    expect(await chargesOf(keyId)).toMatchObject([{ cost, figures: 'exact' }]);
    expect(await accountOf(keyId)).toMatchObject({ held: 0, spent: cost });
  });
});
