import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../../shared/models/dialects/ask.ts';
import type { AnswerEvent } from '../../../../shared/models/dialects/dialect.ts';
import { responses } from '../../../../shared/models/dialects/responses/responses.ts';
import { answers, readBy, writtenBy } from '../answers.ts';

const ask: Ask = { model: 'asked', messages: [], stream: true, metadata: { team: 'blue' } };

const count = fc.nat(10_000);
const usage = fc.record({
  ...{ promptTokens: count, outputTokens: count },
  ...{ cachedTokens: count, cacheWriteTokens: count, thoughtTokens: count },
});
const anyAnswer = answers({ seals: true, usage });

type Event = Record<string, never>;

describe('a response', () => {
  it('says the same once it is written and read again, streamed', () => {
    fc.assert(
      fc.property(anyAnswer, (events) => {
        const reader = responses.reader();

        expect(readBy(reader, writtenBy(responses.writer(ask), events))).toEqual(events);
        expect(reader.isOver).toBe(true);
      }),
    );
  });

  it('says the same once it is written and read again, as a whole', () => {
    fc.assert(
      fc.property(anyAnswer, (events) => {
        const whole = responses.writeAnswer(events, ask);

        expect(summaryOf(responses.readAnswer(whole))).toEqual(summaryOf(events));
      }),
    );
  });

  it('ends with the same object, streamed or not', () => {
    fc.assert(
      fc.property(anyAnswer, (events) => {
        const last = writtenBy(responses.writer(ask), events).at(-1)?.['response'];
        const whole = responses.writeAnswer(events, ask);

        expect(withoutIds(last)).toEqual(withoutIds(whole));
      }),
    );
  });

  it('is written in order: each item and part is opened, filled and closed once, and events are numbered', () => {
    fc.assert(
      fc.property(anyAnswer, (events) => {
        const written = writtenBy(responses.writer(ask), events) as Event[];

        expect(written.map(({ sequence_number }) => sequence_number)).toEqual(
          written.map((_, n) => n),
        );
        expect(written.slice(0, 2).map(({ type }) => type)).toEqual([
          'response.created',
          'response.in_progress',
        ]);
        expectBalanced(written);
      }),
    );
  });

  it('repeats what was asked, and the caller’s tags', () => {
    const whole = responses.writeAnswer([{ is: 'start' }, { is: 'end', reason: 'stop' }], {
      ...ask,
      maxOutputTokens: 7,
      tools: [{ is: 'function', name: 'weather', schema: { type: 'object' }, strict: true }],
      format: { is: 'schema', name: 'answer', schema: { type: 'object' } },
    });

    expect(whole).toMatchObject({
      ...{ object: 'response', status: 'completed', model: 'asked', store: false },
      ...{ metadata: { team: 'blue' }, max_output_tokens: 7, previous_response_id: null },
      tools: [{ type: 'function', name: 'weather', strict: true }],
      text: { format: { type: 'json_schema', name: 'answer' } },
    });
  });

  it('keeps the price that its provider says', () => {
    const events: AnswerEvent[] = [
      { is: 'start', id: 'a', model: 'm' },
      { is: 'usage', usage: { promptTokens: 1, outputTokens: 2 }, serviceTier: 'priority' },
      { is: 'end', reason: 'stop' },
    ];

    const read = readBy(responses.reader(), writtenBy(responses.writer(ask), events));

    expect(read).toContainEqual(expect.objectContaining({ serviceTier: 'priority' }));
  });
});

/** What an answer says of each kind. A whole one has calls' input in one, and refusals beside texts. */
function summaryOf(events: readonly AnswerEvent[]) {
  const textOf = (is: string) =>
    events.flatMap((each) => (each.is === is && 'text' in each ? [each.text] : [])).join('');
  const calls = events.flatMap((each) => (each.is === 'toolCall' ? [each] : []));
  return {
    ...{ text: textOf('text'), refusal: textOf('refusal'), thought: textOf('thought') },
    seals: events.filter(({ is }) => is === 'signature'),
    calls: calls.map((call) => ({
      ...call,
      input: events
        .flatMap((each) =>
          each.is === 'toolInput' && each.index === call.index ? [each.text] : [],
        )
        .join(''),
    })),
    rest: events.filter(({ is }) => ['start', 'usage', 'end'].includes(is)),
  };
}

const withoutIds = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, each) =>
      key === 'created_at' || (key === 'id' && /^(msg|rs|fc|ctc)_/.test(String(each))) ? 0 : each,
    ),
  );

/** Expects that what was opened was closed, and that nothing was added to what was not open. */
function expectBalanced(events: Event[]): void {
  const open = new Set<string>();
  for (const event of events) {
    const {
      type = '',
      output_index,
      content_index,
      summary_index,
    } = event as Record<string, never>;
    const [, kind, what] = String(type).match(/^response\.(.*)\.(\w+)$/) ?? [];
    if (kind === undefined) continue;
    const item = `item ${output_index}`;
    const part = `${item} part ${content_index ?? summary_index}`;
    if (kind === 'output_item') expectOpened(open, item, what);
    else {
      expect(open).toContain(item);
      if (kind.endsWith('_part')) expectOpened(open, part, what);
      else if (/text|refusal/.test(kind)) expect(open).toContain(part);
    }
  }
  expect([...open]).toEqual([]);
}

function expectOpened(open: Set<string>, name: string, what: string | undefined): void {
  expect(open.has(name)).toBe(what === 'done');
  if (what === 'done') open.delete(name);
  else open.add(name);
}
