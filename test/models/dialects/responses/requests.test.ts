import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../../shared/models/dialects/ask.ts';
import type { Body } from '../../../../shared/models/dialects/dialect.ts';
import { responses } from '../../../../shared/models/dialects/responses/responses.ts';
import { maxPromptTokens } from '../../../../shared/models/token-bounds.ts';
import { asks, plainModel, thinkingModel } from '../asks.ts';

const ask: Ask = { model: 'm', messages: [], stream: false };
const written = (fields: Partial<Ask>, model = plainModel) =>
  responses.writeRequest({ ...ask, ...fields }, model);
const read = (body: Body) => responses.readRequest({ model: 'm', input: 'hi', ...body });
const inputOf = (...messages: Ask['messages']) => written({ messages })['input'];

it('a request says the same once it is written and read again', () => {
  fc.assert(
    fc.property(asks, (each) => {
      expect(responses.readRequest(responses.writeRequest(each, plainModel))).toEqual(each);
    }),
  );
});

describe('reads', () => {
  it('instructions before all that was said', () => {
    const { messages } = read({ instructions: 'Be brief.' });

    expect(messages).toEqual([
      { role: 'system', parts: [{ is: 'text', text: 'Be brief.' }] },
      { role: 'user', parts: [{ is: 'text', text: 'hi' }] },
    ]);
  });

  it('what a model thought, said and called in one turn as one message', () => {
    const { messages } = read({
      input: [
        {
          type: 'reasoning',
          id: 'rs',
          summary: [{ text: 'a' }, { text: 'b' }],
          encrypted_content: 'x',
        },
        { role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'y' }] },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      ],
    });

    expect(messages).toEqual([
      {
        role: 'assistant',
        parts: [
          { is: 'thought', id: 'rs', text: 'a\n\nb', encrypted: 'responses:x' },
          { is: 'text', text: 'I look.' },
          { is: 'toolCall', id: 'c', name: 'f', input: '{}' },
        ],
      },
      { role: 'tool', callId: 'c', parts: [{ is: 'text', text: 'y' }] },
      { role: 'assistant', parts: [{ is: 'refusal', text: 'No.' }] },
    ]);
  });

  it('images and files, by what they hold or by where they lie', () => {
    const content = [
      { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
      { type: 'input_file', file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' },
      { type: 'input_file', file_url: 'https://example.com/a.pdf' },
    ];

    expect(read({ input: [{ role: 'user', content }] }).messages[0]?.parts).toEqual([
      { is: 'image', url: 'https://example.com/a.png', detail: 'low' },
      { is: 'file', url: 'data:application/pdf;base64,AA==', name: 'a.pdf' },
      { is: 'file', url: 'https://example.com/a.pdf' },
    ]);
  });

  it('a choice among some tools as those tools', () => {
    const tools = ['a', 'b'].map((name) => ({ type: 'function', name, parameters: {} }));
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: [tools[1]] };

    expect(read({ tools, tool_choice })).toMatchObject({
      tools: [{ name: 'b' }],
      toolChoice: 'required',
    });
  });

  it('a signature that it wrote into what callers send back', () => {
    const events = [{ is: 'start' }, { is: 'signature', signature: 's' }] as const;
    const { output } = responses.writeAnswer(events, ask);

    expect(read({ input: output }).messages[0]?.parts).toMatchObject([{ signature: 's' }]);
  });
});

describe('writes', () => {
  it('a request of which nothing is kept, with thoughts where there are any', () => {
    expect(written({}, thinkingModel)).toEqual({
      ...{ model: 'm', input: [], store: false, include: ['reasoning.encrypted_content'] },
    });
    expect(written({ reasoning: { effort: 'low', isShown: true } })).toMatchObject({
      reasoning: { effort: 'low', summary: 'auto' },
    });
  });

  it('a budget of thoughts as an effort, for a model that thinks', () => {
    const reasoning = { budgetTokens: 8_000 };

    expect(written({ reasoning }, thinkingModel)['reasoning']).toEqual({ effort: 'medium' });
    expect(written({ reasoning })['reasoning']).toBeUndefined();
  });

  it('thoughts that their provider alone can read, and no others', () => {
    const thought = { is: 'thought' as const, text: 'hm' };
    const parts = [
      { ...thought, encrypted: 'responses:x', id: 'rs' },
      { ...thought, encrypted: 'of Claude' },
      { ...thought, signature: 's' },
      thought,
    ];

    expect(inputOf({ role: 'assistant', parts })).toEqual([
      {
        ...{ type: 'reasoning', id: 'rs', encrypted_content: 'x' },
        summary: [{ type: 'summary_text', text: 'hm' }],
      },
    ]);
  });

  it('the output of a custom tool as one', () => {
    const call = { is: 'toolCall' as const, id: 'c', name: 'patch', input: 'x', isCustom: true };

    expect(
      inputOf(
        { role: 'assistant', parts: [call] },
        { role: 'tool', callId: 'c', parts: [{ is: 'text', text: 'done' }] },
      ),
    ).toMatchObject([
      { type: 'custom_tool_call', call_id: 'c', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'done' },
    ]);
  });

  it.each<[string, Partial<Ask>]>([
    ['stop', { stop: ['x'] }],
    ['top_k', { topK: 5 }],
  ])('no %s, which it has no word for', (name, fields) => {
    expect(() => written(fields)).toThrow(
      expect.objectContaining({ fields: [expect.objectContaining({ loc: ['body', name] })] }),
    );
  });
});

describe('the measure of a request', () => {
  const model = { ...plainModel, contextWindow: 1_000_000, maxImageTokens: 500 };
  const tokens = (body: Body) =>
    maxPromptTokens(model, responses.sized({ model: 'm', input: 'hi', ...body }));
  const plain = tokens({});
  const long = 'x'.repeat(5_000);

  it.each<[string, Body]>([
    ['instructions', { instructions: long }],
    ['input', { input: long }],
    ['a text', { input: [{ role: 'user', content: [{ type: 'input_text', text: long }] }] }],
    ['a call', { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: long }] }],
    ['its output', { input: [{ type: 'function_call_output', call_id: 'c', output: long }] }],
    [
      'a custom call',
      { input: [{ type: 'custom_tool_call', call_id: 'c', name: 'f', input: long }] },
    ],
    ['a thought', { input: [{ type: 'reasoning', summary: [], encrypted_content: long }] }],
    [
      'a refusal',
      { input: [{ role: 'assistant', content: [{ type: 'refusal', refusal: long }] }] },
    ],
    ['a field that isn’t known', { input: [{ role: 'user', content: '', words: long }] }],
    ['a tool', { tools: [{ type: 'function', name: 'f', description: long }] }],
    ['a schema', { text: { format: { type: 'json_schema', name: 's', schema: { long } } } }],
    ['a parameter that isn’t known', { whatever: long }],
  ])('counts %s', (_, body) => {
    expect(tokens(body)).toBeGreaterThanOrEqual(plain - 2 + 5_000);
  });

  it('counts an image by what the model takes at most, and not by its data', () => {
    const image = { type: 'input_image', image_url: `data:image/png;base64,${long}` };

    const counted = tokens({ input: [{ role: 'user', content: [image] }] });

    expect(counted).toBeGreaterThanOrEqual(500);
    expect(counted).toBeLessThan(1_000);
  });

  it.each<[string, Body]>([
    ['a file', { role: 'user', content: [{ type: 'input_file', file_url: 'https://a.example' }] }],
    ['an item of another type', { type: 'compaction', encrypted_content: 'x' }],
    ['a part of another type', { role: 'user', content: [{ type: 'input_video', url: 'x' }] }],
    [
      'a file in an output',
      {
        type: 'function_call_output',
        call_id: 'c',
        output: [{ type: 'input_file', file_url: 'x' }],
      },
    ],
  ])('takes %s for all that the model takes', (_, item) => {
    expect(tokens({ input: [item] })).toBe(1_000_000);
  });

  it('has the limit of the output, and nothing of metadata', () => {
    const sized = responses.sized({ model: 'm', input: 'hi', max_output_tokens: 7, metadata: {} });

    expect(sized).toMatchObject({ max_tokens: 7 });
    expect(sized).not.toHaveProperty('metadata');
  });
});
