import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../shared/models/dialects/ask.ts';
import { chat } from '../../../shared/models/dialects/chat/chat.ts';
import type { Body, Dialect } from '../../../shared/models/dialects/dialect.ts';
import { messages } from '../../../shared/models/dialects/messages/messages.ts';
import { responses } from '../../../shared/models/dialects/responses/responses.ts';
import { readBy } from './answers.ts';
import { plainModel, thinkingModel } from './asks.ts';

const bare: Ask = { model: 'm', messages: [], stream: false };

describe('a usage is read', () => {
  const details = { ephemeral_5m_input_tokens: 12, ephemeral_1h_input_tokens: 8 };
  const all = { promptTokens: 100, outputTokens: 40, cachedTokens: 30, thoughtTokens: 5 };

  it.each<[string, Dialect, Body, object]>([
    [
      'of a chat completion',
      chat,
      {
        ...{ prompt_tokens: 100, completion_tokens: 40, total_tokens: 140 },
        prompt_tokens_details: { cached_tokens: 30, cache_creation: details },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      { ...all, cacheWriteTokens: 12, cacheWrite1hTokens: 8 },
    ],
    [
      'of one that tells of no lifetime',
      chat,
      {
        ...{ prompt_tokens: 100, completion_tokens: 40, total_tokens: 140 },
        prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      { ...all, cacheWriteTokens: 20 },
    ],
    [
      'of one that tells nothing else',
      chat,
      { prompt_tokens: 100, completion_tokens: 40 },
      { promptTokens: 100, outputTokens: 40, cachedTokens: 0 },
    ],
    [
      'of Messages, which counts the cache beside',
      messages,
      {
        ...{ input_tokens: 50, output_tokens: 40, cache_read_input_tokens: 30 },
        ...{ cache_creation_input_tokens: 20, cache_creation: details },
        output_tokens_details: { thinking_tokens: 5 },
      },
      { ...all, cacheWriteTokens: 12, cacheWrite1hTokens: 8 },
    ],
    [
      'of Messages by lifetimes alone',
      messages,
      { input_tokens: 80, output_tokens: 40, cache_creation: details },
      {
        ...{ promptTokens: 100, outputTokens: 40, cachedTokens: 0 },
        ...{ cacheWriteTokens: 12, cacheWrite1hTokens: 8 },
      },
    ],
    [
      'of Messages without any cache',
      messages,
      { input_tokens: 100, output_tokens: 40, cache_creation_input_tokens: null },
      { promptTokens: 100, outputTokens: 40, cachedTokens: 0, cacheWriteTokens: 0 },
    ],
    [
      'of a response',
      responses,
      {
        ...{ input_tokens: 100, output_tokens: 40, total_tokens: 140 },
        input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
        output_tokens_details: { reasoning_tokens: 5 },
      },
      { ...all, cacheWriteTokens: 20 },
    ],
    [
      'of a response that counts thoughts beside its output',
      responses,
      {
        ...{ input_tokens: 100, output_tokens: 35, total_tokens: 140 },
        output_tokens_details: { reasoning_tokens: 5 },
      },
      { promptTokens: 100, outputTokens: 40, thoughtTokens: 5 },
    ],
    [
      'of a response whose total has more than it names',
      responses,
      {
        ...{ input_tokens: 100, output_tokens: 35, total_tokens: 140 },
        output_tokens_details: { reasoning_tokens: 3 },
      },
      { promptTokens: 100, outputTokens: 35, thoughtTokens: 3 },
    ],
    [
      'of a chat completion whose total has more than it names',
      chat,
      {
        ...{ prompt_tokens: 100, completion_tokens: 35, total_tokens: 140 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
      { promptTokens: 100, outputTokens: 35, cachedTokens: 0, thoughtTokens: 3 },
    ],
  ])('%s', (_, dialect, usage, expected) => {
    const answer = {
      ...{ model: 'm', usage, choices: [], content: [], status: 'completed', output: [] },
      service_tier: 'flex',
    };
    const read = dialect.readAnswer(answer).find((event) => event.is === 'usage');

    expect(read?.usage).toEqual(expected);
    expect(read?.serviceTier).toBe(dialect === messages ? undefined : 'flex');
  });
});

it.each([
  ...['length', 'max_tokens', 'max_output_tokens', 'model_length', 'token_limit', 'LENGTH'].map(
    (word) => [word, 'length'] as const,
  ),
  ...['tool_calls', 'function_call', 'tool_use', 'tool_call'].map(
    (word) => [word, 'toolCalls'] as const,
  ),
  ...['content_filter', 'safety', 'refusal', 'prohibited_content', 'recitation', 'sensitive'].map(
    (word) => [word, 'contentFilter'] as const,
  ),
  ...['stop', 'eos'].map((word) => [word, 'stop'] as const),
])('a chat completion that ends with %s ends by %s', (finish_reason, reason) => {
  const events = chat.readAnswer({ choices: [{ message: { content: 'A' }, finish_reason }] });

  expect(events.at(-1)).toEqual({ is: 'end', reason });
});

it.each([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'toolCalls'],
  ['refusal', 'contentFilter'],
  ['end_turn', 'stop'],
])('a message that ends with %s ends by %s', (stop_reason, reason) => {
  const events = messages.readAnswer({ content: [], stop_reason, stop_sequence: null });

  expect(events.at(-1)).toEqual({ is: 'end', reason });
});

it.each([
  [4_095, 'low'],
  [4_096, 'medium'],
  [16_383, 'medium'],
  [16_384, 'high'],
])('a budget of %i tokens for thoughts is the effort %s', (budgetTokens, effort) => {
  const asked = messages.readRequest({
    ...{ model: 'm', messages: [] },
    thinking: { type: 'enabled', budget_tokens: budgetTokens },
  });
  const written = chat.writeRequest({ ...bare, reasoning: { budgetTokens } }, thinkingModel);

  expect(asked.reasoning).toEqual({ effort, budgetTokens, isShown: true });
  expect(written['reasoning_effort']).toBe(effort);
});

it.each([
  ['none', {}],
  ['disabled', { thinking: { type: 'disabled', budget_tokens: 9_000 } }],
])('no budget is no effort: %s', (_, thinking) => {
  expect(messages.readRequest({ model: 'm', messages: [], ...thinking })).not.toHaveProperty(
    'reasoning',
  );
});

describe('thoughts that come by their details, as OpenRouter streams them,', () => {
  const piece = (fields: object) => ({
    choices: [{ delta: { reasoning_details: [{ type: 'reasoning.text', index: 0, ...fields }] } }],
  });
  const encrypted = (data: string) => piece({ type: 'reasoning.encrypted', index: 1, data });
  const whole = [
    { type: 'reasoning.text', index: 0, text: 'ab', signature: 's' },
    { type: 'reasoning.encrypted', index: 1, data: 'x' },
    { type: 'reasoning.encrypted', index: 1, data: 'y' },
    { type: 'reasoning.summary', index: 2, summary: 'cd' },
  ];
  const read = () =>
    readBy(chat.reader('m'), [
      ...[piece({ text: 'a' }), piece({ text: 'b', signature: 's' })],
      ...[encrypted('x'), encrypted('y')],
      piece({ type: 'reasoning.summary', index: 2, summary: 'c' }),
      piece({ type: 'reasoning.summary', index: 2, summary: 'd', text: null }),
      { choices: [{ delta: { content: 'A' }, finish_reason: 'stop' }] },
    ]);

  it('are told as they come, and sealed with all details', () => {
    const [, ...events] = read();
    const seal = events.find((event) => event.is === 'signature')?.signature ?? '';

    expect(
      events.map((event) => ('text' in event ? `${event.is} ${event.text}` : event.is)),
    ).toEqual([
      ...['thought a', 'thought b', 'thought c', 'thought d', 'signature', 'text A', 'end'],
    ]);
    expect(seal.startsWith('chat:')).toBe(true);
    expect(JSON.parse(Buffer.from(seal.slice(5), 'base64url').toString())).toEqual({
      ...{ model: 'm', name: 'reasoning', details: whole },
    });
  });

  it('go back to their model alone, by the name that it used', () => {
    const signature = read().find((event) => event.is === 'signature')?.signature ?? '';
    const thought = { is: 'thought' as const, text: 'ab', signature };
    const parts = [thought, { ...thought, text: 'cd' }, { is: 'text' as const, text: 'A' }];
    const written = (model: string) =>
      chat.writeRequest({ ...bare, model, messages: [{ role: 'assistant', parts }] }, plainModel);

    expect(written('m')['messages']).toEqual([
      {
        ...{ role: 'assistant', content: 'A', reasoning: 'abcd' },
        reasoning_details: [...whole, ...whole],
      },
    ]);
    expect(written('n')['messages']).toEqual([{ role: 'assistant', content: 'A' }]);
  });

  it('are sealed for nobody where no model is known', () => {
    const events = readBy(chat.reader(), [
      piece({ text: 'a' }),
      { choices: [{ delta: { content: 'A' } }] },
    ]);

    expect(events.map(({ is }) => is)).toEqual(['start', 'thought', 'text']);
  });
});
