import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../../shared/models/dialects/ask.ts';
import type { AnswerEvent, Body } from '../../../../shared/models/dialects/dialect.ts';
import { messages } from '../../../../shared/models/dialects/messages/messages.ts';
import { ModelError } from '../../../../shared/models/errors.ts';
import { dataOf, eventsIn } from '../../../../shared/models/event-splitter.ts';

const ask: Ask = {
  model: 'a-model',
  messages: [{ role: 'user', parts: [{ is: 'text', text: 'hi' }] }],
  stream: true,
};

const text = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const count = fc.nat({ max: 100_000 });

/** The pieces of one block; a call of a tool gets its number when the blocks are put together. */
const block: fc.Arbitrary<AnswerEvent[]> = fc.oneof(
  fc
    .array(text, { minLength: 1, maxLength: 3 })
    .map((texts) => texts.map((each): AnswerEvent => ({ is: 'text', text: each }))),
  fc
    .tuple(fc.array(text, { minLength: 1, maxLength: 3 }), fc.base64String({ minLength: 4 }))
    .map(([texts, signature]): AnswerEvent[] => [
      ...texts.map((each): AnswerEvent => ({ is: 'thought', text: each })),
      { is: 'signature', signature },
    ]),
  fc
    .base64String({ minLength: 4 })
    .map((encrypted): AnswerEvent[] => [{ is: 'signature', encrypted }]),
  fc
    .tuple(text, fc.dictionary(fc.string(), fc.oneof(text, count, fc.boolean())))
    .map(([name, input]): AnswerEvent[] => {
      const json = JSON.stringify(input);
      const half = Math.ceil(json.length / 2);
      return [
        { is: 'toolCall', index: 0, id: `toolu_${name}`, name },
        { is: 'toolInput', index: 0, text: json.slice(0, half) },
        { is: 'toolInput', index: 0, text: json.slice(half) },
      ];
    }),
);

const usage = fc.record({
  uncached: count,
  outputTokens: count,
  cachedTokens: count,
  cacheWriteTokens: count,
  cacheWrite1hTokens: count,
});

/** An answer from its start to its end. */
const answer: fc.Arbitrary<AnswerEvent[]> = fc
  .tuple(
    fc.array(block, { maxLength: 5 }),
    usage,
    fc.constantFrom('stop', 'length', 'toolCalls', 'contentFilter'),
    fc.option(text, { nil: undefined }),
  )
  .map(([blocks, { uncached, ...counts }, reason, stopSequence]) => {
    let calls = -1;
    const pieces = blocks.flat().map((event): AnswerEvent => {
      if (event.is === 'toolCall') calls += 1;
      return 'index' in event ? { ...event, index: calls } : event;
    });
    const { cachedTokens, cacheWriteTokens, cacheWrite1hTokens } = counts;
    const promptTokens = uncached + cachedTokens + cacheWriteTokens + cacheWrite1hTokens;
    const end: AnswerEvent =
      reason === 'stop' && stopSequence !== undefined
        ? { is: 'end', reason, stopSequence }
        : { is: 'end', reason };
    return [
      { is: 'start', id: 'msg_1', model: 'their-model' },
      ...pieces,
      { is: 'usage', usage: { ...counts, promptTokens } },
      end,
    ];
  });

/** Puts the pieces of a block together, and keeps the last usage alone, before the end. */
function joined(events: AnswerEvent[]): AnswerEvent[] {
  const put: AnswerEvent[] = [];
  for (const event of events) {
    const last = put.at(-1);
    const goesOn =
      last?.is === event.is &&
      (!('index' in event) || (last as typeof event).index === event.index);
    if (goesOn && 'text' in event && 'text' in last)
      put[put.length - 1] = { ...last, text: last.text + event.text };
    else if (event.is !== 'usage') put.push(event);
  }
  const told = events.findLast(({ is }) => is === 'usage');
  return told ? put.toSpliced(-1, 0, told) : put;
}

const written = (events: readonly AnswerEvent[]): Body[] => {
  const writer = messages.writer(ask);
  return parsed(events.map((event) => writer.write(event)).join(''));
};

const parsed = (stream: string): Body[] =>
  eventsIn(stream).map((event) => JSON.parse(dataOf(event) ?? '') as Body);

function read(events: readonly Body[]) {
  const reader = messages.reader();
  const found = events.flatMap((event) => reader.read(event));
  return { found, reader };
}

describe('an answer', () => {
  it('is the same when its written events are read again', () => {
    fc.assert(
      fc.property(answer, (events) => {
        const { found, reader } = read(written(events));

        expect(joined(found)).toEqual(joined(events));
        expect(reader.isOver).toBe(true);
      }),
    );
  });

  it('is the same when it is written in one piece and read again', () => {
    fc.assert(
      fc.property(answer, (events) => {
        const whole = messages.writeAnswer(events, ask);

        const expected = joined(events).map((event) =>
          event.is === 'toolInput' ? { ...event, text: event.text } : event,
        );
        expect(joined(messages.readAnswer(whole))).toEqual(expected);
      }),
    );
  });

  it('names each event as its type', () => {
    fc.assert(
      fc.property(answer, (events) => {
        const writer = messages.writer(ask);
        const stream = events.map((event) => writer.write(event)).join('') + writer.ping();

        for (const event of eventsIn(stream)) {
          const { type } = JSON.parse(dataOf(event) ?? '');
          expect(event.split('\n')[0]).toBe(`event: ${type}`);
        }
      }),
    );
  });

  it('is ended in order wherever it is cut', () => {
    fc.assert(
      fc.property(answer, fc.nat(), (events, seed) => {
        const whole = written(events).filter(({ type }) => type !== 'message_stop');
        const came = whole.slice(0, 1 + (seed % whole.length));
        const { reader } = read(came);

        const rest = parsed(reader.cut({ promptTokens: 7, outputTokens: 9 }));
        const { found, reader: again } = read([...came, ...rest]);

        expect(again.isOver).toBe(true);
        expect(found.at(-1)).toMatchObject({ is: 'end', reason: 'length' });
        expect(found.findLast(({ is }) => is === 'usage')).toMatchObject({
          usage: { outputTokens: 9 },
        });
      }),
    );
  });

  it('whose events come twice or are lost is refused, or not whole', () => {
    fc.assert(
      fc.property(answer, fc.nat(), fc.boolean(), (events, seed, isTwice) => {
        const whole = written(events);
        const at = seed % whole.length;
        const event = whole[at] as Body;
        // A piece may be lost or come twice without anyone's knowing, and so may a count.
        fc.pre(!['content_block_delta', 'message_delta'].includes(String(event['type'])));
        // An empty answer's last block that is lost is none that was there.
        const spoilt = isTwice ? whole.toSpliced(at, 0, event) : whole.toSpliced(at, 1);

        let isWhole = false;
        try {
          isWhole = read(spoilt).reader.isOver;
        } catch (error) {
          expect(error).toBeInstanceOf(ModelError);
        }
        expect(isWhole).toBe(false);
      }),
    );
  });
});

it('a usage with more cached tokens than its prompt has counts none', () => {
  const usage = { promptTokens: 10, cachedTokens: 1_000, outputTokens: 1 };

  const [, told] = messages.readAnswer(
    messages.writeAnswer(
      [
        { is: 'usage', usage },
        { is: 'end', reason: 'stop' },
      ],
      ask,
    ),
  );

  expect(told).toMatchObject({ usage: { promptTokens: 10, cachedTokens: 0 } });
});

describe('a reader', () => {
  const start = {
    type: 'message_start',
    message: { usage: { input_tokens: 1, output_tokens: 1 } },
  };
  const open = (index: number, type = 'text') => ({
    type: 'content_block_start',
    index,
    content_block: { type },
  });
  const piece = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
  const close = (index: number) => ({ type: 'content_block_stop', index });
  const stop = { type: 'message_stop' };
  const hello = { type: 'text_delta', text: 'hello' };

  it.each<[string, Body[]]>([
    ['a piece before the message', [open(0)]],
    ['a message within a message', [start, start]],
    ['a piece of no block', [start, piece(0, hello)]],
    ['a piece of another block', [start, open(0), piece(1, hello)]],
    ['a piece of a closed block', [start, open(0), close(0), piece(0, hello)]],
    ['a piece of another kind', [start, open(0, 'thinking'), piece(0, hello)]],
    ['a block within a block', [start, open(0), open(1)]],
    ['a block that was there', [start, open(0), close(0), open(0)]],
    ['a block that is skipped', [start, open(1)]],
    ['an end within a block', [start, open(0), stop]],
    ['a usage within a block', [start, open(0), { type: 'message_delta', delta: {} }]],
    ['anything after the end', [start, stop, open(0)]],
    ['a second end', [start, stop, stop]],
  ])('throws for %s', (_, events) => {
    expect(() => read(events)).toThrow(ModelError);
  });

  it('throws nothing but ModelError, whatever comes', () => {
    const types = [
      ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['message_delta', 'message_stop', 'ping', 'error', 'news'],
    ];
    const odd = fc.oneof(fc.anything({ maxDepth: 1 }), fc.constant(undefined));
    const inner = fc.record({
      type: fc.oneof(
        fc.constantFrom('text', 'thinking', 'tool_use', 'text_delta', 'input_json_delta'),
        odd,
      ),
      text: odd,
      partial_json: odd,
      usage: fc.oneof(
        fc.record({ input_tokens: odd, output_tokens: odd, cache_creation: odd }),
        odd,
      ),
      stop_reason: odd,
    });
    const field = fc.oneof(inner, odd);
    const event = fc.record({
      type: fc.constantFrom(...types),
      index: fc.oneof(fc.nat({ max: 2 }), odd),
      ...{ message: field, content_block: field, delta: field, usage: field, error: field },
    });

    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        const reader = messages.reader();
        const writer = messages.writer(ask);
        try {
          for (const each of [start, ...events]) {
            for (const found of reader.read(each as Body)) writer.write(found);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(ModelError);
        }
        parsed(reader.cut({ promptTokens: 1, outputTokens: 1 }));
      }),
    );
  });

  it('takes pings and events that it doesn’t know, wherever they are', () => {
    const ping = { type: 'ping' };
    const news = { type: 'content_block_news', index: 0 };
    const server = piece(1, { type: 'input_json_delta', partial_json: '{}' });
    const events = [
      ...[ping, start, ping, open(0), news, piece(0, hello), ping],
      ...[piece(0, { type: 'citations_delta', citation: {} }), close(0)],
      ...[
        open(1, 'server_tool_use'),
        server,
        close(1),
        open(2, 'web_search_tool_result'),
        close(2),
      ],
      ...[{ type: 'message_delta', delta: { stop_reason: 'pause_turn' } }, stop, ping],
    ];

    expect(joined(read(events).found)).toMatchObject([
      { is: 'start' },
      { is: 'text', text: 'hello' },
      { is: 'usage' },
      { is: 'end', reason: 'stop' },
    ]);
  });

  it('tells of an error with its type, after which nothing comes', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

    const { found, reader } = read([start, error]);

    expect(found.at(-1)).toEqual({ is: 'error', message: 'Overloaded', code: 'overloaded_error' });
    expect(reader.isOver).toBe(true);
  });

  it('keeps the counts that a later usage doesn’t tell', () => {
    const told = { input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 1 };
    const { found } = read([
      { type: 'message_start', message: { usage: told } },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { input_tokens: null, output_tokens: 9 },
      },
      stop,
    ]);

    expect(found.findLast(({ is }) => is === 'usage')).toMatchObject({
      usage: { promptTokens: 8, cachedTokens: 3, outputTokens: 9 },
    });
  });

  it.each<[object, object]>([
    [{ cache_creation_input_tokens: 9 }, { promptTokens: 10, cacheWriteTokens: 9 }],
    [
      {
        cache_creation_input_tokens: 9,
        cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
      },
      { promptTokens: 10, cacheWriteTokens: 4, cacheWrite1hTokens: 5 },
    ],
    [{ input_tokens: 'many' }, { promptTokens: Number.NaN }],
  ])('reads what was written to a cache: %j', (told, expected) => {
    const usage = { input_tokens: 1, output_tokens: 1, ...told };
    const [, event] = read([{ type: 'message_start', message: { usage } }]).found;

    expect((event as { usage: object }).usage).toMatchObject(expected);
  });
});
