import { describe, expect, it, vi } from 'vitest';
import { responseBody } from '../../shared/chat/response-body.ts';
import type { ResponseRequest } from '../../shared/chat/response-request.ts';
import { UnprocessableEntityError } from '../../shared/http/errors.ts';
import { catalogue, type Model } from '../../shared/models/catalogue.ts';

const model = catalogue.models.find(({ id }) => id === 'gpt-4o') as Model;
const made = (parameters: object) =>
  responseBody(model, { model: model.id, input: 'hi', ...parameters } as ResponseRequest);

/** Expects that a request is refused for what stands at a place. */
function expectRefused(parameters: object, ...place: (string | number)[]): void {
  const refusal = (() => {
    try {
      return made(parameters);
    } catch (error) {
      return error;
    }
  })();
  expect(refusal).toBeInstanceOf(UnprocessableEntityError);
  expect(refusal).toMatchObject({ fields: [{ loc: ['body', ...place] }] });
}

it('a request goes on as it is, with nothing stored', () => {
  const body = made({
    ...{ instructions: 'Be brief.', unknown_yet: { a: 1 }, temperature: null, stream: true },
    truncation: 'auto',
  });

  expect(body).toEqual({
    ...{ model: model.id, input: 'hi', instructions: 'Be brief.', unknown_yet: { a: 1 } },
    ...{ stream: true, truncation: 'auto', store: false },
  });
});

it('a parameter that is not for responses is left out where it is false, and makes no hold smaller', () => {
  const body = made({ n: false, max_tokens: false, audio: false, modalities: null });

  expect(body).toEqual(made({}));
});

describe('refuses, and names it:', () => {
  it.each([
    ['store', true],
    ['previous_response_id', 'resp_1'],
    ['conversation', 'conv_1'],
    ['prompt', { id: 'pmpt_1' }],
    ['background', true],
    ['service_tier', 'priority'],
    ['context_management', [{ type: 'compaction' }]],
    ['image', { moderation: 'low' }],
    ['n', 3],
    ['max_tokens', 5],
    ['max_completion_tokens', 5],
    ['n_predict', 5],
    ['messages', [{ role: 'user', content: 'hi' }]],
    ['functions', [{ googleSearch: {} }]],
    ['plugins', [{ id: 'web' }]],
    ['extra_body', {}],
    ['MAX_OUTPUT_TOKENS', 5],
    ['Input', 'more'],
  ])('%s: %j', (name, value) => expectRefused({ [name]: value }, name));

  it.each<[string, object, (string | number)[]]>([
    ['a reference to an item', { type: 'item_reference', id: 'msg_1' }, ['type']],
    [
      'a file of the operator’s',
      { role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] },
      ['content', 0, 'file_id'],
    ],
    [
      'an image of the operator’s',
      { role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] },
      ['content', 0, 'file_id'],
    ],
    [
      'a file of the operator’s in a tool’s output',
      {
        ...{ type: 'function_call_output', call_id: 'c' },
        output: [{ type: 'input_file', file_id: 'file-1' }],
      },
      ['output', 0, 'file_id'],
    ],
    ['an image that was generated', { type: 'image_generation_call', id: 'ig_1' }, ['id']],
    [
      'an image in the operator’s bucket',
      { role: 'user', content: [{ type: 'input_image', image_url: 'gs://bucket/a.png' }] },
      ['content', 0, 'image_url'],
    ],
    ['no image', { role: 'user', content: [{ type: 'input_image' }] }, ['content', 0, 'image_url']],
    ['no file', { role: 'user', content: [{ type: 'input_file' }] }, ['content', 0, 'file_data']],
    [
      'what is to be cached, of a model without a price for it',
      {
        role: 'user',
        content: [{ type: 'input_text', text: 'x', cache_control: { type: 'ephemeral' } }],
      },
      ['content', 0, 'cache_control'],
    ],
    [
      'a field in another case',
      { role: 'user', content: [{ type: 'input_text', text: 'x', Text: 'y' }] },
      ['content', 0, 'Text'],
    ],
    [
      'an output in another case',
      { type: 'function_call_output', call_id: 'c', output: 'x', Output: 'y' },
      ['Output'],
    ],
  ])('%s', (_, item, place) => expectRefused({ input: [item] }, 'input', 0, ...place));

  it('the same in another case', () => {
    expectRefused({ reasoning: { Mode: 'pro' } }, 'reasoning', 'Mode');
    expectRefused({ reasoning: { Max_Tokens: 9_000_000 } }, 'reasoning', 'Max_Tokens');
  });

  it('a response that is to be compared', () => {
    const prompt_cache_options = { comparison_response_id: 'resp_1' };

    expectRefused({ prompt_cache_options }, 'prompt_cache_options', 'comparison_response_id');
  });

  it('a mode of thinking with a price of its own', () => {
    const reasoning = { mode: 'pro' };

    expectRefused({ reasoning }, 'reasoning', 'mode');
    const input = [{ type: 'configuration_update', reasoning }];
    expectRefused({ input }, 'input', 0, 'reasoning', 'mode');
  });

  it('thoughts that are longer than the output', () => {
    expectRefused(
      { max_output_tokens: 5, reasoning: { max_tokens: 6 } },
      'reasoning',
      'max_tokens',
    );
  });
});

it('limits the output to what the model can write', () => {
  const body = made({ max_output_tokens: Number.MAX_SAFE_INTEGER });

  expect(body['max_output_tokens']).toBe(model.maxOutputTokens);
});

describe('tools', () => {
  const own = { type: 'function', name: 'f', parameters: {}, strict: true };
  const custom = { type: 'custom', name: 'c', format: { type: 'text' } };
  const search = { type: 'web_search', external_web_access: true };

  const refused = [
    ...['web_search', 'web_search_preview_2025_03_11', 'file_search', 'code_interpreter'],
    ...['image_generation', 'mcp', 'local_shell', 'whatever_comes', 'constructor'],
  ];

  it.each(refused)('of the type %s are refused, wherever they come from', (type) => {
    const tool = { type, name: 'x' };

    expectRefused({ tools: [own, tool, custom], tool_choice: 'auto' }, 'tools', 1, 'type');
    expectRefused(
      { tools: [{ type: 'namespace', name: 'n', tools: [own, tool] }] },
      ...['tools', 0, 'tools', 1, 'type'],
    );
    expectRefused(
      { input: [{ type: 'additional_tools', tools: [tool] }] },
      ...['input', 0, 'tools', 0, 'type'],
    );
    expectRefused({ tools: [own], tool_choice: { type } }, 'tool_choice', 'type');
  });

  it('of a namespace, and a search that the client runs, go on as they are', () => {
    const tools = [
      { type: 'namespace', name: 'mcp__files', description: 'Files.', tools: [own, custom] },
      { type: 'tool_search', execution: 'client', description: 'Finds.', parameters: {} },
    ];

    expect(made({ tools, tool_choice: 'auto' })).toMatchObject({ tools, tool_choice: 'auto' });
    expectRefused(
      { tools: [{ type: 'namespace', name: 'n', tools: 'all' }] },
      ...['tools', 0, 'tools'],
    );
  });

  it('that a search of the provider’s would find are shown at once', () => {
    const deferred = { ...own, defer_loading: true };

    expect(made({ tools: [deferred, { type: 'tool_search' }] })['tools']).toEqual([own]);
    expect(made({ tools: [deferred] })['tools']).toEqual([deferred]);
  });

  it('that may be chosen are among those that were sent', () => {
    const choose = (tools: unknown) => ({
      ...{ tools: [own], tool_choice: { type: 'allowed_tools', mode: 'auto', tools } },
    });
    const allowed = [{ type: 'function', name: 'f' }];

    expect(made(choose(allowed))['tool_choice']).toEqual(choose(allowed).tool_choice);
    expectRefused(choose([...allowed, { type: 'web_search' }]), 'tool_choice', 'tools', 1, 'type');
    expectRefused(choose('all'), 'tool_choice', 'tools');
    expectRefused({ input: [{ type: 'additional_tools', tools: 'all' }] }, 'input', 0, 'tools');
    expectRefused(
      { input: [{ type: 'additional_tools', tools: [{ ...own, googleSearch: {} }] }] },
      ...['input', 0, 'tools', 0, 'googleSearch'],
    );
  });

  it('that are to be cached are refused for a model without a price for it', () => {
    const cached = { ...own, cache_control: { type: 'ephemeral' } };

    expectRefused({ tools: [cached] }, 'tools', 0, 'cache_control');
  });

  it('may have any names in their schemas, and none in another case outside of them', () => {
    const tool = { ...own, parameters: { properties: { Text: {}, Tools: {} } } };
    const item = { type: 'additional_tools', tools: [tool] };

    expect(made({ input: [item] })['input']).toEqual([item]);
    expectRefused({ input: [{ ...item, Tools: [search] }] }, 'input', 0, 'Tools');
  });

  it('may not bring in others by a field', () => {
    expectRefused({ tools: [own, { ...own, googleSearch: {} }] }, 'tools', 1, 'googleSearch');
  });

  it('go on where the catalogue allows them', () => {
    const [{ upstream } = { upstream: '' }] = model.upstreams;
    const settings = catalogue.upstreams[upstream];
    vi.spyOn(settings as { allows: string[] }, 'allows', 'get').mockReturnValue([
      'tools.web_search',
    ]);

    const body = made({ tools: [search], tool_choice: { type: 'web_search' } });

    expect(body).toMatchObject({ tools: [search], tool_choice: { type: 'web_search' } });
    vi.restoreAllMocks();
  });
});
