import { describe, expect, it, vi } from 'vitest';
import type { MeteredCall } from '../../shared/chat/metered-call.ts';
import { ReadAhead } from '../../shared/chat/read-ahead.ts';
import type { Model } from '../../shared/models/catalogue.ts';
import { CompletionMeter } from '../../shared/models/completion-meter.ts';
import { chunk, done, streamOf, usageChunk } from '../support/servers/model-stub-pieces.ts';
import { anyBytes, anyRoom } from '../support/servers/rooms.ts';

const model: Model = {
  id: 'a-model',
  upstreams: [{ upstream: 'an-upstream', model: 'a-model' }],
  contextWindow: 100_000,
  maxOutputTokens: 10_000_000,
  reasoning: false,
  usdPerMillionTokens: { input: 1, output: 10 },
};

const text = 'x'.repeat(100_000);
/** As many as the longest answer here can be. */
const tokens = 1_000_000;

/** A call whose upstream sends these events; `sent` counts those that were asked for. */
function callOf(events: Iterable<string>) {
  const upstream = { sent: 0 };
  async function* counted() {
    for (const event of events) {
      upstream.sent += 1;
      yield Buffer.from(event);
    }
  }
  const meter = new CompletionMeter(model, { messages: [{ role: 'user', content: 'hi' }] });
  const timeIsUp = new AbortController();
  const { promise: ended, resolve } = Promise.withResolvers<ReturnType<typeof meter.outcome>>();
  const call: MeteredCall = {
    response: new Response(ReadableStream.from(counted())),
    meter,
    room: anyRoom(),
    bytes: anyBytes(),
    answers: { model: 'm', upstream: 'u' },
    dialect: 'chat',
    maxTokens: undefined,
    idleTimeoutMs: 60_000,
    signal: timeIsUp.signal,
    outcome: async () => meter.outcome(),
    end: async () => resolve(meter.outcome()),
    noteUse: () => {},
    endWith: () => Promise.reject(new Error('A stream produces nothing to keep')),
  };
  return { call, upstream, ended, timeIsUp };
}

async function contentOf(ahead: ReadAhead): Promise<number> {
  let bytes = 0;
  for await (const piece of ahead.pieces()) bytes += piece.bytes.length;
  return bytes;
}

const exact = { figures: 'exact', promptTokens: 3, completionTokens: tokens };

describe('an answer that nobody reads', () => {
  it('is read to its end and settled at once if it is short', async () => {
    const { call, ended } = callOf(streamOf(Array(9).fill(text), [3, tokens]));

    const ahead = new ReadAhead(call, 60_000);

    expect(await ended).toMatchObject(exact);
    expect(await contentOf(ahead)).toBeGreaterThan(9 * text.length);
  });

  it('is held back at a megabyte, and after a time read to its end and settled', async () => {
    const { call, upstream, ended } = callOf(streamOf(Array(50).fill(text), [3, tokens]));

    const ahead = new ReadAhead(call, 100);

    expect(await ended).toMatchObject(exact);
    expect(upstream.sent).toBeGreaterThan(50);
    await expect(contentOf(ahead)).rejects.toMatchObject({
      statusCode: 408,
      code: 'answer_not_read',
    });
  });

  it('is read to its end by one who leaves', async () => {
    const { call, ended } = callOf(streamOf(Array(50).fill(text), [3, tokens]));
    const ahead = new ReadAhead(call, 60_000);
    for await (const _ of ahead.pieces()) break;

    await ahead.end();

    expect(await ended).toMatchObject(exact);
  });

  it('ends with the time of its call, however patient it is', async () => {
    const { call, ended, timeIsUp } = callOf(streamOf(Array(50).fill(text), [3, tokens]));
    const ahead = new ReadAhead(call, 60_000);
    await vi.waitFor(() => expect(call.meter.sawAnything).toBe(true));

    timeIsUp.abort();

    expect(await ended).toMatchObject({ figures: 'partial' });
    await expect(contentOf(ahead)).rejects.toMatchObject({ code: 'model_unavailable' });
  });
});

describe('an answer that is read slowly', () => {
  it('comes whole while what is held back adds up to less than the patience', async () => {
    const events = streamOf(Array(40).fill(text), [3, tokens]);
    const { call } = callOf(events);
    const ahead = new ReadAhead(call, 60_000);
    const parts: Buffer[] = [];

    for await (const { bytes } of ahead.pieces()) {
      parts.push(bytes);
      await new Promise(setImmediate);
    }

    expect(Buffer.concat(parts).toString() === events.join('')).toBe(true);
  });

  it('is cut where all the waits for it add up to more', async () => {
    const { call, ended } = callOf(streamOf(Array(100).fill(text), [3, tokens]));
    const ahead = new ReadAhead(call, 50);
    let pieces = 0;

    const reading = async () => {
      for await (const _ of ahead.pieces()) {
        pieces += 1;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };

    await expect(reading()).rejects.toMatchObject({ code: 'answer_not_read' });
    expect(pieces).toBeLessThan(100);
    expect(await ended).toMatchObject(exact);
  });

  it('comes as far as it is good where its upstream breaks off', async () => {
    const { call, ended } = callOf([
      chunk('good'),
      'data: {broken\n\n',
      usageChunk(3, tokens),
      done,
    ]);
    const ahead = new ReadAhead(call);
    await ended;
    const texts: string[] = [];

    const reading = async () => {
      for await (const { bytes } of ahead.pieces()) texts.push(bytes.toString());
    };

    await expect(reading()).rejects.toMatchObject({ code: 'model_unavailable' });
    expect(texts.join('')).toBe(chunk('good'));
  });
});
