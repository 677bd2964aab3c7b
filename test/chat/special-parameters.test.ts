import { describe, expect, it, vi } from 'vitest';
import { type CompletionRequest, upstreamBody } from '../../shared/chat/completion-request.ts';
import { UnprocessableEntityError } from '../../shared/http/errors.ts';
import { catalogue, type Model } from '../../shared/models/catalogue.ts';
import { maxCostNanoUsd } from '../../shared/models/token-bounds.ts';

const model = catalogue.models.find(({ id }) => id === 'gpt-4o') as Model;
const bodyOf = (parameters: object, of = model) =>
  upstreamBody(of, {
    model: of.id,
    messages: [{ role: 'user', content: 'hi' }],
    ...parameters,
  } as CompletionRequest);

it.each([
  ['service_tier', 'priority'],
  ['service_tier', 'flex'],
  ['models', ['gpt-5']],
  ['fallbacks', [{ model: 'gpt-5' }]],
  ['provider', { order: ['a'] }],
  ['plugins', [{ id: 'web' }]],
  ['web_search_options', {}],
  ['api_base', 'https://evil.example'],
  ['base_url', 'https://evil.example'],
  ['api_key', 'sk-other'],
  ['extra_body', { service_tier: 'priority' }],
  ['extra_headers', { authorization: 'x' }],
  ['store', true],
  ['background', true],
  ['mock_response', 'free'],
])('refuses %s: %j, and names it', (name, value) => {
  const refusal = (() => {
    try {
      return bodyOf({ [name]: value });
    } catch (error) {
      return error;
    }
  })();

  expect(refusal).toBeInstanceOf(UnprocessableEntityError);
  expect(refusal).toMatchObject({ fields: [{ loc: ['body', name] }] });
});

it.each([
  ['a file', { type: 'file', file: { file_id: 'file-1' } }, ['file', 'file_id']],
  ['an input file', { type: 'input_file', file_id: 'file-1' }, ['file_id']],
  [
    'an image',
    { type: 'image_file', image_file: { file_id: 'file-1' } },
    ['image_file', 'file_id'],
  ],
  [
    'a source within a part',
    { type: 'tool_result', content: [{ type: 'document', source: { file_id: 'file-1' } }] },
    ['content', 0, 'source', 'file_id'],
  ],
])('refuses a part that names %s of the operator’s, and says where', (_, part, way) => {
  const content = [{ type: 'text', text: 'Read' }, part];
  const messages = [
    { role: 'system', content: 'Hi' },
    { role: 'user', content },
  ];

  expect(() => bodyOf({ messages })).toThrow(
    expect.objectContaining({
      fields: [expect.objectContaining({ loc: ['body', 'messages', 1, 'content', 1, ...way] })],
    }),
  );
});

it('takes a file that is in the request itself', () => {
  const part = { type: 'file', file: { file_id: null, file_data: 'data:application/pdf;base64,' } };

  const { messages } = bodyOf({ messages: [{ role: 'user', content: [part] }] });

  expect(messages).toEqual([{ role: 'user', content: [part] }]);
});

it('refuses a tool that the provider runs and bills itself, and says which', () => {
  const own = [
    { type: 'function', function: { name: 'look' } },
    { type: 'custom', custom: {} },
  ];

  expect(bodyOf({ tools: own })).toMatchObject({ tools: own });
  expect(() => bodyOf({ tools: [...own, { type: 'web_search' }] })).toThrow(
    expect.objectContaining({
      fields: [expect.objectContaining({ loc: ['body', 'tools', 2, 'type'] })],
    }),
  );
});

it('takes a tool that the catalogue allows each upstream of the model', () => {
  const allows = vi.spyOn(catalogue.upstreams['openai']?.allows as string[], 'includes');
  allows.mockImplementation((name) => name === 'tools.web_search');
  const tools = [{ type: 'web_search' }];

  expect(bodyOf({ tools })).toMatchObject({ tools });
});

it('gives a provider metadata with what it stores, where it may store, and nowhere else', () => {
  const metadata = { customer: 'acme' };
  const [{ upstream } = { upstream: '' }] = model.upstreams;
  const { allows } = catalogue.upstreams[upstream] ?? {};

  expect(bodyOf({ metadata })).not.toHaveProperty('metadata');
  expect(bodyOf({ metadata, store: false })).not.toHaveProperty('metadata');
  expect(() => bodyOf({ metadata, store: true })).toThrow('store');
  allows?.push('store');
  try {
    expect(bodyOf({ metadata, store: true })).toMatchObject({ store: true, metadata });
  } finally {
    allows?.pop();
  }
});

it('takes what asks for nothing, as clients send it', () => {
  const nothing = { store: false, background: null, service_tier: 'default', plugins: undefined };

  expect(bodyOf(nothing)).toMatchObject({ store: false, service_tier: 'default' });
});

it('asks for the standard tier where the provider would choose', () => {
  expect(bodyOf({ service_tier: 'auto' })).toMatchObject({ service_tier: 'default' });
});

describe('a tier with a price in the catalogue', () => {
  const tiered: Model = { ...model, serviceTiers: { priority: { input: 5, output: 20 } } };

  it('may be asked for, and is held at the dearer price', () => {
    const plain = maxCostNanoUsd(tiered, bodyOf({ max_tokens: 100 }, tiered));
    const priority = bodyOf({ max_tokens: 100, service_tier: 'priority' }, tiered);

    expect(priority).toMatchObject({ service_tier: 'priority' });
    expect(maxCostNanoUsd(tiered, priority)).toBe(2 * plain);
  });

  it('leaves other tiers refused', () => {
    expect(() => bodyOf({ service_tier: 'flex' }, tiered)).toThrow('service_tier');
    expect(() => bodyOf({ service_tier: 'constructor' }, tiered)).toThrow('service_tier');
  });
});

it('holds a predicted output as output too', () => {
  const content = 'word '.repeat(1_000);
  const plain = maxCostNanoUsd(model, bodyOf({ max_tokens: 100 }));
  const predicted = bodyOf({ max_tokens: 100, prediction: { type: 'content', content } });

  expect(maxCostNanoUsd(model, predicted) - plain).toBeGreaterThan(5_000 * (2_500 + 10_000));
});

it.each([
  ['of the newer name', { max_completion_tokens: 5 }],
  ['of the older name', { max_tokens: 5 }],
  ['beside one that is null', { max_tokens: 5, max_completion_tokens: null }],
  ['beside one that is null, by its newer name', { max_tokens: null, max_completion_tokens: 5 }],
  ['that is the smaller of two', { max_tokens: 5, max_completion_tokens: 9_000 }],
  [
    'that is the smaller of two, by its newer name',
    { max_tokens: 9_000, max_completion_tokens: 5 },
  ],
])('takes a limit %s', (_, limits) => {
  const reasoning = catalogue.models.find((each) => each.reasoning) as Model;

  for (const each of [model, reasoning]) {
    const { max_tokens, ...body } = bodyOf(limits, each);
    expect(max_tokens).toBe(5);
    expect(body).not.toHaveProperty('max_completion_tokens');
  }
});
