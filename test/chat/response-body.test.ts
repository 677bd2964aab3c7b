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
  const { body, leftOut } = made({
    ...{ instructions: 'Be brief.', unknown_yet: { a: 1 }, temperature: null, stream: true },
    truncation: 'auto',
  });

  expect(body).toEqual({
    ...{ model: model.id, input: 'hi', instructions: 'Be brief.', unknown_yet: { a: 1 } },
    ...{ stream: true, truncation: 'auto', store: false },
  });
  expect(leftOut).toEqual([]);
});

it('a parameter that is not for responses is left out where it is false, and makes no hold smaller', () => {
  const { body } = made({ n: false, max_tokens: false, audio: false, modalities: null });

  expect(body).toEqual(made({}).body);
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
    ['models', ['gpt-5']],
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
  const { body } = made({ max_output_tokens: Number.MAX_SAFE_INTEGER });

  expect(body['max_output_tokens']).toBe(model.maxOutputTokens);
});

describe('tools', () => {
  const own = { type: 'function', name: 'f', parameters: {}, strict: true };
  const custom = { type: 'custom', name: 'c', format: { type: 'text' } };
  const search = { type: 'web_search', external_web_access: true };

  it.each([
    'web_search',
    'web_search_preview_2025_03_11',
    'file_search',
    'code_interpreter',
    'image_generation',
    'mcp',
    'namespace',
    'tool_search',
    'local_shell',
    'whatever_comes',
  ])('of the type %s are left out', (type) => {
    const { body, leftOut } = made({
      tools: [own, { type, name: 'x' }, custom],
      tool_choice: 'auto',
    });

    expect(body).toMatchObject({ tools: [own, custom], tool_choice: 'auto' });
    expect(leftOut).toEqual([type]);
  });

  it('are left out with the choice among them, and what was to be included of them', () => {
    const { body, leftOut } = made({
      ...{ tools: [search, search], tool_choice: 'auto' },
      include: ['web_search_call.action.sources', 'reasoning.encrypted_content'],
    });

    expect(body).toEqual({
      ...{ model: model.id, input: 'hi', store: false },
      include: ['reasoning.encrypted_content'],
    });
    expect(leftOut).toEqual(['web_search']);
  });

  it('of the caller lose what only a search for tools would read', () => {
    const deferred = { ...own, defer_loading: true };

    expect(made({ tools: [deferred, { type: 'tool_search' }] }).body['tools']).toEqual([own]);
    expect(made({ tools: [deferred] }).body['tools']).toEqual([deferred]);
  });

  it.each<[unknown, string[]]>([
    ['required', []],
    [{ type: 'web_search' }, ['type']],
    [{ type: 'mcp', server_label: 'x' }, ['type']],
    [{ type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] }, ['tools']],
  ])('that are forced by %j are refused instead', (tool_choice, place) => {
    expectRefused({ tools: [search], tool_choice }, 'tool_choice', ...place);
  });

  it('that may be chosen are those that are left', () => {
    const allowed = [{ type: 'function', name: 'f' }, { type: 'web_search' }];
    const choose = (tools: object[]) =>
      made({
        ...{ tools: [own, search], tool_choice: { type: 'allowed_tools', mode: 'auto', tools } },
      }).body['tool_choice'];

    expect(choose(allowed)).toEqual({ type: 'allowed_tools', mode: 'auto', tools: [allowed[0]] });
    expect(choose(allowed.slice(1))).toBe('none');
  });

  it('that items bring along are left out, too', () => {
    const brought = (tools: unknown) => [{ type: 'additional_tools', role: 'developer', tools }];

    const { body, leftOut } = made({ input: brought([own, search]), tools: [{ type: 'mcp' }] });

    expect(body['input']).toEqual(brought([own]));
    expect(leftOut).toEqual(['mcp', 'web_search']);
    expectRefused({ input: brought('all') }, 'input', 0, 'tools');
    expectRefused(
      { input: brought([{ ...own, googleSearch: {} }]) },
      ...['input', 0, 'tools', 0, 'googleSearch'],
    );
  });

  it('that were not sent can’t be chosen', () => {
    const tools = [{ type: 'web_search' }, null, 'x'];
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools };

    expect(made({ tools: [own], tool_choice }).body['tool_choice']).toBe('none');
  });

  it('that are to be cached are refused for a model without a price for it', () => {
    const cached = { ...own, cache_control: { type: 'ephemeral' } };

    expectRefused({ tools: [cached] }, 'tools', 0, 'cache_control');
  });

  it('may have any names in their schemas, and none in another case outside of them', () => {
    const tool = { ...own, parameters: { properties: { Text: {}, Tools: {} } } };
    const item = { type: 'additional_tools', tools: [tool] };

    expect(made({ input: [item] }).body['input']).toEqual([item]);
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

    const { body, leftOut } = made({ tools: [search], tool_choice: { type: 'web_search' } });

    expect(body).toMatchObject({ tools: [search], tool_choice: { type: 'web_search' } });
    expect(leftOut).toEqual([]);
    vi.restoreAllMocks();
  });
});
