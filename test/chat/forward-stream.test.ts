import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forwardStream } from '../../shared/chat/forward-stream.ts';
import type { MeteredCall } from '../../shared/chat/metered-call.ts';
import type { Outcome } from '../../shared/ledger/settle.ts';
import type { Model } from '../../shared/models/catalogue.ts';
import { CompletionMeter } from '../../shared/models/completion-meter.ts';
import { unavailable } from '../../shared/models/errors.ts';
import { cutUp } from '../support/fixtures/cut.ts';
import { eventsOf } from '../support/servers/event-reader.ts';
import { chunk, done, event, streamOf, usageChunk } from '../support/servers/model-stub-pieces.ts';
import { anyBytes, anyRoom } from '../support/servers/rooms.ts';

const model: Model = {
  id: 'a-model',
  upstreams: [{ upstream: 'an-upstream', model: 'a-model' }],
  contextWindow: 100_000,
  maxOutputTokens: 1_000,
  reasoning: false,
  usdPerMillionTokens: { input: 1, output: 10 },
};

/** A call whose upstream sends this; `outcomes` are what it was ended with. */
function callOf(
  chunks: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>,
  { idleTimeoutMs = 5_000, signal = new AbortController().signal } = {},
) {
  const outcomes: (Outcome | 'nothing')[] = [];
  const meter = new CompletionMeter(model, {
    messages: [{ role: 'user', content: 'hi, ask my 3rd patient' }],
  });
  const call: MeteredCall = {
    response: new Response(ReadableStream.from(chunks).pipeThrough(asBytes())),
    meter,
    room: anyRoom(),
    bytes: anyBytes(),
    answers: { model: 'm', upstream: 'u' },
    dialect: 'chat',
    maxTokens: undefined,
    idleTimeoutMs,
    signal,
    outcome: async () => meter.outcome(),
    end: async () => {
      outcomes.push(meter.sawAnything ? meter.outcome() : 'nothing');
    },
    noteUse: () => {},
    endWith: () => Promise.reject(new Error('A stream produces nothing to keep')),
  };
  return { call, outcomes };
}

const asBytes = () =>
  new TransformStream<Uint8Array | string, Uint8Array>({
    transform: (chunk, controller) => controller.enqueue(Buffer.from(chunk)),
  });

async function textOf(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}

const sentences = fc.array(fc.string({ unit: 'grapheme', maxLength: 10 }), {
  minLength: 1,
  maxLength: 6,
});
const endings = fc.constantFrom('\n', '\r\n', '\r');

/** The events of a whole stream, whichever way its lines end. */
const aStream = fc
  .tuple(sentences, endings, fc.boolean())
  .map(([texts, ending, comments]) =>
    [...(comments ? [': ping\n\n'] : []), ...streamOf(texts, [3, 4])].map((each) =>
      each.replaceAll('\n', ending),
    ),
  );

const aCutStream = aStream.chain((events) =>
  fc.record({ events: fc.constant(events), chunks: cutUp(Buffer.from(events.join(''))) }),
);

describe('a stream cut anywhere', () => {
  it('is forwarded byte for byte to one who asked for usage, and settled exactly', async () => {
    await fc.assert(
      fc.asyncProperty(aCutStream, async ({ events, chunks }) => {
        const { call, outcomes } = callOf(chunks);

        const text = await textOf(forwardStream(call, true));

        expect(text).toBe(events.join(''));
        expect(outcomes).toMatchObject([
          { figures: 'exact', promptTokens: 3, completionTokens: 4, costNanoUsd: 43_000 },
        ]);
      }),
    );
  });

  it('is forwarded without its usage to everyone else', async () => {
    await fc.assert(
      fc.asyncProperty(aCutStream, async ({ events, chunks }) => {
        const { call } = callOf(chunks);

        const text = await textOf(forwardStream(call, false));

        const kept = events.filter((each) => !each.includes('"usage"'));
        expect(text).toBe(kept.join(''));
      }),
    );
  });

  it('is read to its end and settled exactly, wherever its reader goes away', async () => {
    await fc.assert(
      fc.asyncProperty(aCutStream, fc.nat({ max: 8 }), async ({ chunks }, reads) => {
        const { call, outcomes } = callOf(chunks);
        const stream = forwardStream(call, false);

        for (let n = 0; n <= reads; n++) await stream.next();
        await stream.return(undefined);

        expect(outcomes).toMatchObject([{ figures: 'exact', costNanoUsd: 43_000 }]);
      }),
    );
  });
});

describe('a stream broken off anywhere', () => {
  it('keeps its whole events, then tells the error or ends, and is settled for what came', async () => {
    const broken = aStream.chain((events) => {
      const bytes = Buffer.from(events.join(''));
      return fc
        .nat({ max: bytes.length - 1 })
        .chain((length) =>
          fc.record({ events: fc.constant(events), chunks: cutUp(bytes.subarray(0, length)) }),
        );
    });

    await fc.assert(
      fc.asyncProperty(broken, async ({ events, chunks }) => {
        const { call, outcomes } = callOf(chunks);

        const text = await textOf(forwardStream(call, true));

        const told = eventsOf(text);
        const whole = eventsOf(events.join(''));
        const finished = text.includes('"finish_reason":"stop"');
        const last = told.at(-1);
        const isError = typeof last === 'object' && 'error' in last;
        expect(told.slice(0, -1)).toEqual(whole.slice(0, told.length - 1));
        expect(finished ? last === '[DONE]' || isError : isError).toBe(true);
        expect(outcomes).toHaveLength(1);
      }),
    );
  });

  it('tells the same however the bytes are cut', async () => {
    const text = [chunk('one'), chunk('two'), event({ error: { message: 'overloaded' } })].join('');

    await fc.assert(
      fc.asyncProperty(cutUp(Buffer.from(text)), async (chunks) => {
        const { call, outcomes } = callOf(chunks);

        const events = eventsOf(await textOf(forwardStream(call, false)));

        expect(events).toEqual([
          ...eventsOf(chunk('one') + chunk('two')),
          { error: expect.objectContaining({ message: 'overloaded', code: 'model_unavailable' }) },
        ]);
        expect(outcomes).toMatchObject([{ figures: 'partial', completionTokens: 2 }]);
      }),
    );
  });
});

describe('a silence of 15 seconds', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Reads a stream while so much time passes between its pieces. */
  async function heard(opening: Promise<MeteredCall>, ms: number) {
    const parts: string[] = [];
    const reading = (async () => {
      for await (const part of forwardStream(opening, false)) parts.push(String(part));
    })();
    await vi.advanceTimersByTimeAsync(ms);
    await reading;
    return parts;
  }
  const waited = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it('has a comment, before the call is open and between its pieces', async () => {
    async function* slow() {
      yield chunk('hi');
      await waited(31_000);
      yield chunk({}, 'stop') + done;
    }
    const { call } = callOf(slow(), { idleTimeoutMs: 60_000 });

    const parts = await heard(
      waited(46_000).then(() => call),
      80_000,
    );

    expect(parts).toEqual([
      ...Array(3).fill(': still here\n\n'),
      chunk('hi'),
      ...Array(2).fill(': still here\n\n'),
      chunk({}, 'stop') + done,
    ]);
  });

  it.each([
    ['chat', /^data: \{"error":\{"message":"Overloaded"/],
    ['responses', /response\.created[\s\S]*"type":"response\.failed"[\s\S]*Overloaded/],
    ['messages', /^event: error\ndata: [\s\S]*Overloaded/],
  ] as const)(
    'ends in an error in %s where the call can’t be opened then',
    async (dialect, told) => {
      const failing = waited(16_000).then(() => {
        throw unavailable('Overloaded');
      });
      const reading = textOf(forwardStream(failing, false, () => {}, dialect));
      await vi.advanceTimersByTimeAsync(20_000);

      const text = await reading;

      expect(text.startsWith(': still here\n\n')).toBe(true);
      expect(text.slice(': still here\n\n'.length)).toMatch(told);
    },
  );
});

describe('a stream that ends', () => {
  it('without [DONE] after it finished gets one', async () => {
    const { call, outcomes } = callOf([chunk('hi'), chunk({}, 'stop'), usageChunk(3, 4)]);

    const text = await textOf(forwardStream(call, false));

    expect(text).toBe(chunk('hi') + chunk({}, 'stop') + done);
    expect(outcomes).toMatchObject([{ figures: 'exact' }]);
  });

  it('without its last blank line is given that, and its [DONE]', async () => {
    const { call } = callOf([chunk('hi'), chunk({}, 'stop').trimEnd()]);

    const text = await textOf(forwardStream(call, false));

    expect(text).toBe(chunk('hi') + chunk({}, 'stop') + done);
  });

  it('with a [DONE] that nothing follows is given its blank line', async () => {
    const { call } = callOf([chunk({}, 'stop'), 'data: [DONE]']);

    expect(await textOf(forwardStream(call, false))).toBe(chunk({}, 'stop') + done);
  });

  it('before it finished ends in an error, without [DONE]', async () => {
    const { call, outcomes } = callOf([chunk('12345678')]);

    const events = eventsOf(await textOf(forwardStream(call, false)));

    expect(events.at(-1)).toEqual({
      error: {
        message: 'The model broke off its answer.',
        type: 'server_error',
        param: null,
        code: 'model_unavailable',
      },
    });
    expect(outcomes).toMatchObject([{ figures: 'partial', completionTokens: 2 }]);
  });

  it('before it said anything costs nothing', async () => {
    const { call, outcomes } = callOf([chunk({ role: 'assistant', content: '' })]);

    await textOf(forwardStream(call, false));

    expect(outcomes).toEqual(['nothing']);
  });

  it('with [DONE] alone costs nothing and is forwarded', async () => {
    const { call, outcomes } = callOf([done]);

    expect(await textOf(forwardStream(call, false))).toBe(done);
    expect(outcomes).toEqual(['nothing']);
  });
});

describe('a stream breaks at', () => {
  const told = async (...args: Parameters<typeof callOf>) => {
    const { call, outcomes } = callOf(...args);
    const events = eventsOf<{ error?: { message: string } }>(
      await textOf(forwardStream(call, false)),
    );
    return { events, outcomes };
  };
  const messageOf = (event: unknown) => (event as { error: { message: string } }).error.message;

  it.each([
    ['a chunk that is no JSON', 'data: {"id": "ch\n\n', 'The model sent a broken chunk.'],
    ['an error in words', event({ error: 'overloaded' }), 'overloaded'],
    ['an error without words', event({ error: { code: 502 } }), 'The model broke off its answer.'],
    [
      'an error with addresses',
      event({ error: { message: 'See https://example.com/x' } }),
      'See (link)',
    ],
    [
      'an error that quotes the request',
      event({ error: { message: 'The input "ask my 3rd patient" was flagged' } }),
      'The input … was flagged',
    ],
    ['a chunk that is no object', 'data: null\n\n', 'The model sent a broken chunk.'],
  ])('%s', async (_, last, message) => {
    const { events, outcomes } = await told([chunk('hi'), last, chunk('more')]);

    expect(events).toHaveLength(2);
    expect(messageOf(events[1])).toBe(message);
    expect(outcomes).toMatchObject([{ figures: 'partial' }]);
  });

  it('a silence that is too long', async () => {
    async function* silent() {
      yield chunk('hi');
      await new Promise(() => {});
    }

    const { events } = await told(silent(), { idleTimeoutMs: 20 });

    expect(messageOf(events.at(-1))).toBe('The model fell silent.');
  });

  it('the end of the caller’s time', async () => {
    const time = new AbortController();
    async function* endless() {
      yield chunk('hi');
      time.abort();
      await new Promise(() => {});
    }

    const { events } = await told(endless(), { signal: time.signal });

    expect(messageOf(events.at(-1))).toBe('The model did not finish in time.');
  });

  it('a connection that breaks', async () => {
    async function* breaking() {
      yield chunk('hi');
      throw new TypeError('terminated', { cause: new Error('other side closed') });
    }

    const { events, outcomes } = await told(breaking());

    expect(messageOf(events.at(-1))).toBe('The model broke off its answer.');
    expect(outcomes).toMatchObject([{ figures: 'partial' }]);
  });
});
