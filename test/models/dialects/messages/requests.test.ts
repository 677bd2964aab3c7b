import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UnprocessableEntityError } from '../../../../shared/http/errors.ts';
import type { Model } from '../../../../shared/models/catalogue.ts';
import type { Ask, AskMessage, AssistantPart } from '../../../../shared/models/dialects/ask.ts';
import { chat } from '../../../../shared/models/dialects/chat/chat.ts';
import type { Body } from '../../../../shared/models/dialects/dialect.ts';
import { messages } from '../../../../shared/models/dialects/messages/messages.ts';
import { outputSchema } from '../../../../shared/models/dialects/messages/output-schema.ts';
import { maxPromptTokens } from '../../../../shared/models/token-bounds.ts';

const model: Model = {
  id: 'claude',
  upstreams: [{ upstream: 'anthropic', model: 'claude' }],
  contextWindow: 200_000,
  maxOutputTokens: 64_000,
  maxImageTokens: 1_600,
  reasoning: true,
  usdPerMillionTokens: { input: 1, cachedInput: 0.1, cacheWrite: 1.25, cacheWrite1h: 2, output: 5 },
};

const said = (content: unknown): Body => ({
  model: 'claude',
  max_tokens: 100,
  messages: [{ role: 'user', content }],
});

/** Claude refuses blank text, which is left out. */
const text = fc.string({ minLength: 1, maxLength: 20 }).filter((each) => each.trim() !== '');
const name = fc.stringMatching(/^[a-z]{1,8}$/);
const cache = fc.constantFrom({}, { cache: '5m' as const }, { cache: '1h' as const });
const textPart = fc
  .tuple(text, cache)
  .map(([each, cached]) => ({ is: 'text' as const, text: each, ...cached }));
const filePart = fc.constantFrom(
  { is: 'image' as const, url: 'data:image/png;base64,AAAA' },
  { is: 'image' as const, url: 'https://example.com/a.png' },
  { is: 'file' as const, url: 'data:application/pdf;base64,AAAA', name: 'a.pdf' },
  { is: 'file' as const, url: 'https://example.com/a.pdf' },
);
const parts = fc.array(fc.oneof(textPart, filePart), { minLength: 1, maxLength: 3 });
const assistantParts: fc.Arbitrary<AssistantPart[]> = fc.array(
  fc.oneof<fc.Arbitrary<AssistantPart>[]>(
    textPart,
    fc
      .tuple(text, fc.base64String({ minLength: 4 }))
      .map(([each, signature]) => ({ is: 'thought', text: each, signature })),
    fc.base64String({ minLength: 4 }).map((encrypted) => ({ is: 'thought', text: '', encrypted })),
  ),
  { minLength: 1, maxLength: 3 },
);

/** A turn of each side, and one with calls of tools and their results between them. */
const turns: fc.Arbitrary<AskMessage[]> = fc
  .array(fc.tuple(parts, assistantParts, fc.array(fc.tuple(name, parts), { maxLength: 2 })), {
    minLength: 1,
    maxLength: 3,
  })
  .map((list) =>
    list.flatMap(([asked, answered, calls]): AskMessage[] => {
      const called = calls.map(([tool], index) => ({
        is: 'toolCall' as const,
        id: `toolu_${index}`,
        name: tool,
        input: JSON.stringify({ tool }),
      }));
      const results = calls.map(
        ([, result], index): AskMessage => ({
          role: 'tool',
          callId: `toolu_${index}`,
          parts: result,
          ...(index === 1 && { isError: true }),
        }),
      );
      const answer = { role: 'assistant' as const, parts: [...answered, ...called] };
      const rest: AskMessage[] =
        results.length > 0 ? [...results, { role: 'assistant', parts: answered }] : [];
      return [{ role: 'user', parts: asked }, answer, ...rest];
    }),
  );

const question: fc.Arbitrary<Ask> = fc
  .record(
    {
      model: fc.constant('claude'),
      system: fc.option(fc.array(textPart, { minLength: 1, maxLength: 2 }), { nil: undefined }),
      turns,
      stream: fc.boolean(),
      maxOutputTokens: fc.integer({ min: 1, max: 64_000 }),
      temperature: fc.constantFrom(0, 0.5, 1),
      topP: fc.constantFrom(0.1, 1),
      topK: fc.nat({ max: 100 }),
      stop: fc.array(text, { minLength: 1, maxLength: 2 }),
      user: text,
    },
    { requiredKeys: ['model', 'system', 'turns', 'stream', 'maxOutputTokens'] },
  )
  .map(({ system, turns: list, ...rest }) => ({
    ...rest,
    messages: [...(system ? [{ role: 'system' as const, parts: system }] : []), ...list],
  }));

describe('a request', () => {
  it('is the same when it is written and read again', () => {
    fc.assert(
      fc.property(question, (ask) => {
        expect(messages.readRequest(messages.writeRequest(ask, model))).toEqual(ask);
      }),
    );
  });

  it('has turns that alternate', () => {
    fc.assert(
      fc.property(question, (ask) => {
        const body = messages.writeRequest(ask, model);

        const roles = (body['messages'] as Body[]).map(({ role }) => role);
        for (const [index, role] of roles.entries()) expect(role).not.toBe(roles[index + 1]);
      }),
    );
  });

  const tools = [
    { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} } },
  ];

  it.each<[object, object]>([
    [{ type: 'auto' }, { toolChoice: 'auto' }],
    [
      { type: 'any', disable_parallel_tool_use: true },
      { toolChoice: 'required', parallelToolCalls: false },
    ],
    [{ type: 'tool', name: 'look' }, { toolChoice: { name: 'look' } }],
    [{ type: 'none' }, { toolChoice: 'none' }],
  ])('has the choice of tools %j both ways', (tool_choice, expected) => {
    const ask = messages.readRequest({ ...said('hi'), tools, tool_choice });

    expect(ask).toMatchObject(expected);
    expect(messages.writeRequest(ask, model)).toMatchObject({ tools, tool_choice });
  });

  it('refuses tools that Claude alone knows, for others', () => {
    const known = { type: 'bash_20250124', name: 'bash' };

    expect(
      refusal(() => messages.readRequest({ ...said('hi'), tools: [...tools, known] })),
    ).toEqual(['body', 'tools', tools.length, 'type']);
    expect(
      refusal(() =>
        messages.readRequest({
          ...{ ...said('hi'), tools, tool_choice: { type: 'tool', name: 'bash' } },
        }),
      ),
    ).toEqual(['body', 'tool_choice', 'name']);
  });

  it('names calls of tools by signs that Claude takes', () => {
    const call = { is: 'toolCall' as const, id: 'functions.look:0', name: 'look', input: '{}' };
    const ask: Ask = {
      model: 'claude',
      stream: false,
      messages: [
        { role: 'assistant', parts: [call] },
        { role: 'tool', callId: call.id, parts: [] },
      ],
    };

    expect(messages.writeRequest(ask, model)['messages']).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'functions_look_0', name: 'look', input: {} }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions_look_0' }] },
    ]);
  });

  it('puts results of tools before what is said beside', () => {
    const { messages: read } = messages.readRequest(
      said([
        { type: 'text', text: 'beside' },
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'one', is_error: true },
        { type: 'tool_result', tool_use_id: 'toolu_2' },
      ]),
    );

    expect(read).toEqual([
      { role: 'tool', callId: 'toolu_1', parts: [{ is: 'text', text: 'one' }], isError: true },
      { role: 'tool', callId: 'toolu_2', parts: [] },
      { role: 'user', parts: [{ is: 'text', text: 'beside' }] },
    ]);
  });

  it('hands images in results of tools to chat completions after all results', () => {
    const ask = messages.readRequest(
      said([
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [
            { type: 'text', text: 'a screen' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          ],
        },
        { type: 'tool_result', tool_use_id: 'toolu_2', content: 'two' },
        { type: 'text', text: 'beside' },
      ]),
    );

    expect(chat.writeRequest(ask, model)['messages']).toEqual([
      { role: 'tool', tool_call_id: 'toolu_1', content: 'a screen' },
      { role: 'tool', tool_call_id: 'toolu_2', content: 'two' },
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
      },
      { role: 'user', content: 'beside' },
    ]);
  });

  it.each<[string, Body]>([
    ['text', { type: 'document', title: 'T', source: { type: 'text', data: 'words' } }],
    ['blocks', { type: 'document', source: { type: 'content', content: 'words' } }],
  ])('has documents of %s as text', (_, document) => {
    const [message] = messages.readRequest(said([document])).messages;

    expect(message).toMatchObject({ parts: [{ text: expect.stringMatching(/words$/) }] });
  });

  it.each<[string, unknown, (string | number)[]]>([
    ['a kind of blocks', [{ type: 'container_upload' }], ['messages', 0, 'content', 0, 'type']],
    [
      'a source of files',
      [{ type: 'image', source: { type: 'file', file_id: 'f' } }],
      ['messages', 0, 'content', 0, 'source', 'type'],
    ],
  ])('refuses %s by its place where another dialect has no word for it', (_, content, place) => {
    expect(refusal(() => messages.readRequest(said(content)))).toEqual(['body', ...place]);
  });

  it('refuses a system that is more than text', () => {
    const system = [{ type: 'text', text: 'a' }, { type: 'image' }];

    expect(refusal(() => messages.readRequest({ ...said('hi'), system }))).toEqual([
      ...['body', 'system', 1, 'type'],
    ]);
  });

  it.each<[Partial<Ask>, (string | number)[]]>([
    [{ temperature: 1.5 }, ['temperature']],
    [{ tools: [{ is: 'custom', name: 'patch' }] }, ['tools', 0, 'type']],
  ])('refuses what Claude can’t be told: %j', (rest, place) => {
    const ask: Ask = { model: 'claude', messages: [], stream: false, ...rest };

    expect(refusal(() => messages.writeRequest(ask, model))).toEqual(['body', ...place]);
  });

  it('asks for JSON by its schema, or by words', () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const format = { is: 'schema' as const, name: 'answer', schema, strict: true };
    const ask: Ask = { model: 'claude', messages: [], stream: false, format };

    const body = messages.writeRequest(ask, model);
    const { output_config: config, ...rest } = body;

    expect(config).toEqual({ format: { type: 'json_schema', schema } });
    expect(messages.readRequest(body).format).toEqual(format);
    const old = { ...rest, output_format: { type: 'json_schema', schema } };
    expect(messages.readRequest(old).format).toEqual(format);
    expect(messages.writeRequest({ ...ask, format: { is: 'json' } }, model)['system']).toEqual([
      { type: 'text', text: expect.stringContaining('JSON') },
    ]);
  });
});

it('sends a key as Anthropic takes it, and both ways elsewhere', () => {
  const own = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };

  expect(messages.headers?.('k', 'https://api.anthropic.com/v1')).toEqual({
    ...own,
    authorization: null,
  });
  expect(messages.headers?.('k', 'https://anthropic.com.example/v1')).toEqual(own);
});

describe('the schema of an answer', () => {
  it('is written in the words that Claude takes, and the others in its description', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: 9, description: 'A name.' },
        when: { type: 'string', format: 'date' },
        tags: { type: 'array', minItems: 2, items: { $ref: '#/$defs/tag' } },
        one: { oneOf: [{ type: 'object' }, { type: 'null' }] },
      },
      required: ['name'],
      $defs: { tag: { type: 'integer', minimum: 1 } },
    };

    expect(outputSchema(schema)).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'A name.\n\n{maxLength: 9}' },
        when: { type: 'string', format: 'date' },
        tags: { type: 'array', items: { $ref: '#/$defs/tag' }, description: '{minItems: 2}' },
        one: {
          anyOf: [
            { type: 'object', properties: {}, additionalProperties: false },
            { type: 'null' },
          ],
        },
      },
      required: ['name'],
      additionalProperties: false,
      $defs: { tag: { type: 'integer', description: '{minimum: 1}' } },
    });
  });

  it('stays as it is once it is written', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 3 }), (schema) => {
        const once = outputSchema({ type: 'object', properties: schema });
        expect(outputSchema(once)).toEqual(once);
      }),
    );
  });
});

describe('how much is thought', () => {
  const ask: Ask = { model: 'claude', messages: [], stream: false, maxOutputTokens: 4_000 };
  const written = (rest: Partial<Ask>, of: Model = model) => {
    const { thinking, output_config } = messages.writeRequest({ ...ask, ...rest }, of);
    return { thinking, output_config };
  };
  const counted: Model = { ...model, thinking: 'budget' };

  it.each([
    ['minimal', 1_024],
    ['low', 2_048],
    ['medium', 8_192],
    ['high', 16_384],
    ['xhigh', 32_768],
  ])('of an effort of %s is %i tokens at most', (effort, budget_tokens) => {
    const { thinking } = written({ maxOutputTokens: 64_000, reasoning: { effort } }, counted);

    expect(thinking).toEqual({ type: 'enabled', budget_tokens });
  });

  it.each<[string, Partial<Ask>, Model, object]>([
    ['is left to the model unless it is said', {}, model, {}],
    [
      'is an effort',
      { reasoning: { effort: 'high' } },
      model,
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    ],
    ['is nothing where none is asked for', { reasoning: { effort: 'none' } }, model, {}],
    [
      'is a number of tokens within the output for models up to 4.5',
      { reasoning: { effort: 'high' } },
      counted,
      { thinking: { type: 'enabled', budget_tokens: 3_999 } },
    ],
    [
      'is nothing where there is no room',
      { maxOutputTokens: 1_000, reasoning: { effort: 'low' } },
      counted,
      {},
    ],
    [
      'is nothing where a tool must be called',
      { reasoning: { effort: 'low' }, toolChoice: 'required' },
      model,
      {},
    ],
    [
      'is nothing where the thoughts before a tool are gone',
      {
        reasoning: { effort: 'low' },
        messages: [
          { role: 'assistant', parts: [{ is: 'toolCall', id: 'a', name: 'look', input: '{}' }] },
          { role: 'tool', callId: 'a', parts: [] },
        ],
      },
      counted,
      {},
    ],
  ])('%s', (_, rest, of, expected) => {
    const { thinking, output_config } = written(rest, of);

    expect({
      ...(thinking !== undefined && { thinking }),
      ...(output_config !== undefined && { output_config }),
    }).toEqual(expected);
  });

  it('is read of a budget and of an effort', () => {
    const budget = { ...said('hi'), thinking: { type: 'enabled', budget_tokens: 2_000 } };
    const effort = {
      ...said('hi'),
      thinking: { type: 'adaptive', display: 'omitted' },
      output_config: { effort: 'max' },
    };

    expect(messages.readRequest(budget).reasoning).toEqual({
      ...{ effort: 'low', budgetTokens: 2_000 },
      isShown: true,
    });
    expect(messages.readRequest(effort).reasoning).toEqual({ effort: 'high', isShown: false });
    expect(
      messages.readRequest({ ...said('hi'), thinking: { type: 'disabled' } }),
    ).not.toHaveProperty('reasoning');
  });
});

describe('the measure of a request', () => {
  const bytesOf = (content: unknown, rest: object = {}) =>
    maxPromptTokens(model, messages.sized({ ...said(content), ...rest }));
  const least = bytesOf('');

  it.each<[string, unknown, object, number]>([
    ['text', 'a'.repeat(500), {}, 500],
    ['blocks', [{ type: 'text', text: 'a'.repeat(500) }], {}, 500],
    ['the system’s text', '', { system: 'a'.repeat(500) }, 500],
    ['thoughts', [{ type: 'thinking', thinking: 'a'.repeat(500), signature: '' }], {}, 500],
    ['what tools were called with', [{ type: 'tool_use', input: { a: 'a'.repeat(500) } }], {}, 500],
    ['results of tools', [{ type: 'tool_result', content: 'a'.repeat(500) }], {}, 500],
    [
      'images by the catalogue',
      [{ type: 'image', source: { data: 'a'.repeat(90_000) } }],
      {},
      1_600,
    ],
    [
      'images in results',
      [{ type: 'tool_result', content: [{ type: 'image', source: {} }] }],
      {},
      1_600,
    ],
    [
      'documents of text',
      [{ type: 'document', source: { type: 'text', data: 'a'.repeat(500) } }],
      {},
      500,
    ],
    ['descriptions of tools', '', { tools: [{ name: 'a', description: 'a'.repeat(500) }] }, 500],
    ['tools that Claude knows', '', { tools: [{ type: 'bash_20250124', name: 'bash' }] }, 1_024],
    ['what nobody knows yet', '', { news: 'a'.repeat(500) }, 500],
  ])('counts %s', (_, content, rest, expected) => {
    expect(bytesOf(content, rest)).toBeGreaterThanOrEqual(least + expected);
    expect(bytesOf(content, rest)).toBeLessThan(least + expected + 300);
  });

  it.each([
    ['a PDF', { type: 'document', source: { type: 'base64', media_type: 'application/pdf' } }],
    ['a kind that nobody knows', { type: 'news' }],
  ])('takes %s for all that the model takes', (_, block) => {
    expect(bytesOf([block])).toBe(model.contextWindow);
  });
});

/** The place that is refused. */
function refusal(refusing: () => unknown): unknown {
  try {
    refusing();
  } catch (error) {
    return (error as UnprocessableEntityError).fields[0]?.loc;
  }
  return undefined;
}
