import { describe, expect, it } from 'vitest';
import { type Account, useChatStage } from '../../support/servers/chat-stage.ts';
import { messageOf, messageStream } from '../../support/servers/message-stub.ts';
import { streamOf } from '../../support/servers/model-stub-pieces.ts';
import { upstreamModelOf } from '../../support/servers/test-catalogue.ts';

// What Claude Code sends, by its reference for gateways: https://code.claude.com/docs/en/llm-gateway-protocol
const chat = await useChatStage();
const account = await chat.newAccount();

const betas =
  'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,prompt-caching-scope-2026-01-05';

const ways: [string, (key: string) => Record<string, string>][] = [
  ['Authorization', (key) => ({ authorization: `Bearer ${key}` })],
  ['x-api-key', (key) => ({ 'x-api-key': key })],
  ['both', (key) => ({ authorization: `Bearer ${key}`, 'x-api-key': key })],
  [
    'x-api-key beside a token of another service',
    (key) => ({ authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2ln', 'x-api-key': key }),
  ],
];

function send(
  { base_url, api_key }: Account,
  body: object,
  headers: Record<string, string> = { authorization: `Bearer ${api_key}` },
): Promise<Response> {
  return fetch(`${base_url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': betas,
      'user-agent': 'claude-cli/2.1.100 (external, cli)',
      'x-app': 'cli',
      'x-stainless-lang': 'js',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

const cached = { cache_control: { type: 'ephemeral' } };
const longCached = { cache_control: { type: 'ephemeral', ttl: '1h' } };

const bash = {
  name: 'Bash',
  description: 'Runs a command.',
  input_schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { command: { type: 'string' } },
    required: ['command'],
    additionalProperties: false,
  },
  eager_input_streaming: true,
  ...cached,
};

/** A turn within its loop: all is cached, its tools are described, and some of them only it knows. */
const turn = {
  max_tokens: 32_000,
  stream: true,
  temperature: 1,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.100; cc_entrypoint=cli;' },
    { type: 'text', text: 'You are Claude Code.', ...longCached },
  ],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>today</system-reminder>' },
        { type: 'text', text: 'List the files.' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I should look.', signature: 'c2ln' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [{ type: 'text', text: 'a.txt' }],
          is_error: false,
          ...cached,
        },
      ],
    },
  ],
  tools: [bash],
  thinking: { type: 'enabled', budget_tokens: 31_999 },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  metadata: { user_id: 'user_1_account__session_2' },
  output_config: { effort: 'high' },
};

describe.each(ways)('Claude Code with its key in %s', (_, headersOf) => {
  it('probes, counts, and finds its models', async () => {
    const { id: model } = chat.newModel('claude');
    const headers = headersOf(account.api_key);
    const probe = { model, max_tokens: 1, messages: [{ role: 'user', content: 'quota' }] };

    const answer = await send(account, probe, headers);
    const count = await fetch(`${account.base_url}/v1/messages/count_tokens?beta=true`, {
      method: 'POST',
      headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': betas, ...headers },
      body: JSON.stringify({ ...turn, model }),
    });
    const reader = await chat.newAccount({ models: [model] });
    const models = await fetch(`${account.base_url}/v1/models?limit=1000`, {
      headers: { 'anthropic-version': '2023-06-01', ...headersOf(reader.api_key) },
    });

    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ type: 'message', usage: { input_tokens: 1 } });
    expect(await count.json()).toEqual({ input_tokens: expect.any(Number) });
    const { data } = (await models.json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toContain(model);
  });
});

describe('a turn of Claude Code', () => {
  it('reaches an upstream that speaks Messages as it is, but for what others run and what is too long', async () => {
    const stream = messageStream([{ type: 'text', text: 'a.txt' }]);
    const {
      id: model,
      upstreams: [upstream],
    } = chat.newModel('claude', { kind: 'pieces', pieces: stream });

    const response = await send(account, { ...turn, model });

    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toBe(stream.join(''));
    const [request] = upstream?.requests() ?? [];
    expect(request?.path).toBe(`/${model}/v1/messages`);
    expect(request?.headers).toMatchObject({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': betas,
      'x-api-key': 'sk-the-providers-own-key',
    });
    expect(request?.headers).not.toHaveProperty('x-app');
    expect(request?.body).toEqual({
      ...turn,
      model: upstreamModelOf(model),
      // As much as this model writes.
      max_tokens: 1_000,
      thinking: { type: 'enabled', budget_tokens: 999 },
      tools: turn.tools.slice(0, 1),
    });
  });

  it.each([
    ['plain' as const, {}],
    ['reasoning' as const, { reasoning_effort: 'high' }],
  ])('reaches a %s one that speaks chat completions in its words', async (kind, thinking) => {
    const {
      id: model,
      upstreams: [upstream],
    } = chat.newModel(kind, { kind: 'pieces', pieces: streamOf(['a', '.txt'], [30, 4]) });

    const response = await send(account, { ...turn, model });

    const text = await response.text();
    expect(text).toMatch(/^event: message_start\n/);
    expect(text).toMatch(/event: message_stop\ndata: .*\n\n$/);
    const [request] = upstream?.requests() ?? [];
    expect(request?.headers).not.toHaveProperty('anthropic-beta');
    const { input_schema: parameters, description } = bash;
    expect(request?.body).toEqual({
      model: upstreamModelOf(model),
      stream: true,
      stream_options: { include_usage: true },
      [kind === 'plain' ? 'max_tokens' : 'max_completion_tokens']: 1_000,
      temperature: 1,
      ...thinking,
      user: 'user_1_account__session_2',
      messages: [
        { role: 'system', content: turn.system.map((each) => each.text).join('\n\n') },
        { role: 'user', content: '<system-reminder>today</system-reminder>\n\nList the files.' },
        {
          role: 'assistant',
          content: 'Let me look.',
          tool_calls: [
            {
              id: 'toolu_1',
              type: 'function',
              function: { name: 'Bash', arguments: '{"command":"ls"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'a.txt' },
      ],
      tools: [{ type: 'function', function: { name: 'Bash', description, parameters } }],
    });
  });

  it('is told of a prompt that is too long in the words by which it shortens one', async () => {
    const { id: model } = chat.newModel('small');

    const response = await send(account, {
      model,
      max_tokens: 10,
      messages: [{ role: 'user', content: 'word '.repeat(201) }],
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message: expect.stringMatching(/^prompt is too long/),
      },
    });
  });

  it('gets the upstream’s own words of an error', async () => {
    const message = 'messages.1.content.0: Expected `thinking`, but found `text`';
    const { id: model } = chat.newModel('claude', {
      kind: 'status',
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error', message } },
    });

    const response = await send(account, { ...turn, model });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message },
    });
  });
});

describe('a request of Messages', () => {
  const asked = { max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] };
  const search = { type: 'web_search_20250305', name: 'web_search' };
  const refusing = chat.newModel('claude');
  const own = { name: 'look', input_schema: { type: 'object' } };

  it.each<[string, object]>([
    ['mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'a' }] }],
    ['container', { container: 'container_1' }],
    ['speed', { speed: 'fast' }],
    ['inference_geo', { inference_geo: 'us' }],
    ['service_tier', { service_tier: 'priority' }],
    ['n', { n: 2 }],
    ['max_completion_tokens', { max_completion_tokens: 9_000 }],
    ['MAX_TOKENS', { MAX_TOKENS: 9_000 }],
    ['tools.0.type', { tools: [search], tool_choice: { type: 'tool', name: 'web_search' } }],
    ['tools.1.type', { tools: [own, { type: 'code_execution_20250825', name: 'c' }] }],
    ['tool_choice.name', { tools: [own], tool_choice: { type: 'tool', name: 'web_search' } }],
    ['tools.0.name', { tools: [{ input_schema: { type: 'object' } }] }],
    ['tools.0.googleSearch', { tools: [{ ...own, googleSearch: {} }] }],
    [
      'context_management.edits.0.type',
      { context_management: { edits: [{ type: 'compact_20260112' }] } },
    ],
    ['context_management', { context_management: [{ type: 'compaction' }] }],
    ['context_management.Edits', { context_management: { Edits: [{ type: 'compact' }] } }],
    [
      'context_management.edits.0.Type',
      { context_management: { edits: [{ type: 'clear_thinking', Type: 'compact_20260112' }] } },
    ],
    ['thinking.Budget_Tokens', { thinking: { type: 'adaptive', Budget_Tokens: 9_000 } }],
    ['tags', { tags: ['free'] }],
    ['litellm_metadata', { litellm_metadata: { tags: ['free'] } }],
    ['compaction', { compaction: { type: 'summarize' } }],
    ['thread', { thread: { type: 'continue', previous_message_id: 'msg_1' } }],
    ['billing_policy', { billing_policy: { type: 'billing_policy', bill_to: 'user_profile' } }],
    ['fallback_credit_token', { fallback_credit_token: 'a' }],
    ['min_tokens', { min_tokens: 9_000 }],
    ['thinking_budget', { thinking_budget: 9_000 }],
    ['tools.0.Type', { tools: [{ ...own, Type: 'web_search_20250305' }] }],
    [
      'messages.0.content.0.tool.definition',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'tool_addition', tool: { type: 'tool_definition', definition: search } },
            ],
          },
        ],
      },
    ],
    [
      'messages.0.content.0.source.url',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'url', url: 'file:///etc/a.png' } }],
          },
        ],
      },
    ],
    [
      'system.0.source.file_id',
      { system: [{ type: 'document', source: { type: 'file', file_id: 'f' } }] },
    ],
    ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: 200 } }],
    [
      'messages.0.content.0.source.file_id',
      {
        messages: [
          { role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'f' } }] },
        ],
      },
    ],
    ['messages.0.role', { messages: [{ role: 'tool', content: 'hi' }] }],
    ['messages.0.content.0.text', { messages: [{ role: 'user', content: [{ type: 'text' }] }] }],
    ['temperature', { temperature: 2 }],
  ])('is refused with the name of %s', async (name, rest) => {
    const {
      id: model,
      upstreams: [upstream],
    } = refusing;

    const response = await send(account, { model, ...asked, ...rest });

    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { type: string; message: string } };
    expect(error.type).toBe('invalid_request_error');
    expect(error.message.split(': ')[0]).toBe(name);
    expect(upstream?.requests()).toEqual([]);
  });

  // Anthropic's Python client asks for a thread, and goes on by itself where these details say that there is none.
  it('tells a tool runner that there are no threads', async () => {
    const body = { model: refusing.id, ...asked, thread: { type: 'create' } };

    const response = await send(account, body);

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
      },
    });
  });

  it('passes what Quire doesn’t know, and leaves out what it can’t price', async () => {
    const {
      id: model,
      upstreams: [upstream],
    } = chat.newModel('claude', {
      kind: 'pieces',
      pieces: [messageOf([{ type: 'text', text: 'hi' }])],
    });

    await send(account, {
      ...{ model, ...asked, news: { a: 1 }, service_tier: 'auto' },
      diagnostics: { previous_message_id: 'msg_of_another_key' },
      metadata: { user_id: 'a', tags: ['free'] },
      tools: [{ type: 'bash_20250124', name: 'bash' }],
      tool_choice: { type: 'auto' },
    });

    expect(upstream?.requests()[0]?.body).toEqual({
      ...{ ...asked, model: upstreamModelOf(model), news: { a: 1 }, service_tier: 'standard_only' },
      metadata: { user_id: 'a' },
      tools: [{ type: 'bash_20250124', name: 'bash' }],
      tool_choice: { type: 'auto' },
    });
  });

  it('shows tools at once that a search by the provider would have shown', async () => {
    const {
      id: model,
      upstreams: [upstream],
    } = chat.newModel('claude');
    const finder = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };

    await send(account, { model, ...asked, tools: [finder, { ...own, defer_loading: true }] });
    await send(account, { model, ...asked, tools: [{ ...own, defer_loading: true }] });

    expect(upstream?.requests().map(({ body }) => body['tools'])).toEqual([
      [own],
      [{ ...own, defer_loading: true }],
    ]);
  });

  it('can’t make a prompt longer than the catalogue says', async () => {
    const {
      id: model,
      upstreams: [upstream],
    } = chat.newModel('claude');

    await send(
      account,
      { model, ...asked },
      { 'x-api-key': account.api_key, 'anthropic-beta': `Context-1M-2025-08-07,${betas}` },
    );

    expect(upstream?.requests()[0]?.headers['anthropic-beta']).toBe(betas);
  });
});
