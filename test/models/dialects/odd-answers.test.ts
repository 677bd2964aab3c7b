import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../shared/models/dialects/ask.ts';
import { chat } from '../../../shared/models/dialects/chat/chat.ts';
import type { AnswerEvent, Body, Dialect } from '../../../shared/models/dialects/dialect.ts';
import { messages } from '../../../shared/models/dialects/messages/messages.ts';
import { responses } from '../../../shared/models/dialects/responses/responses.ts';
import { translateResponse } from '../../../shared/models/dialects/translate.ts';
import { messageEvent, messageStream } from '../../support/servers/message-stub.ts';
import { completionOf, done, event } from '../../support/servers/model-stub-pieces.ts';
import { anyBytes } from '../../support/servers/rooms.ts';
import { readBy } from './answers.ts';

const ask: Ask = { model: 'asked', messages: [], stream: true };
const dialects = { chat, responses, messages };

const streamed = (text: string) =>
  new Response(text, { headers: { 'content-type': 'text/event-stream' } });

/** Translates a stream, and reads what came of it in the caller's dialect. */
async function translated(from: Dialect, to: Dialect, pieces: readonly string[], asked = ask) {
  const response = translateResponse(streamed(pieces.join('')), from, to, asked, anyBytes());
  const text = await response.text();
  const reader = to.reader();
  const data = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json));
  return readBy(reader, data as Body[]);
}

const chunkOf = (delta: object, finish_reason: string | null = null) =>
  event({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] });
const callPiece = (index: number, rest: object) => chunkOf({ tool_calls: [{ index, ...rest }] });
const begun = (index: number) =>
  callPiece(index, { id: `call_${index}`, function: { name: `tool_${index}`, arguments: '' } });
const argument = (index: number, text: string) =>
  callPiece(index, { function: { arguments: text } });

/** The calls of an answer, with all of their input. */
function callsOf(events: readonly AnswerEvent[]) {
  return events.flatMap((each) => {
    if (each.is !== 'toolCall') return [];
    const inputs = events.flatMap((other) =>
      other.is === 'toolInput' && other.index === each.index ? [other.text] : [],
    );
    return [[each.name, inputs.join('')]];
  });
}

const textOf = (events: readonly AnswerEvent[]) =>
  events.flatMap((each) => (each.is === 'text' ? [each.text] : [])).join('');

describe.each(Object.entries(dialects))('a caller of %s gets, of chat completions,', (_, to) => {
  it('calls whose arguments take turns', async () => {
    const events = await translated(chat, to, [
      ...[begun(0), begun(1), argument(0, '{"a'), argument(1, '{"b'), argument(0, '":1}')],
      ...[argument(1, '":2}'), chunkOf({}, 'tool_calls'), done],
    ]);

    expect(callsOf(events)).toEqual([
      ['tool_0', '{"a":1}'],
      ['tool_1', '{"b":2}'],
    ]);
    expect(events.at(-1)).toEqual({ is: 'end', reason: 'toolCalls' });
  });

  it('three calls whose arguments take turns', async () => {
    const events = await translated(chat, to, [
      ...[begun(0), argument(0, '{'), begun(1), argument(1, '{"b'), begun(2), argument(2, '{"c')],
      ...[
        argument(1, '":1}'),
        argument(0, '}'),
        argument(2, '":2}'),
        chunkOf({}, 'tool_calls'),
        done,
      ],
    ]);

    expect(callsOf(events)).toEqual([
      ['tool_0', '{}'],
      ['tool_1', '{"b":1}'],
      ['tool_2', '{"c":2}'],
    ]);
  });

  it.each<[string, object, string]>([
    ['a line', { content: '\n' }, ''],
    ['a text', { content: 'so' }, 'so'],
    ['a thought', { reasoning_content: 'hm' }, ''],
  ])('a call whole that %s came into', async (_name, between, said) => {
    const events = await translated(chat, to, [
      ...[begun(0), argument(0, '{"a'), chunkOf(between), argument(0, '":1}')],
      ...[chunkOf({}, 'tool_calls'), done],
    ]);

    expect(callsOf(events)).toEqual([['tool_0', '{"a":1}']]);
    expect(textOf(events).trim()).toBe(said);
  });

  it('a call whose name comes late, by one index with another', async () => {
    const events = await translated(chat, to, [
      callPiece(0, { id: 'call_a', function: { arguments: '{"a' } }),
      callPiece(0, { function: { name: 'first', arguments: '":1}' } }),
      callPiece(0, { id: 'call_b', function: { name: 'second', arguments: '{}' } }),
      ...[chunkOf({}, 'tool_calls'), done],
    ]);

    expect(callsOf(events)).toEqual([
      ['first', '{"a":1}'],
      ['second', '{}'],
    ]);
  });

  it('a call by the id that came with its name, or before it', async () => {
    const events = await translated(chat, to, [
      callPiece(0, { function: { arguments: '{' } }),
      callPiece(0, { id: 'late', function: { name: 'first', arguments: '}' } }),
      callPiece(1, { id: 'early', function: { name: 'second', arguments: '{' } }),
      callPiece(1, { id: 'other', function: { arguments: '}' } }),
      ...[chunkOf({}, 'tool_calls'), done],
    ]);

    const ids = events.flatMap((each) => (each.is === 'toolCall' ? [each.id] : []));
    expect(ids).toEqual(['late', 'early']);
    expect(callsOf(events)).toEqual([
      ['first', '{}'],
      ['second', '{}'],
    ]);
  });

  it('arguments that are an object, and an id for a call without one', async () => {
    const events = await translated(chat, to, [
      callPiece(0, { id: '', function: { name: 'look', arguments: { city: 'Rio' } } }),
      ...[chunkOf({}, 'tool_calls'), done],
    ]);

    expect(callsOf(events)).toEqual([['look', '{"city":"Rio"}']]);
    expect(events.find(({ is }) => is === 'toolCall')).toMatchObject({
      id: expect.stringMatching(/^call_\w{32}$/),
    });
  });

  it('a function that is called the old way', async () => {
    const events = await translated(chat, to, [
      chunkOf({ function_call: { name: 'look', arguments: '{"a' } }),
      chunkOf({ function_call: { arguments: '":1}' } }),
      ...[chunkOf({}, 'function_call'), done],
    ]);

    expect(callsOf(events)).toEqual([['look', '{"a":1}']]);
    expect(events.at(-1)).toEqual({ is: 'end', reason: 'toolCalls' });
  });

  it.each([
    ['eos', 'stop'],
    ['abort', 'stop'],
    ['STOP', 'stop'],
    [null, 'stop'],
    ['max_tokens', 'length'],
    ['model_length', 'length'],
    ['SAFETY', 'contentFilter'],
  ])('an answer that ends by %s as %s', async (told, reason) => {
    const events = await translated(chat, to, [
      chunkOf({ content: 'hi' }),
      chunkOf({}, told),
      done,
    ]);

    expect(textOf(events)).toBe('hi');
    expect(events.at(-1)).toMatchObject({ is: 'end', reason });
  });

  it('no end where the stream just stops', async () => {
    const events = await translated(chat, to, [chunkOf({ content: 'hi' })]);

    expect(events.some(({ is }) => is === 'end')).toBe(false);
  });

  it('an error where the reason is one', async () => {
    const events = await translated(chat, to, [
      chunkOf({ content: 'hi' }),
      chunkOf({}, 'error'),
      done,
    ]);

    expect(events.at(-1)).toMatchObject({ is: 'error', message: 'The model reported an error.' });
  });

  it('ids and models though the first chunk has empty ones, as Azure’s', async () => {
    const first = { id: '', model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] };
    const events = await translated(chat, to, [
      ...[event(first), chunkOf({ content: 'hi' }), chunkOf({}, 'stop'), done],
    ]);

    expect(events[0]).toMatchObject({ is: 'start', id: 'c', model: 'm' });
  });
});

describe.each(Object.entries(dialects))('a caller of %s gets, of Responses,', (_, to) => {
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_a', name: '', arguments: '' };
  const first = { type: 'response.created', response: { id: 'resp_1', model: 'm' } };
  const added = { type: 'response.output_item.added', output_index: 0, item: call };
  const place = { output_index: 0, item_id: 'fc_1' };
  const more = (delta: string) => ({
    ...{ type: 'response.function_call_arguments.delta', ...place, delta },
  });
  const argued = (rest: object) => ({
    ...{ type: 'response.function_call_arguments.done', ...place, arguments: '{"a":1}', ...rest },
  });
  const whole = { ...call, name: 'look', arguments: '{"a":1}' };
  const ended = (item: object) => ({ type: 'response.output_item.done', output_index: 0, item });
  const over = (output: object[]) => ({
    ...{ type: 'response.completed', response: { status: 'completed', output } },
  });

  it.each<[string, object[]]>([
    ['with its arguments', [argued({ name: 'look' }), ended({ ...whole, name: '' }), over([])]],
    ['with the whole item', [argued({}), ended(whole), over([whole])]],
    ['with the whole response', [over([whole])]],
    ['with arguments as an object', [ended({ ...whole, arguments: { a: 1 } }), over([whole])]],
  ])('a call whose name comes %s', async (_name, rest) => {
    const pieces = [first, added, more('{"a'), ...rest].map((each) => messageEvent(each as never));
    const events = await translated(responses, to, pieces);

    expect(callsOf(events)).toEqual([['look', '{"a":1}']]);
    expect(events.find(({ is }) => is === 'toolCall')).toMatchObject({ id: 'call_a' });
    expect(events.at(-1)).toEqual({ is: 'end', reason: 'toolCalls' });
  });

  it('a call in one piece, whose arguments are an object', () => {
    const output = [{ ...whole, arguments: { a: 1 } }];
    const answer = { id: 'resp_1', model: 'm', status: 'completed', output };

    const events = to.readAnswer(to.writeAnswer(responses.readAnswer(answer), ask));

    expect(callsOf(events)).toEqual([['look', '{"a":1}']]);
  });

  it('a function of chat completions that was called the old way, in one piece', () => {
    const called = { name: 'look', arguments: { a: 1 } };
    const message = { role: 'assistant', content: null, function_call: called };
    const choices = [{ index: 0, message, finish_reason: 'function_call' }];

    const events = to.readAnswer(to.writeAnswer(chat.readAnswer({ id: 'c', choices }), ask));

    expect(callsOf(events)).toEqual([['look', '{"a":1}']]);
  });
});

it('a chat completion in one piece ends without a reason, and with a word that nobody knows', () => {
  for (const reason of [null, 'eos', '']) {
    const answer = { ...JSON.parse(completionOf('hi')) };
    answer.choices[0].finish_reason = reason;

    expect(chat.readAnswer(answer).at(-1), String(reason)).toEqual({ is: 'end', reason: 'stop' });
  }
});

it.each([
  ['chat', chat],
  ['responses', responses],
] as const)('a caller of %s gets the input of a tool that Messages tell whole', async (_, to) => {
  const [start = ''] = messageStream([]);
  const events = await translated(messages, to, [
    start,
    messageEvent({
      ...{ type: 'content_block_start', index: 0 },
      content_block: { type: 'tool_use', id: '', name: 'look', input: { city: 'Rio' } },
    }),
    messageEvent({ type: 'content_block_stop', index: 0 }),
    ...messageStream([], undefined, 'tool_use').slice(-2),
  ]);

  expect(callsOf(events)).toEqual([['look', '{"city":"Rio"}']]);
});

describe('tools that are told as functions', () => {
  const asked: Ask = {
    ...ask,
    tools: [
      { is: 'custom', name: 'apply_patch' },
      { is: 'function', name: 'echo', namespace: 'mcp__files' },
      { is: 'function', name: 'tool_search', isSearch: true },
    ],
  };
  const pieces = [
    ...[callPiece(0, { id: 'c0', function: { name: 'apply_patch', arguments: '{"input":"*** ' } })],
    ...[callPiece(1, { id: 'c1', function: { name: 'mcp__files__echo', arguments: '{"a":1}' } })],
    ...[argument(0, 'Begin\\n"}')],
    ...[callPiece(2, { id: 'c2', function: { name: 'tool_search', arguments: '{"query":"x"}' } })],
    ...[chunkOf({}, 'tool_calls'), done],
  ];

  it('are called by the names and kinds that the caller knows', async () => {
    const text = await translateResponse(
      ...([streamed(pieces.join('')), chat, responses, asked, anyBytes()] as const),
    ).text();
    const last = JSON.parse(text.trim().split('\n').at(-1)?.slice('data: '.length) ?? '');

    expect(last.response.output).toMatchObject([
      { type: 'custom_tool_call', call_id: 'c0', name: 'apply_patch', input: '*** Begin\n' },
      ...[{ type: 'function_call', name: 'echo', namespace: 'mcp__files', arguments: '{"a":1}' }],
      { type: 'tool_search_call', call_id: 'c2', execution: 'client', arguments: { query: 'x' } },
    ]);
    expect(text).not.toContain('mcp__files__echo');
  });
});
