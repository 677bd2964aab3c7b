import { beforeEach, describe, expect, it } from 'vitest';
import { ask } from '../../shared/chat/ask.ts';
import { forwardStream } from '../../shared/chat/forward-stream.ts';
import type { MeteredCall } from '../../shared/chat/metered-call.ts';
import { findAccount } from '../../shared/ledger/account/account.ts';
import { findModel, type Model } from '../../shared/models/catalogue.ts';
import { endedCharges } from '../support/servers/chat-stage.ts';
import { type Script, useModelStub } from '../support/servers/model-stub.ts';
import { chunk, completionOf, streamOf } from '../support/servers/model-stub-pieces.ts';
import { openKey, openMeteredCall } from '../support/worlds/model-calls.ts';
import { useStore } from '../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });
let keyId: string;

beforeEach(async () => {
  keyId = await openKey(100);
});

function open(script: Script, signal = new AbortController().signal): Promise<MeteredCall> {
  stub.respond(script);
  return openMeteredCall({
    keyId,
    model: findModel('gpt-4.1') as Model,
    body: { model: 'gpt-4.1', messages: [{ role: 'user', content: 'hi' }], stream: true },
    subject: { tags: ['chat'] },
    signal,
  });
}

const charges = () => endedCharges({ keyId });
const heldNanoUsd = async () => (await findAccount(keyId))?.held;

describe('a call', () => {
  it('is held while it is under way', async () => {
    const call = await open({ kind: 'pieces', pieces: streamOf(['hi'], [3, 4]) });

    const held = await heldNanoUsd();

    expect(held).toBeGreaterThan(0);
    await call.end();
  });

  it('is settled once, however often it is ended', async () => {
    const call = await open({ kind: 'pieces', pieces: streamOf(['hi'], [3, 4]) });
    for await (const _ of forwardStream(call, false));

    await Promise.all([call.end(), call.end()]);

    const [charge] = await charges();
    expect(charge).toMatchObject({ status: 'settled', figures: 'exact', tags: ['chat'] });
    expect(await findAccount(keyId)).toMatchObject({ held: 0, spent: charge?.cost });
  });

  it('is released where nobody ever answered', async () => {
    await expect(open({ kind: 'status', status: 400 })).rejects.toMatchObject({ statusCode: 400 });

    expect(await charges()).toMatchObject([{ status: 'released', failed: true }]);
    expect(await heldNanoUsd()).toBe(0);
  });

  it('is settled for its prompt, and 503, where time is up before the answer begins', async () => {
    const timeIsUp = new AbortController();
    const opening = open({ kind: 'hang' }, timeIsUp.signal);
    opening.catch(() => {});
    await stub.requestCount(stub.requests.length + 1);

    timeIsUp.abort();

    await expect(opening).rejects.toMatchObject({ statusCode: 503 });
    const [charge] = await charges();
    expect(charge).toMatchObject({ status: 'settled', figures: 'estimated', completion_tokens: 0 });
    expect(charge?.cost).toBeGreaterThan(0);
    expect(await findAccount(keyId)).toMatchObject({ held: 0, spent: charge?.cost });
  });

  it('is released where time was up before it was sent', async () => {
    await expect(open({ kind: 'hang' }, AbortSignal.abort())).rejects.toMatchObject({
      statusCode: 503,
    });

    expect(await charges()).toMatchObject([{ status: 'released', failed: true }]);
    expect(await heldNanoUsd()).toBe(0);
  });

  it('is settled for what came when time is up, although its reader has stopped reading', async () => {
    const timeIsUp = new AbortController();
    const pieces = [chunk('12345678')];
    const call = await open({ kind: 'pieces', pieces, ending: 'hang' }, timeIsUp.signal);
    const stream = forwardStream(call, false);
    await stream.next();

    timeIsUp.abort();

    expect(await charges()).toMatchObject([
      { status: 'settled', figures: 'partial', completion_tokens: 2 },
    ]);
    expect(await heldNanoUsd()).toBe(0);
    expect((await stream.next()).value).toContain('The model did not finish in time.');
    await stream.return(undefined);
    expect(await heldNanoUsd()).toBe(0);
  });
});

it('a whole answer in parts is the text of those that are no thoughts', async () => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
  const content = [thinking, { type: 'text', text: 'Yes, ' }, { type: 'text', text: 'it is.' }];
  stub.respond({ kind: 'pieces', pieces: [completionOf({ content })] });

  const answer = await ask({
    keyId,
    model: findModel('gpt-4.1') as Model,
    body: { model: 'gpt-4.1', messages: [{ role: 'user', content: 'hi' }] },
    subject: { tags: ['batch'] },
    signal: new AbortController().signal,
  });

  expect(answer.content).toBe('Yes, it is.');
});
