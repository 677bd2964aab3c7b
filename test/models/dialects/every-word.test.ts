import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Ask } from '../../../shared/models/dialects/ask.ts';
import { chat } from '../../../shared/models/dialects/chat/chat.ts';
import type { AnswerEvent, Body, Dialect } from '../../../shared/models/dialects/dialect.ts';
import { messages } from '../../../shared/models/dialects/messages/messages.ts';
import { isKnownTool } from '../../../shared/models/dialects/messages/wire.ts';
import { restoring, withPlainTools } from '../../../shared/models/dialects/plain-tools.ts';
import { responses } from '../../../shared/models/dialects/responses/responses.ts';
import { writtenBy } from './answers.ts';
import { plainModel, thinkingModel } from './asks.ts';
import * as inputs from './every-word-inputs.ts';
import * as outputs from './every-word-outputs.ts';

const bare: Ask = { model: 'm', messages: [], stream: true };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 });
  vi.spyOn(crypto, 'randomUUID').mockReturnValue('0-0-0-0-0');
});

const cases: [keyof typeof outputs.readAs, Dialect, Body][] = [
  ['chat', chat, inputs.chatBody],
  ['messages', messages, inputs.messagesBody],
  ['responses', responses, inputs.responsesBody],
];

describe.each(cases)('every word of %s', (name, dialect, body) => {
  it('of a request is read', () => {
    expect(dialect.readRequest(body)).toEqual(outputs.readAs[name]);
  });

  it('of a request is written', () => {
    expect(dialect.writeRequest(inputs.fullAsk, thinkingModel)).toEqual(outputs.writtenAs[name]);
  });

  it('of an answer is streamed', () => {
    const written = writtenBy(dialect.writer(inputs.fullAsk), inputs.fullAnswer);

    expect(written).toEqual(outputs.streamedAs[name]);
  });

  it('of an answer is written in one piece', () => {
    const { fullAnswer, fullAsk } = inputs;

    expect(dialect.writeAnswer(fullAnswer, fullAsk)).toEqual(outputs.answeredAs[name]);
  });

  it('is left out where nothing is asked, or told', () => {
    const { messages: _, ...written } = dialect.writeRequest(
      { ...bare, stream: false, stop: [], tools: [] },
      plainModel,
    );
    const empty = { model: 'm', ...(name === 'responses' ? { input: [] } : { messages: [] }) };

    expect(dialect.readRequest(empty)).toEqual({ ...bare, stream: false });
    expect(written).toEqual(
      {
        chat: { model: 'm', stop: [] },
        messages: { model: 'm', max_tokens: 1_000 },
        responses: { model: 'm', input: [], store: false },
      }[name],
    );
  });
});

it.each(['chat', 'responses'] as const)(
  'custom tools and their calls are written in %s',
  (name) => {
    const dialect = { chat, responses }[name];

    expect(dialect.writeRequest(inputs.customAsk, plainModel)).toEqual(outputs.customAs[name]);
  },
);

it('lists of nothing ask for nothing', () => {
  const ofMessages = { model: 'm', messages: [], tools: [], stop_sequences: [], system: [] };
  const ofResponses = { model: 'm', input: [], tools: [], include: [] };

  expect(messages.readRequest(ofMessages)).toEqual({ ...bare, stream: false });
  expect(responses.readRequest(ofResponses)).toEqual({ ...bare, stream: false });
});

it('a message is measured with its limit, and each reference to a tool by the tool', () => {
  const tool = { name: 'weather', description: 'Says it.' };
  const reference = { type: 'tool_reference', tool_name: 'weather' };
  const content = [reference, { type: 'tool_result', content: [reference] }];
  const body = { model: 'm', messages: [{ role: 'user', content }], metadata: { user_id: 'u' } };

  const sized = messages.sized({ ...body, tools: [tool, { type: 'bash_1' }], max_tokens: 7 });

  expect(sized).toMatchObject({
    ...{ max_tokens: 7, known_tools: ' '.repeat(1_024) },
    referenced_tools: ' '.repeat(2 * 3 * JSON.stringify(tool).length),
  });
  for (const name of ['model', 'metadata', 'system']) expect(sized).not.toHaveProperty(name);
  const others = messages.sized({ ...body, messages: [], max_tokens: null });
  for (const name of ['max_tokens', 'known_tools', 'referenced_tools']) {
    expect(others).not.toHaveProperty(name);
  }
});

it.each([
  ...['thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'mcp_tool_use'],
  ...['search_result', 'tool_reference'],
])('a block of the type %s is measured by its JSON', (type) => {
  const block = { type, id: 'x' };
  const cache_control = { type: 'ephemeral' };
  const content = [block, { ...block, cache_control }];

  const sized = messages.sized({ model: 'm', messages: [{ role: 'user', content }] });

  const text = JSON.stringify(block);
  expect(sized.messages.at(-1)).toEqual({
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'text', text, cache_control },
    ],
  });
});

it.each([
  ['no file', 'Error: no file'],
  ['Error: no file', 'Error: no file'],
  [' [error] no file', ' [error] no file'],
  [undefined, 'Error: the tool failed'],
])('a tool that failed by %j says %j where no field says so', (said, told) => {
  const parts = said === undefined ? [] : [{ is: 'text' as const, text: said }];
  const failed = { role: 'tool' as const, callId: 'c', isError: true, parts };
  const { messages: ofChat } = chat.writeRequest({ ...bare, messages: [failed] }, plainModel);
  const { input } = responses.writeRequest({ ...bare, messages: [failed] }, plainModel);

  expect(ofChat).toEqual([{ role: 'tool', tool_call_id: 'c', content: told }]);
  expect(input).toEqual([{ type: 'function_call_output', call_id: 'c', output: told }]);
});

it('tools that Claude knows without a description are told by their types', () => {
  const types = ['bash_20250124', 'text_editor_20250728', 'computer_20251124', 'memory_20250818'];

  expect(types.filter((type) => isKnownTool({ type }))).toEqual(types);
  for (const type of ['web_search_20250305', 'custom', undefined]) {
    expect(isKnownTool({ type })).toBe(false);
  }
});

it('a namespace and a search of tools are written where their dialect has them', () => {
  const written = responses.writeRequest(inputs.namespacedAsk, plainModel);

  expect(written).toEqual(outputs.namespacedAs.responses);
});

describe('tools of Responses as functions', () => {
  const ask: Ask = {
    ...inputs.namespacedAsk,
    messages: inputs.customAsk.messages,
    tools: [...(inputs.namespacedAsk.tools ?? []), ...(inputs.customAsk.tools ?? [])],
  };

  it('are told with their namespace in their name, and their input as an argument', () => {
    expect(withPlainTools(ask)).toEqual(outputs.plainAs);
  });

  it('have the grammar of their input in their description', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' };
    const custom = { is: 'custom' as const, name: 'p', description: 'Edits.', format };

    expect(withPlainTools({ ...bare, tools: [custom] }).tools).toMatchObject([
      { description: 'Edits.\n\nThe input must keep to this grammar (lark):\nstart: "a"' },
    ]);
  });

  it('were called so in earlier turns, too', () => {
    const call = { is: 'toolCall' as const, id: 'c', name: 'look', namespace: 'web', input: '{}' };
    const parts = [call, { ...call, isSearch: true }, { is: 'text' as const, text: 'A' }];

    expect(withPlainTools({ ...bare, messages: [{ role: 'assistant', parts }] }).messages).toEqual([
      {
        role: 'assistant',
        parts: [
          { is: 'toolCall', id: 'c', name: 'web__look', input: '{}' },
          { is: 'toolCall', id: 'c', name: 'web__look', input: '{}' },
          { is: 'text', text: 'A' },
        ],
      },
    ]);
  });

  it('are called as the caller knows them', () => {
    const restore = restoring(ask);
    const call = (index: number, name: string): AnswerEvent => ({
      ...{ is: 'toolCall', index, id: `c${index}`, name },
    });
    const input = (index: number, text: string): AnswerEvent => ({ is: 'toolInput', index, text });
    const told = [
      ...[call(0, 'web__look'), input(0, '{}'), call(1, 'web__open'), input(1, '{"input":')],
      ...[input(1, '"x"}'), call(2, 'tool_search'), input(2, '{"a":1}'), call(3, 'other')],
      ...[
        call(4, 'patch'),
        input(4, '"y"'),
        call(5, 'plain'),
        input(5, '{"z":1}'),
        call(6, 'patch'),
      ],
    ];

    const restored = [...told, { is: 'end', reason: 'toolCalls' } as const].flatMap(restore);

    expect(restored).toEqual([
      ...[{ ...call(0, 'look'), namespace: 'web' }, input(0, '{}')],
      { ...call(1, 'open'), namespace: 'web', isCustom: true },
      ...[{ ...call(2, 'tool_search'), isSearch: true }, input(2, '{"a":1}'), call(3, 'other')],
      { ...call(4, 'patch'), isCustom: true },
      { ...call(5, 'plain'), isCustom: true },
      { ...call(6, 'patch'), isCustom: true },
      ...[input(1, 'x'), input(4, 'y'), input(5, '{"z":1}')],
      { is: 'end', reason: 'toolCalls' },
    ]);
  });
});

describe('the end of an answer', () => {
  const text: AnswerEvent = { is: 'text', text: 'A' };
  const ends: [string, AnswerEvent[], object, object, object][] = [
    [
      'by its length',
      [text, { is: 'end', reason: 'length' }],
      { finish_reason: 'length' },
      { stop_reason: 'max_tokens', stop_sequence: null },
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    ],
    [
      'by a filter',
      [text, { is: 'end', reason: 'contentFilter' }],
      { finish_reason: 'content_filter' },
      { stop_reason: 'refusal', stop_sequence: null },
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
    ],
    [
      'by a stop sequence',
      [text, { is: 'end', reason: 'stop', stopSequence: 'END' }],
      { finish_reason: 'stop' },
      { stop_reason: 'stop_sequence', stop_sequence: 'END' },
      { status: 'completed', incomplete_details: null },
    ],
    [
      'by a refusal',
      [
        { is: 'refusal', text: 'R' },
        { is: 'end', reason: 'stop' },
      ],
      { finish_reason: 'stop' },
      { stop_reason: 'refusal', stop_sequence: null },
      { status: 'completed', incomplete_details: null },
    ],
  ];

  it.each(ends)(
    '%s is told in the words of each dialect',
    (_, events, ofChat, ofMessages, ofResponses) => {
      const last = (dialect: Dialect) => writtenBy(dialect.writer(bare), events).at(-1);

      expect(last(chat)?.['choices']).toEqual([{ index: 0, delta: {}, ...ofChat }]);
      expect(writtenBy(messages.writer(bare), events).at(-2)?.['delta']).toEqual(ofMessages);
      expect(last(responses)?.['response']).toMatchObject(ofResponses);
      expect(chat.writeAnswer(events, bare)['choices']).toMatchObject([ofChat]);
      expect(messages.writeAnswer(events, bare)).toMatchObject(ofMessages);
      expect(responses.writeAnswer(events, bare)).toMatchObject(ofResponses);
    },
  );

  it.each<[string | undefined, string, string, string]>([
    ['rate_limit_exceeded', 'rate_limit_exceeded', 'overloaded_error', 'rate_limit_exceeded'],
    ['budget_exceeded', 'budget_exceeded', 'overloaded_error', 'insufficient_quota'],
    [
      'context_length_exceeded',
      'context_length_exceeded',
      'invalid_request_error',
      'context_length_exceeded',
    ],
    ['invalid_request_error', 'invalid_request_error', 'invalid_request_error', 'invalid_prompt'],
    ['invalid_prompt', 'invalid_prompt', 'invalid_request_error', 'invalid_prompt'],
    ['content_filter', 'content_filter', 'invalid_request_error', 'invalid_prompt'],
    ['insufficient_quota', 'insufficient_quota', 'overloaded_error', 'insufficient_quota'],
    ['server_is_overloaded', 'server_is_overloaded', 'overloaded_error', 'server_is_overloaded'],
    ['slow_down', 'slow_down', 'overloaded_error', 'slow_down'],
    ['cyber_policy', 'cyber_policy', 'invalid_request_error', 'cyber_policy'],
    ['overloaded_error', 'overloaded_error', 'overloaded_error', 'server_error'],
    [undefined, 'model_unavailable', 'overloaded_error', 'server_error'],
  ])('by an error %s is told so', (code, ofChat, ofMessages, ofResponses) => {
    const events: AnswerEvent[] = [text, { is: 'error', message: 'No.', ...(code && { code }) }];
    const last = (dialect: Dialect) => writtenBy(dialect.writer(bare), events).at(-1);
    const chatError = { message: 'No.', type: 'server_error', param: null, code: ofChat };
    const messagesError = { type: 'error', error: { type: ofMessages, message: 'No.' } };
    const responsesError = { status: 'failed', error: { code: ofResponses, message: 'No.' } };

    expect(last(chat)).toEqual({ error: chatError });
    expect(last(messages)).toEqual(messagesError);
    expect(last(responses)?.['response']).toMatchObject(responsesError);
    expect(chat.writeAnswer(events, bare)).toEqual({ error: chatError });
    expect(messages.writeAnswer(events, bare)).toEqual(messagesError);
    expect(responses.writeAnswer(events, bare)).toMatchObject(responsesError);
  });
});

describe('what a dialect alone can say is refused by its place and name:', () => {
  const user = (content: unknown) => [{ role: 'user', content }];
  const chatWith = (body: Body): Body => ({ model: 'm', messages: [], ...body });
  const messagesWith = chatWith;
  const responsesWith = (body: Body): Body => ({ model: 'm', input: [], ...body });

  it.each<[Dialect, Body, (string | number)[], string]>([
    [chat, chatWith({ n: 2 }), ['n'], 'more than one choice'],
    [chat, chatWith({ tools: [{ type: 'x' }] }), ['tools', 0, 'type'], 'a tool of the type x'],
    [chat, chatWith({ tools: [{ type: 'custom' }] }), ['tools', 0, 'custom'], 'what is no object'],
    [
      chat,
      chatWith({ tools: [{ type: 'custom', custom: {} }] }),
      ['tools', 0, 'custom', 'name'],
      'what is no text',
    ],
    [
      chat,
      chatWith({ tools: [{ type: 'function' }] }),
      ['tools', 0, 'function'],
      'what is no object',
    ],
    [
      chat,
      chatWith({ tools: [{ type: 'function', function: {} }] }),
      ['tools', 0, 'function', 'name'],
      'what is no text',
    ],
    [
      chat,
      chatWith({ tool_choice: { type: 'function' } }),
      ['tool_choice'],
      'this choice of tools',
    ],
    [chat, chatWith({ top_p: 'x' }), ['top_p'], 'what is no number'],
    [chat, chatWith({ top_k: 'x' }), ['top_k'], 'what is no number'],
    [chat, chatWith({ stop: [1] }), ['stop'], 'what is no text'],
    [chat, chatWith({ reasoning_effort: 1 }), ['reasoning_effort'], 'what is no text'],
    [chat, chatWith({ verbosity: 1 }), ['verbosity'], 'what is no text'],
    [chat, chatWith({ user: 1 }), ['user'], 'what is no text'],
    [chat, chatWith({ prompt_cache_key: 1 }), ['prompt_cache_key'], 'what is no text'],
    [
      chat,
      chatWith({ response_format: { type: 'json_schema' } }),
      ['response_format', 'json_schema'],
      'what is no object',
    ],
    [
      chat,
      chatWith({ messages: user([{ type: 'input_audio' }]) }),
      ['messages', 0, 'content', 0, 'type'],
      'a part of the type input_audio',
    ],
    [
      chat,
      chatWith({ messages: [{ role: 'assistant', audio: {} }] }),
      ['messages', 0, 'audio'],
      'an earlier spoken answer',
    ],
    [
      chat,
      chatWith({ messages: [{ role: 'assistant', function_call: {} }] }),
      ['messages', 0, 'function_call'],
      'function_call, which tool_calls replaced,',
    ],
    [
      chat,
      chatWith({ messages: [{ role: 'system', content: [{ type: 'image_url', image_url: {} }] }] }),
      ['messages', 0, 'content', 0],
      'a part of the type image here',
    ],
    [messages, messagesWith({ container: 'c' }), ['container'], 'container'],
    [messages, messagesWith({ mcp_servers: [{}] }), ['mcp_servers'], 'mcp_servers'],
    [
      messages,
      messagesWith({ tools: [{ type: 'bash_20250124' }] }),
      ['tools', 0, 'type'],
      'a tool of the type bash_20250124, which only models of Messages know,',
    ],
    [
      messages,
      messagesWith({ tool_choice: { type: 'tool', name: 'x' } }),
      ['tool_choice', 'name'],
      'the tool x',
    ],
    [
      messages,
      messagesWith({ tool_choice: { type: 'any' } }),
      ['tool_choice'],
      'a tool that it asks for',
    ],
    [
      messages,
      messagesWith({ system: [{ type: 'image' }] }),
      ['system', 0, 'type'],
      'a block of the type image here',
    ],
    [
      messages,
      messagesWith({ messages: user([{ type: 'x' }]) }),
      ['messages', 0, 'content', 0, 'type'],
      'a block of the type x',
    ],
    [
      messages,
      messagesWith({ messages: user([{ type: 'image', source: { type: 'file' } }]) }),
      ['messages', 0, 'content', 0, 'source', 'type'],
      'a source of the type file',
    ],
    [
      messages,
      messagesWith({ messages: user([{ type: 'tool_result', content: [{ type: 'x' }] }]) }),
      ['messages', 0, 'content', 0, 'content', 0, 'type'],
      'a block of the type x',
    ],
    [
      messages,
      messagesWith({
        messages: user([
          { type: 'document', source: { type: 'content', content: [{ type: 'x' }] } },
        ]),
      }),
      ['messages', 0, 'content', 0, 'source', 'content', 0, 'type'],
      'a block of the type x',
    ],
    [
      messages,
      messagesWith({ messages: [{ role: 'assistant', content: [{ type: 'x' }] }] }),
      ['messages', 0, 'content', 0, 'type'],
      'a block of the type x',
    ],
    [
      messages,
      messagesWith({ messages: [{ role: 'system', content: [{ type: 'x' }] }] }),
      ['messages', 0, 'content', 0, 'type'],
      'a block of the type x here',
    ],
    [
      responses,
      responsesWith({ include: ['reasoning.encrypted_content', 'x'] }),
      ['include', 1],
      'x',
    ],
    [responses, responsesWith({ truncation: 'auto' }), ['truncation'], 'truncation of the input'],
    [
      responses,
      responsesWith({ top_logprobs: 1 }),
      ['top_logprobs'],
      'a list of log probabilities',
    ],
    [
      responses,
      responsesWith({ previous_response_id: 'x' }),
      ['previous_response_id'],
      'previous_response_id',
    ],
    [
      responses,
      responsesWith({ tools: [{ type: 'tool_search' }] }),
      ['tools', 0, 'type'],
      'a search of tools that the provider runs',
    ],
    [
      responses,
      responsesWith({ tools: [{ type: 'web_search' }] }),
      ['tools', 0, 'type'],
      'a tool of the type web_search',
    ],
    [
      responses,
      responsesWith({ tools: [{ type: 'namespace', tools: [{ type: 'x' }] }] }),
      ['tools', 0, 'tools', 0, 'type'],
      'a tool of the type x',
    ],
    [
      responses,
      responsesWith({ tool_choice: { type: 'web_search' } }),
      ['tool_choice'],
      'this choice of tools',
    ],
    [
      responses,
      responsesWith({ text: { format: { type: 'x' } } }),
      ['text', 'format', 'type'],
      'the format x',
    ],
    [
      responses,
      responsesWith({ input: [{ type: 'additional_tools', tools: [{ type: 'x' }] }] }),
      ['input', 0, 'tools', 0, 'type'],
      'a tool of the type x',
    ],
    [
      responses,
      responsesWith({ input: [{ type: 'compaction' }] }),
      ['input', 0, 'type'],
      'an item of the type compaction',
    ],
    [
      responses,
      responsesWith({ input: user([{ type: 'x' }]) }),
      ['input', 0, 'content', 0, 'type'],
      'a part of the type x',
    ],
    [
      responses,
      responsesWith({ input: [{ type: 'function_call_output', output: [{ type: 'x' }] }] }),
      ['input', 0, 'output', 0, 'type'],
      'a part of the type x',
    ],
    [
      responses,
      responsesWith({
        input: [{ role: 'assistant', content: [{ type: 'input_image', image_url: 'x' }] }],
      }),
      ['input', 0, 'content', 0, 'type'],
      'a part of the type input_image here',
    ],
    [
      responses,
      responsesWith({
        input: [{ role: 'system', content: [{ type: 'input_image', image_url: 'x' }] }],
      }),
      ['input', 0, 'content', 0],
      'a part of the type image here',
    ],
  ])('%# %j %j', (dialect, body, place, what) => {
    const loc = ['body', ...place];
    const msg = expect.stringContaining(`${what} is not available for this model`);

    expect(() => dialect.readRequest(body)).toThrow(
      expect.objectContaining({ fields: [expect.objectContaining({ loc, msg })] }),
    );
  });
});
