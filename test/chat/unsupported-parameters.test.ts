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
  ['deferred', true],
  ['preset', 'with-search'],
  ['search_parameters', { mode: 'auto' }],
  ['enable_search', true],
  ['search_options', { forced_search: true }],
  ['enable_code_interpreter', true],
  ['compound_custom', { tools: { enabled_tools: ['web_search'] } }],
  ['search_settings', {}],
  ['web_search', { enable: true }],
  ['data_sources', [{ type: 'azure_search' }]],
  ['cache_control_injection_points', [{ location: 'message', role: 'system' }]],
  ['cached_content', 'cachedContents/1'],
  ['anthropic_beta', ['context-1m-2025-08-07']],
  ['betas', ['context-1m-2025-08-07']],
  ['preset', 'default'],
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

/** Where a request is refused; undefined if it is taken. */
function refusedAt(parameters: object, of = model) {
  try {
    bodyOf(parameters, of);
    return undefined;
  } catch (error) {
    return (error as UnprocessableEntityError).fields[0]?.loc.join('.');
  }
}

describe('a tool that the caller runs', () => {
  const look = { name: 'look', description: 'Looks', parameters: { type: 'object' } };

  it.each([
    ['is a function', { type: 'function', function: { ...look, strict: true } }],
    ['is custom', { type: 'custom', custom: { name: 'look' } }],
    ['is written without a level', { type: 'function', ...look, strict: true }],
  ])('%s, and taken', (_, tool) => {
    expect(bodyOf({ tools: [tool] })).toMatchObject({ tools: [tool] });
  });

  it('may be chosen, and be one of the old functions', () => {
    const choice = { type: 'function', function: { name: 'look' } };

    expect(refusedAt({ tool_choice: choice })).toBeUndefined();
    expect(refusedAt({ tool_choice: { function: { name: 'look' } } })).toBeUndefined();
    const allowed_tools = { mode: 'auto', tools: [choice] };
    expect(refusedAt({ tool_choice: { type: 'allowed_tools', allowed_tools } })).toBeUndefined();
    expect(
      refusedAt({ tool_choice: { type: 'any', disable_parallel_tool_use: true } }),
    ).toBeUndefined();
    for (const word of ['auto', 'none', 'required', null]) {
      expect(refusedAt({ tools: null, tool_choice: word })).toBeUndefined();
    }
    expect(refusedAt({ functions: [look], function_call: { name: 'look' } })).toBeUndefined();
  });
});

describe('a tool that the provider runs and bills itself is refused, with its place:', () => {
  const own = { type: 'function', function: { name: 'look' } };

  it.each([
    ['OpenAI’s', { type: 'web_search_preview' }, 'type'],
    ['xAI’s', { type: 'live_search' }, 'type'],
    ['Mistral’s and Zhipu’s', { type: 'web_search', web_search: { enable: true } }, 'type'],
    ['Moonshot’s', { type: 'builtin_function', function: { name: '$web_search' } }, 'type'],
    ['OpenRouter’s', { type: 'openrouter:web_search' }, 'type'],
    ['Google’s by LiteLLM', { googleSearch: {} }, 'googleSearch'],
    ['Google’s older', { google_search_retrieval: {} }, 'google_search_retrieval'],
    ['Google’s that runs code', { code_execution: {} }, 'code_execution'],
    ['one beside a function', { ...own, googleSearch: {} }, 'googleSearch'],
    ['one of no type', { function: { name: 'look' } }, 'type'],
    ['one of a type that is no word', { type: { web_search: true } }, 'type'],
    ['an empty one', {}, 'type'],
  ])('%s', (_, tool, field) => {
    expect(refusedAt({ tools: [own, tool] })).toBe(`body.tools.1.${field}`);
  });

  it.each([
    ['Google’s by LiteLLM', { googleSearch: {} }, '0.googleSearch'],
    ['Anthropic’s', { type: 'web_search_20250305', name: 'web_search' }, '0.type'],
    ['one beside a function', { name: 'look', url_context: {} }, '0.url_context'],
    ['one that is none', 'google_search', '0'],
  ])('%s in the old list of functions', (_, tool, place) => {
    expect(refusedAt({ functions: [tool] })).toBe(`body.functions.${place}`);
  });

  it('a list of functions that is none', () => {
    expect(refusedAt({ functions: { googleSearch: {} } })).toBe('body.functions');
    expect(refusedAt({ functions: null })).toBeUndefined();
  });

  it.each([
    ['a word in place of one', ['web_search'], 'body.tools.0'],
    ['nothing in place of one', [null], 'body.tools.0'],
    ['one outside a list', { googleSearch: {} }, 'body.tools'],
  ])('%s', (_, tools, place) => {
    expect(refusedAt({ tools })).toBe(place);
  });

  it.each([
    ['one that is chosen', { type: 'web_search_preview' }, 'body.tool_choice.type'],
    ['one that is chosen by a field', { googleSearch: {} }, 'body.tool_choice.googleSearch'],
  ])('%s', (_, tool_choice, place) => {
    expect(refusedAt({ tools: [own], tool_choice })).toBe(place);
  });

  it('unless the catalogue allows it to each upstream of the model', () => {
    const allowed = ['tools.web_search', 'tools.googleSearch'];
    const allows = vi.spyOn(catalogue.upstreams['openai']?.allows as string[], 'includes');
    allows.mockImplementation((name) => allowed.includes(name));

    expect(refusedAt({ tools: [{ type: 'web_search', filters: {} }] })).toBeUndefined();
    expect(refusedAt({ tools: [{ googleSearch: {} }] })).toBeUndefined();
    expect(refusedAt({ tools: [{ googleSearch: {}, code_execution: {} }] })).toBe(
      'body.tools.0.googleSearch',
    );
  });
});

describe('what has a price of its own', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  const long = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const part = (rest: object) => ({ type: 'text', text: 'Hi', ...rest });
  const said = (...content: object[]) => ({ messages: [{ role: 'user', content }] });
  const prices = { input: 3, cacheWrite: 3.75, output: 15 };
  const caching: Model = { ...model, usdPerMillionTokens: prices };

  it.each([
    ['a part of a message', said(part({}), part(mark)), 'messages.0.content.1'],
    ['a message', { messages: [{ role: 'user', content: 'Hi', ...mark }] }, 'messages.0'],
    [
      'a part of a tool’s answer',
      said({ type: 'tool_result', content: [part(mark)] }),
      'messages.0.content.0.content.0',
    ],
    ['a tool', { tools: [{ type: 'function', function: { name: 'f' }, ...mark }] }, 'tools.0'],
    [
      'its function',
      { tools: [{ type: 'function', function: { name: 'f', ...mark } }] },
      'tools.0.function',
    ],
    ['an old function', { functions: [{ name: 'f', ...mark }] }, 'functions.0'],
    ['a system prompt beside the messages', { system: [part(mark)] }, 'system.0'],
    ['the request', mark, ''],
  ])('is refused where the model has none for it: cache_control of %s', (_, request, place) => {
    const at = ['body', ...(place ? [place] : []), 'cache_control'].join('.');

    expect(refusedAt(request)).toBe(at);
    expect(refusedAt(request, caching)).toBeUndefined();
  });

  it('is refused for an hour where the model has a price for five minutes alone', () => {
    const hourly = { ...caching, usdPerMillionTokens: { ...prices, cacheWrite1h: 6 } };

    expect(refusedAt(long, caching)).toBe('body.cache_control.ttl');
    expect(refusedAt(said(part(long)), caching)).toBe(
      'body.messages.0.content.0.cache_control.ttl',
    );
    expect(refusedAt(long, hourly)).toBeUndefined();
    expect(refusedAt({ cache_control: { ttl: '5m' } }, caching)).toBeUndefined();
  });

  it('is no name in a caller’s own schema, and nothing that is null', () => {
    const parameters = { type: 'object', properties: { cache_control: { type: 'object' } } };

    expect(refusedAt({ tools: [{ type: 'function', function: { name: 'f', parameters } }] })).toBe(
      undefined,
    );
    const json_schema = { name: 'f', schema: parameters };
    expect(refusedAt({ response_format: { type: 'json_schema', json_schema } })).toBeUndefined();
    expect(refusedAt(said(part({ cache_control: null })))).toBeUndefined();
  });

  it('is output in audio, and other output the catalogue has to allow', () => {
    const speaking = { ...model, usdPerMillionTokens: { ...prices, audioOutput: 64 } };
    const modalities = ['text', 'audio'];

    expect(refusedAt({ modalities })).toBe('body.modalities.1');
    expect(refusedAt({ modalities: 'audio' })).toBe('body.modalities');
    expect(refusedAt({ modalities }, speaking)).toBeUndefined();
    expect(refusedAt({ modalities: ['image', 'text'] }, speaking)).toBe('body.modalities.0');
    expect(refusedAt({ modalities: 'image' })).toBe('body.modalities');
    expect(refusedAt({ modalities: ['text'] })).toBeUndefined();
    expect(refusedAt({ modalities: null })).toBeUndefined();
  });

  it('is free of a model that is free', () => {
    const free = { ...model, usdPerMillionTokens: { input: 0, output: 0 } };

    expect(refusedAt({ ...mark, modalities: ['text', 'audio', 'image'] }, free)).toBeUndefined();
    expect(refusedAt(mark, { ...free, usdPerRequest: 0.01 })).toBe('body.cache_control');
  });
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
