import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../../shared/models/dialects/ask.ts';
import { chat } from '../../../../shared/models/dialects/chat/chat.ts';
import type { AnswerEvent } from '../../../../shared/models/dialects/dialect.ts';
import { responses } from '../../../../shared/models/dialects/responses/responses.ts';
import { answers, jsonOf, readBy, writtenBy } from '../answers.ts';

const ask: Ask = { model: 'asked', messages: [], stream: true };
const count = fc.nat(10_000);
/** What was read from a cache, or written to it, is part of the prompt. */
const usage = fc
  .record({
    ...{ promptTokens: count, outputTokens: count, cachedTokens: count, thoughtTokens: count },
    ...{ cacheWriteTokens: count, cacheWrite1hTokens: count },
  })
  .map((counts) => ({
    ...counts,
    promptTokens:
      counts.promptTokens +
      counts.cachedTokens +
      counts.cacheWriteTokens +
      counts.cacheWrite1hTokens,
  }));
const anyAnswer = answers({ seals: false, usage });

describe('a chat completion', () => {
  it('says the same once it is written and read again, streamed', () => {
    fc.assert(
      fc.property(anyAnswer, (events) => {
        const reader = chat.reader();

        expect(readBy(reader, writtenBy(chat.writer(ask), events))).toEqual(events);
        expect(reader.isOver).toBe(true);
      }),
    );
  });

  it('says the same once it is written and read again, as a whole', () => {
    fc.assert(
      fc.property(anyAnswer, (events) => {
        const read = chat.readAnswer(chat.writeAnswer(events, ask));

        expect(textsOf(read)).toEqual(textsOf(events));
        expect(read.at(-1)).toEqual(events.at(-1));
      }),
    );
  });

  it('says what a response says, whose provider it comes from', () => {
    const counts = usage.map(({ cacheWrite1hTokens: _, ...all }) => all);
    fc.assert(
      fc.property(answers({ seals: false, usage: counts }), (events) => {
        const translated = readBy(responses.reader(), writtenBy(responses.writer(ask), events));

        const chunks = writtenBy(chat.writer(ask), translated);

        expect(readBy(chat.reader(), chunks)).toEqual(events);
      }),
    );
  });

  it('ends with its usage and [DONE], and has the role in its first chunk alone', () => {
    const events: AnswerEvent[] = [
      { is: 'start', id: 'a', model: 'm' },
      { is: 'text', text: 'hi' },
      { is: 'usage', usage: { promptTokens: 1, outputTokens: 2 }, serviceTier: 'flex' },
      { is: 'end', reason: 'length' },
    ];
    const writer = chat.writer(ask);

    const written = events.map((event) => writer.write(event)).join('');

    expect(written.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(jsonOf(written)).toMatchObject([
      { id: 'a', model: 'm', choices: [{ delta: { role: 'assistant', content: 'hi' } }] },
      { choices: [{ delta: {}, finish_reason: 'length' }] },
      { choices: [], service_tier: 'flex', usage: { prompt_tokens: 1, completion_tokens: 2 } },
    ]);
  });

  it('hands signatures on to those that send them back', () => {
    const writer = chat.writer(ask);

    const written = writtenBy(writer, [
      { is: 'start' },
      { is: 'thought', text: 'hm' },
      { is: 'signature', signature: 's' },
      { is: 'signature', encrypted: 'x' },
    ]);

    expect(
      written.flatMap((chunk) => JSON.stringify(chunk).match(/"thinking_blocks":\[.*?\]/g) ?? []),
    ).toEqual([
      '"thinking_blocks":[{"type":"thinking","thinking":"hm","signature":"s"}]',
      '"thinking_blocks":[{"type":"redacted_thinking","data":"x"}]',
    ]);
  });

  it.each<[string, object]>([
    ['an object', { error: { message: 'overloaded', code: 'x' } }],
    ['a text', { error: 'overloaded' }],
  ])('that is an error as %s says so', (_, chunk) => {
    const reader = chat.reader();

    expect(reader.read(chunk as Record<string, unknown>)).toMatchObject([
      { is: 'error', message: 'overloaded' },
    ]);
    expect(reader.isOver).toBe(true);
  });

  it.each<[string, object, AnswerEvent]>([
    ['thoughts by their other name', { reasoning: 'hm' }, { is: 'thought', text: 'hm' }],
    ['parts', { content: [{ type: 'text', text: 'a' }] }, { is: 'text', text: 'a' }],
    [
      'a call without a number or an id',
      { tool_calls: [{ function: { name: 'f', arguments: '' } }] },
      {
        ...{ is: 'toolCall', index: 0, name: 'f' },
        id: expect.stringMatching(/^call_\w{32}$/) as unknown as string,
      },
    ],
  ])('is read where servers write %s', (_, delta, event) => {
    expect(chat.reader().read({ choices: [{ delta }] })).toContainEqual(event);
  });

  it('that calls tools ends with them, whatever its server says', () => {
    const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{}' } };
    const events = readBy(chat.reader(), [
      { choices: [{ delta: { tool_calls: [call] }, finish_reason: 'stop' }] },
    ]);

    expect(events.at(-1)).toEqual({ is: 'end', reason: 'toolCalls' });
  });
});

/** What is said of each kind. */
function textsOf(events: readonly AnswerEvent[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const event of events) {
    if (!('text' in event)) continue;
    const key = event.is === 'toolInput' ? `${event.is} ${event.index}` : event.is;
    texts[key] = (texts[key] ?? '') + event.text;
  }
  return texts;
}
