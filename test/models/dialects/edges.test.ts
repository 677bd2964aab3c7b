import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../shared/http/errors.ts';
import type { AnswerBytes } from '../../../shared/models/answer-bytes.ts';
import type { Ask, AssistantPart } from '../../../shared/models/dialects/ask.ts';
import { chat } from '../../../shared/models/dialects/chat/chat.ts';
import type { AnswerEvent, Body } from '../../../shared/models/dialects/dialect.ts';
import { embeddings, meteredEmbeddings } from '../../../shared/models/dialects/embeddings.ts';
import { messages } from '../../../shared/models/dialects/messages/messages.ts';
import { outputSchema } from '../../../shared/models/dialects/messages/output-schema.ts';
import { isForeign as isForeignToClaude } from '../../../shared/models/dialects/messages/wire.ts';
import { meteredOf } from '../../../shared/models/dialects/metered.ts';
import {
  encryptedContentOf,
  isForeign,
  sealOf,
} from '../../../shared/models/dialects/responses/encrypted-content.ts';
import { responses } from '../../../shared/models/dialects/responses/responses.ts';
import { translateResponse } from '../../../shared/models/dialects/translate.ts';
import { readBy } from './answers.ts';
import { plainModel } from './asks.ts';

const bare: Ask = { model: 'm', messages: [], stream: false };
const failure = new ServiceError(503, 'model_unavailable', 'It broke.');
const broken = expect.objectContaining({ code: 'model_unavailable' });

it('each dialect has its own route, and its own name for the limit of an answer', () => {
  expect(
    [chat, responses, messages, embeddings].map(({ path, limitName }) => [path, limitName]),
  ).toEqual([
    ['/chat/completions', 'max_tokens'],
    ['/responses', 'max_output_tokens'],
    ['/messages', 'max_tokens'],
    ['/embeddings', 'max_tokens'],
  ]);
});

describe('what proves a thought', () => {
  it.each([
    [{ signature: 's' }, 'signature:s'],
    [{ encrypted: 'x' }, 'redacted:x'],
    [{ encrypted: 'responses:gAAA' }, 'gAAA'],
    [{}, undefined],
  ])('%j is carried as %j, and read again', (seal, content) => {
    expect(encryptedContentOf(seal)).toBe(content);
    expect(sealOf(content)).toEqual(seal);
  });

  it.each(['', null, undefined, 7])('is nothing in %j', (content) => {
    expect(sealOf(content)).toEqual({});
    expect(isForeign(content)).toBe(false);
  });

  it('goes back to a provider of Responses if it is its own', () => {
    const thought = (encrypted_content: unknown) => ({ type: 'reasoning', encrypted_content });
    const input = ['signature:s', 'gAAA', 'redacted:x', null].map(thought);
    const body = { model: 'm', metadata: { a: 'b' }, input };

    expect(responses.sent?.(body)).toEqual({
      ...{ model: 'm', input: [thought('gAAA'), thought(null)] },
    });
    expect(responses.sent?.({ model: 'm', input: 'hi' })).toEqual({ model: 'm', input: 'hi' });
  });

  it('goes back to Claude if no other sealed it', () => {
    const seals = [{ signature: 'chat:e30' }, { data: 'responses:gAAA' }, { data: 'chat:e30' }];

    expect(seals.map(isForeignToClaude)).toEqual([true, true, true]);
    expect([{ signature: 'EqQB' }, { data: 'EmwK' }, {}].map(isForeignToClaude)).toEqual([
      ...[false, false, false],
    ]);
  });

  it('is written for a provider of Responses with its id, and its text if it has one', () => {
    const sealed = { is: 'thought' as const, encrypted: 'responses:gAAA' };
    const parts: AssistantPart[] = [
      { ...sealed, text: 'hm', id: 'rs_1' },
      { ...sealed, text: '' },
      { is: 'thought', text: 'hm', signature: 'EqQB' },
      { is: 'thought', text: 'hm', encrypted: 'EmwK' },
    ];

    const { input } = responses.writeRequest(
      { ...bare, messages: [{ role: 'assistant', parts }] },
      plainModel,
    );

    expect(input).toEqual([
      {
        ...{ type: 'reasoning', id: 'rs_1', encrypted_content: 'gAAA' },
        summary: [{ type: 'summary_text', text: 'hm' }],
      },
      { type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
    ]);
  });
});

describe('embeddings', () => {
  it.each<[string, unknown, object[]]>([
    ['a text', 'hi', [{ content: 'hi' }]],
    ['texts', ['a', 'b'], [{ content: 'a' }, { content: 'b' }]],
    ['tokens', [15496, 995], [{ content: '', tokens: [15496, 995] }]],
    [
      'lists of tokens',
      [[1], [2, 3]],
      [1, 2].map((n) => ({ content: '', tokens: n < 2 ? [1] : [2, 3] })),
    ],
  ])('of %s are measured by each input', (_, input, measured) => {
    expect(embeddings.sized({ model: 'm', input, dimensions: 3 })).toEqual({
      ...{ model: 'm', dimensions: 3, messages: measured },
    });
  });

  it('are metered by their prompt, and by nothing where a server counts none', () => {
    const usage = { prompt_tokens: 5, total_tokens: 5 };
    const choices = [{ index: 0, finish_reason: 'stop' }];

    expect(meteredEmbeddings({ model: 'm', usage: usage as never, data: [] })).toEqual({
      ...{ model: 'm', error: undefined, choices, usage: { ...usage, completion_tokens: 0 } },
    });
    expect(meteredEmbeddings({ model: 'm', usage: { prompt_tokens: 0 } as never })).toEqual({
      ...{ model: 'm', error: undefined },
    });
  });
});

it('all pieces of an answer are metered as one choice', () => {
  const events: AnswerEvent[] = [
    { is: 'start', model: 'm' },
    { is: 'thought', text: 'hm' },
    { is: 'signature', signature: 's' },
    { is: 'text', text: 'A' },
    { is: 'refusal', text: 'R' },
    { is: 'toolCall', index: 1, id: 'c', name: 'look' },
    { is: 'toolInput', index: 1, text: '{}' },
    { is: 'error', message: 'No.', code: 'x' },
    { is: 'end', reason: 'contentFilter' },
  ];
  const call = (fn: object, told = {}) => ({ tool_calls: [{ index: 1, ...told, function: fn }] });

  expect(meteredOf(events)).toEqual({
    model: 'm',
    error: { message: 'No.', code: 'x' },
    choices: [
      { index: 0, delta: { reasoning_content: 'hm' } },
      { index: 0, delta: { content: 'A' } },
      { index: 0, delta: { refusal: 'R' } },
      { index: 0, delta: call({ name: 'look', arguments: '' }, { id: 'c', type: 'function' }) },
      { index: 0, delta: call({ arguments: '{}' }) },
      { index: 0, finish_reason: 'content_filter' },
    ],
  });
  expect(meteredOf([{ is: 'start' }])).toEqual({});
});

describe('a chat completion', () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });

  it('that says [DONE] before any content has not ended', () => {
    const reader = chat.reader();
    reader.read(chunk({ role: 'assistant', content: '' }));
    reader.done?.();

    expect(reader.isOver).toBe(false);
    expect(reader.finish()).toEqual([]);
  });

  it('that says [DONE] after its reason keeps that reason', () => {
    const reader = chat.reader();
    reader.read(chunk({ content: 'A' }, 'length'));
    reader.done?.();

    expect(reader.finish()).toEqual([{ is: 'end', reason: 'length' }]);
  });

  it.each<[string, object]>([
    ['a text', { content: 'A' }],
    ['a refusal', { refusal: 'R' }],
    ['a call', { tool_calls: [{ index: 0, id: 'c', function: { name: 'f' } }] }],
    ['a call of the old kind', { function_call: { name: 'f' } }],
  ])('seals its thought before %s, and not within it', (_, delta) => {
    const { events, is } = readWith([
      { reasoning: 'h', tool_calls: [] },
      { reasoning: 'm' },
      delta,
    ]);

    expect(is.slice(0, 4)).toEqual(['start', 'thought', 'thought', 'signature']);
    expect(is[4]).not.toBe('signature');
    expect(events.filter((event) => event.is === 'signature')).toHaveLength(1);
  });

  it.each([null, '', 0, { text: 'R' }])('whose refusal is %j refuses nothing', (refusal) => {
    expect(readWith([{ refusal, content: 'A' }]).is).toEqual(['start', 'text']);
  });

  function readWith(deltas: object[]) {
    const reader = chat.reader('m');
    const events = deltas.flatMap((delta) => reader.read(chunk(delta) as Body));
    return { events, is: events.map((event) => event.is) };
  }
});

describe('Messages', () => {
  const start = { type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: 3 } } };
  const begun = { type: 'content_block_start', index: 0, content_block: { type: 'text' } };

  it('that are cut end their block and say that there is no sequence', () => {
    const reader = messages.reader();
    readBy(reader, [start, begun]);

    expect(dataIn(reader.cut({ promptTokens: 3, outputTokens: 9 }))).toEqual([
      { type: 'content_block_stop', index: 0 },
      {
        ...{ type: 'message_delta', delta: { stop_reason: 'max_tokens', stop_sequence: null } },
        usage: expect.objectContaining({ input_tokens: 3, output_tokens: 9 }),
      },
      { type: 'message_stop' },
    ]);
    expect(reader.isOver).toBe(true);
  });

  it('that fail are over', () => {
    const reader = messages.reader();
    readBy(reader, [start]);

    expect(reader.fail(failure)).toMatch(/^event: error\ndata: \{"type":"error"/);
    expect(reader.isOver).toBe(true);
    expect(() => reader.read(begun)).toThrow(broken);
  });

  it('in one piece tell no usage that is our own estimate, and the reason of their end', () => {
    const answer = { id: 'msg_1', content: [{ type: 'text', text: 'A' }], stop_reason: 'refusal' };
    const usage = { input_tokens: 3, output_tokens: 4 };
    const read = (rest: object) => messages.readAnswer({ ...answer, ...rest }).map(({ is }) => is);

    expect(read({ usage })).toEqual(['start', 'text', 'usage', 'end']);
    expect(read({ usage: { ...usage, estimated: true } })).toEqual(['start', 'text', 'end']);
    expect(messages.readAnswer(answer).at(-1)).toEqual({ is: 'end', reason: 'contentFilter' });
    const unsaid = { ...answer, stop_reason: undefined };
    expect(messages.readAnswer(unsaid).at(-1)).toEqual({ is: 'end', reason: 'stop' });
  });

  it('whose call goes on after it was whole are mixed up, unless by space alone', () => {
    const write = (late: string) => {
      const writer = messages.writer(bare);
      const events: AnswerEvent[] = [
        { is: 'toolCall', index: 0, id: 'c', name: 'f' },
        { is: 'toolInput', index: 0, text: '{}' },
        { is: 'text', text: 'A' },
        { is: 'toolInput', index: 0, text: late },
      ];
      return events.map((event) => writer.write(event)).at(-1);
    };

    expect(write('\n')).toBe('');
    expect(() => write('{"a":1}')).toThrow(broken);
  });

  it('open their answer once the model is known, and not for an error', () => {
    const writer = messages.writer(bare);

    expect(writer.write({ is: 'error', message: 'No.' })).toMatch(/^event: error/);
    expect(writer.write({ is: 'text', text: 'A' })).toMatch(
      /^event: message_start\n.*\n\nevent: content_block_start\n.*\n\nevent: content_block_delta\n/,
    );
    expect(writer.write({ is: 'text', text: 'B' })).toMatch(/^event: content_block_delta\n/);
  });

  it.each<[Partial<Ask>, object | undefined]>([
    [{}, undefined],
    [{ parallelToolCalls: true }, undefined],
    [{ parallelToolCalls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [{ toolChoice: 'auto' }, { type: 'auto' }],
    [{ toolChoice: 'none', parallelToolCalls: false }, { type: 'none' }],
    [{ toolChoice: 'required' }, { type: 'any' }],
    [{ toolChoice: { name: 'f' } }, { type: 'tool', name: 'f' }],
    [
      { toolChoice: { name: 'f' }, parallelToolCalls: false },
      { type: 'tool', name: 'f', disable_parallel_tool_use: true },
    ],
  ])('are asked with a choice of tools %j as %j', (rest, choice) => {
    const tools = [{ is: 'function' as const, name: 'f' }];

    const { tool_choice } = messages.writeRequest({ ...bare, tools, ...rest }, plainModel);

    expect(tool_choice).toEqual(choice);
  });

  it('leave out texts without a word, on either side', () => {
    const blank = { is: 'text' as const, text: ' \n' };
    const { messages: written } = messages.writeRequest(
      {
        ...bare,
        messages: [
          { role: 'user', parts: [blank, { is: 'text', text: 'hi' }] },
          { role: 'assistant', parts: [blank] },
          { role: 'tool', callId: 'functions.look:0', parts: [blank] },
        ],
      },
      plainModel,
    );

    expect(written).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'tool_result', tool_use_id: 'functions_look_0' },
        ],
      },
    ]);
  });

  it.each<[object, object]>([
    [
      { type: 'array', minItems: 0 },
      { type: 'array', minItems: 0 },
    ],
    [
      { type: 'array', minItems: 1 },
      { type: 'array', minItems: 1 },
    ],
    [
      { type: 'string', format: 'uuid' },
      { type: 'string', format: 'uuid' },
    ],
    [
      { type: 'string', format: 'iri' },
      { type: 'string', description: '{format: "iri"}' },
    ],
    [
      { const: 1, title: 'T', default: 1 },
      { const: 1, title: 'T', default: 1 },
    ],
    [
      { enum: ['a'], maxItems: 1 },
      { enum: ['a'], description: '{maxItems: 1}' },
    ],
    [
      { type: ['object', 'null'], additionalProperties: false },
      { type: ['object', 'null'], properties: {}, additionalProperties: false },
    ],
    [
      { type: 'object', additionalProperties: true },
      {
        ...{ type: 'object', properties: {}, additionalProperties: false },
        description: '{additionalProperties: true}',
      },
    ],
    [
      { allOf: [{ type: 'string', minLength: 1 }], definitions: { a: { pattern: 'x' } } },
      {
        allOf: [{ type: 'string', description: '{minLength: 1}' }],
        definitions: { a: { description: '{pattern: "x"}' } },
      },
    ],
  ])('have the schema %j as %j', (schema, written) => {
    expect(outputSchema(schema)).toEqual(written);
  });
});

describe('Responses', () => {
  const created = { type: 'response.created', response: { id: 'resp_1', model: 'm' } };

  it.each<[string, Body]>([
    ['top_logprobs', { top_logprobs: 0 }],
    ['nothing to be included', { include: ['reasoning.encrypted_content'] }],
    ['no truncation', { truncation: 'disabled', background: false, previous_response_id: null }],
  ])('are read by other dialects with %s', (_, rest) => {
    expect(responses.readRequest({ model: 'm', input: [], ...rest })).toEqual(bare);
  });

  it.each<Body>([
    ...[{ top_logprobs: 1 }, { truncation: 'auto' }, { include: ['message.output_text.logprobs'] }],
    ...[{ background: true }, { previous_response_id: 'resp_0' }],
  ])('are refused by other dialects with %j', (rest) => {
    expect(() => responses.readRequest({ model: 'm', input: [], ...rest })).toThrow(
      expect.objectContaining({
        fields: [expect.objectContaining({ loc: expect.arrayContaining(Object.keys(rest)) })],
      }),
    );
  });

  it('have empty contents where a message or an output says nothing', () => {
    const input = [
      { role: 'user', content: '' },
      { type: 'message', role: 'assistant', content: '' },
      { type: 'function_call_output', call_id: 'c', output: '' },
      { role: 'user' },
    ];

    expect(responses.readRequest({ model: 'm', input }).messages).toEqual([
      { role: 'user', parts: [] },
      { role: 'assistant', parts: [] },
      { role: 'tool', callId: 'c', parts: [] },
      { role: 'user', parts: [] },
    ]);
  });

  it('are measured with the parts and items that a provider reads', () => {
    const picture = { type: 'input_image', image_url: 'data:image/png;base64,AA==' };
    const file = {
      type: 'input_file',
      filename: 'a.pdf',
      file_data: 'data:application/pdf;base64,AA==',
    };
    const sized = responses.sized({
      ...{ model: 'm', instructions: 'Be brief.', max_output_tokens: 7, store: false },
      text: { verbosity: 'low' },
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'a' }, picture, file] },
        { role: 'user', content: [{ type: 'input_file', file_url: 'https://a.example/a.pdf' }] },
        { type: 'function_call_output', call_id: 'c', output: [picture] },
        { type: 'custom_tool_call_output', call_id: 'd', output: 'done' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'compaction', encrypted_content: 'gAAA' },
      ],
    });

    expect(sized).toEqual({
      ...{ model: 'm', max_tokens: 7, response_format: { verbosity: 'low' } },
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { ...picture, type: 'image_url' },
            { type: 'file', filename: 'a.pdf', file: { file_data: file.file_data } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'file', file: { file_data: 'https://a.example/a.pdf' } }],
        },
        { call_id: 'c', content: [{ ...picture, type: 'image_url' }] },
        { call_id: 'd', content: 'done' },
        { said: { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' } },
        { content: [{ type: 'compaction', encrypted_content: 'gAAA' }] },
      ],
    });
    expect(responses.sized({ model: 'm', input: 'hi' })).toEqual({
      ...{ model: 'm', messages: [{ role: 'user', content: 'hi' }] },
    });
  });

  it('tell each part of a summary apart, and say nothing twice where an item is told whole', () => {
    const place = { output_index: 0 };
    const item = { type: 'reasoning', id: 'rs_1', encrypted_content: 'gAAA' };
    const part = (summary_index: number, delta: string) => ({
      ...{ type: 'response.reasoning_summary_text.delta', ...place, summary_index, delta },
    });
    const summary = ['ab', 'c', 'd'].map((text) => ({ type: 'summary_text', text }));
    const events = readBy(responses.reader(), [
      ...[created, { type: 'response.output_item.added', ...place, item }],
      ...[part(0, 'a'), part(0, 'b'), part(1, 'c')],
      { type: 'response.output_item.done', ...place, item: { ...item, summary } },
    ]);

    expect(events.slice(1)).toEqual([
      { is: 'thought', text: 'a' },
      { is: 'thought', text: 'b' },
      { is: 'thought', text: '\n\nc' },
      { is: 'thought', text: '\n\nd' },
      { is: 'signature', encrypted: 'responses:gAAA' },
    ]);
  });

  it('seal no message, and no thought that its provider can read by itself', () => {
    const ended = (item: object) =>
      readBy(responses.reader(), [
        ...[created, { type: 'response.output_item.done', output_index: 0, item }],
      ]).map(({ is }) => is);

    expect(ended({ type: 'message', content: [], encrypted_content: 'gAAA' })).toEqual(['start']);
    expect(ended({ type: 'reasoning', summary: [] })).toEqual(['start']);
    expect(ended({ type: 'reasoning', encrypted_content: 'gAAA' })).toEqual(['start', 'signature']);
  });

  it.each<[unknown, string, AnswerEvent['is'][]]>([
    ['completed', 'stop', ['start', 'end']],
    ['incomplete', 'length', ['start', 'end']],
    ['in_progress', '', ['start']],
    [undefined, '', ['start']],
    ['failed', '', ['start', 'error']],
  ])('in one piece whose status is %j', (status, reason, is) => {
    const error = status === 'failed' ? { message: 'No.', code: 'x' } : null;
    const events = responses.readAnswer({ status, error, output: [] });

    expect(events.map((event) => event.is)).toEqual(is);
    if (reason) expect(events.at(-1)).toEqual({ is: 'end', reason });
  });
});

it('an answer that is read whole is counted as it grows', async () => {
  const held: number[] = [];
  const bytes = { hold: async (length: number) => held.push(length) } as unknown as AnswerBytes;
  const text = JSON.stringify({ choices: [{ message: { content: 'hello' } }] });
  const body = new ReadableStream({
    start: (controller) => {
      for (const piece of [text.slice(0, 10), text.slice(10)]) {
        controller.enqueue(Buffer.from(piece));
      }
      controller.close();
    },
  });

  const response = translateResponse(new Response(body), chat, messages, bare, bytes);

  expect(await response.json()).toMatchObject({ content: [{ type: 'text', text: 'hello' }] });
  expect(held).toEqual([10, text.length]);
});

const dataIn = (text: string): unknown[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json));
