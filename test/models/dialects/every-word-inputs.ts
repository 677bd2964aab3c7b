import type { Ask } from '../../../shared/models/dialects/ask.ts';
import type { AnswerEvent } from '../../../shared/models/dialects/dialect.ts';

const png = 'data:image/png;base64,AA==';
const pdf = 'data:application/pdf;base64,AQ==';
const schema = { type: 'object', properties: { city: { type: 'string' } } };

/** A request of Responses with every word that is read. */
export const responsesBody = {
  ...{ model: 'm', instructions: 'Be brief.', stream: true, store: false, truncation: 'disabled' },
  ...{ max_output_tokens: 700, temperature: 0.5, top_p: 0.9, parallel_tool_calls: false },
  ...{ user: 'u1', prompt_cache_key: 'k1', metadata: { team: 'a' }, top_logprobs: 0 },
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'low', summary: 'auto' },
  text: {
    ...{ verbosity: 'high' },
    format: { type: 'json_schema', name: 'place', schema, strict: true, description: 'A place.' },
  },
  tool_choice: { type: 'function', name: 'look', namespace: 'web' },
  tools: [
    {
      type: 'function',
      name: 'weather',
      description: 'Says it.',
      parameters: schema,
      strict: true,
    },
    {
      type: 'custom',
      name: 'patch',
      description: 'Edits.',
      format: { type: 'grammar', syntax: 'lark', definition: 'x' },
    },
    {
      type: 'namespace',
      name: 'web',
      description: 'The web.',
      tools: [
        { type: 'function', name: 'look', description: 'Looks.' },
        { type: 'function', name: 'open' },
      ],
    },
    { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: schema },
  ],
  input: [
    { role: 'system', content: 'S' },
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
    {
      ...{ role: 'user' },
      content: [
        { type: 'text', text: 'U' },
        { type: 'input_image', image_url: png, detail: 'low' },
        { type: 'input_image', image_url: 'https://example.com/a.png' },
        { type: 'input_file', file_data: pdf, filename: 'a.pdf' },
        { type: 'input_file', file_url: 'https://example.com/a.pdf' },
      ],
    },
    { role: 'user', content: '' },
    {
      type: 'reasoning',
      id: 'rs1',
      summary: [{ type: 'summary_text', text: 'h' }],
      content: [{ type: 'reasoning_text', text: 'm' }],
      encrypted_content: 'enc',
    },
    { type: 'reasoning', summary: [], encrypted_content: 'signature:sig' },
    { type: 'reasoning', summary: [], encrypted_content: 'redacted:red' },
    { role: 'assistant', content: '' },
    {
      role: 'assistant',
      content: [
        { type: 'output_text', text: 'A' },
        { type: 'refusal', refusal: 'R' },
      ],
    },
    { type: 'function_call', call_id: 'c1', name: 'look', namespace: 'web', arguments: '{"q":1}' },
    { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: 'p' },
    { type: 'custom_tool_call', call_id: 'c3', name: 'patch' },
    { type: 'tool_search_call', call_id: 'c4', arguments: { goal: 'g' } },
    { type: 'function_call_output', call_id: 'c1', output: 'o1' },
    {
      type: 'custom_tool_call_output',
      call_id: 'c2',
      output: [
        { type: 'input_text', text: 'o2' },
        { type: 'input_image', image_url: png },
      ],
    },
    {
      ...{ type: 'tool_search_output', call_id: 'c4' },
      tools: [
        { type: 'function', name: 'found', parameters: schema },
        {
          type: 'namespace',
          name: 'deep',
          tools: [
            { type: 'function', name: 'f1' },
            { type: 'custom', name: 'f2' },
          ],
        },
      ],
    },
    { type: 'tool_search_output', call_id: 'c5' },
    { type: 'additional_tools', tools: [{ type: 'custom', name: 'more' }] },
  ],
};

/** A chat completion's request with every word that is read. */
export const chatBody = {
  ...{ model: 'm', stream: true, max_tokens: 700, temperature: 0.5, top_p: 0.9, top_k: 5 },
  ...{
    stop: 'END',
    reasoning_effort: 'low',
    verbosity: 'high',
    user: 'u1',
    prompt_cache_key: 'k1',
  },
  ...{ parallel_tool_calls: false, tool_choice: { type: 'custom', custom: { name: 'patch' } } },
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'place', schema, strict: true, description: 'A place.' },
  },
  tools: [
    {
      type: 'function',
      function: { name: 'weather', description: 'Says it.', parameters: schema, strict: true },
      cache_control: { type: 'ephemeral', ttl: '1h' },
    },
    { type: 'function', function: { name: 'bare' } },
    { type: 'custom', custom: { name: 'patch', description: 'Edits.', format: { type: 'text' } } },
  ],
  messages: [
    { role: 'system', content: 'S' },
    {
      role: 'developer',
      content: [{ type: 'text', text: 'D', cache_control: { type: 'ephemeral' } }],
    },
    {
      ...{ role: 'user', name: 'ann' },
      content: [
        { type: 'text', text: 'U' },
        { type: 'image_url', image_url: { url: png, detail: 'low' }, cache_control: { ttl: '1h' } },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        { type: 'file', file: { file_data: pdf, filename: 'a.pdf' }, cache_control: {} },
        { type: 'file', file: { file_data: pdf } },
      ],
    },
    {
      ...{ role: 'assistant', name: 'bot', content: 'A', refusal: 'R' },
      thinking_blocks: [
        { type: 'thinking', thinking: 'h', signature: 's' },
        null,
        { type: 'redacted_thinking', data: 'd' },
      ],
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"q":1}' } },
        { id: 'c2', type: 'custom', custom: { name: 'patch', input: 'p' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'o1' },
    { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'o2' }] },
    { role: 'assistant', content: null },
    { role: 'user', content: '' },
  ],
};

/** A request of Messages with every word that is read. */
export const messagesBody = {
  ...{ model: 'm', stream: true, max_tokens: 9_000, temperature: 0.5, top_p: 0.9, top_k: 5 },
  ...{ stop_sequences: ['END'], metadata: { user_id: 'u1' }, container: null, mcp_servers: [] },
  thinking: { type: 'enabled', budget_tokens: 4_096, display: 'omitted' },
  output_config: { effort: 'max', format: { type: 'json_schema', schema } },
  tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
  system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  tools: [
    {
      name: 'weather',
      description: 'Says it.',
      input_schema: schema,
      strict: true,
      cache_control: { type: 'ephemeral' },
    },
    { type: 'custom', name: 'bare' },
  ],
  messages: [
    { role: 'system', content: 'T' },
    {
      ...{ role: 'user' },
      content: [
        { type: 'text', text: 'U', cache_control: { type: 'ephemeral', ttl: '5m' } },
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: 'AA==' },
          cache_control: { type: 'ephemeral' },
        },
        { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'AQ==' },
          title: 'a.pdf',
        },
        {
          type: 'document',
          source: { type: 'text', media_type: 'text/plain', data: 'D' },
          title: 'T',
          context: 'C',
        },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'E' }] } },
        {
          type: 'search_result',
          title: 'T',
          source: 'https://e.example',
          content: [{ type: 'text', text: 'F' }],
        },
        { type: 'tool_reference', tool_name: 'weather' },
      ],
    },
    {
      ...{ role: 'assistant' },
      content: [
        { type: 'thinking', thinking: 'h', signature: 's' },
        { type: 'thinking', thinking: 'i', signature: '' },
        { type: 'redacted_thinking', data: 'd' },
        { type: 'text', text: 'A' },
        { type: 'server_tool_use', id: 'x', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: 'x', content: [] },
        { type: 'mcp_tool_use', id: 'y' },
        {
          type: 'tool_use',
          id: 'c1',
          name: 'weather',
          input: { q: 1 },
          cache_control: { type: 'ephemeral' },
        },
        { type: 'tool_use', id: 'c2', name: 'bare' },
      ],
    },
    {
      ...{ role: 'user' },
      content: [
        { type: 'text', text: 'V' },
        { type: 'tool_result', tool_use_id: 'c1', content: 'o1', is_error: true },
        {
          type: 'tool_result',
          tool_use_id: 'c2',
          content: [
            { type: 'text', text: 'o2' },
            { type: 'image', source: { type: 'url', url: 'https://example.com/b.png' } },
          ],
        },
      ],
    },
  ],
};

const text = (words: string) => ({ is: 'text' as const, text: words });

/** A request with every word that an ask has, as far as each dialect can say it. */
export const fullAsk: Ask = {
  ...{ model: 'm', stream: true, maxOutputTokens: 700, temperature: 0.5, topP: 0.9 },
  ...{ user: 'u1', promptCacheKey: 'k1', verbosity: 'high', parallelToolCalls: false },
  ...{ toolChoice: 'auto', reasoning: { effort: 'low', isShown: true }, metadata: { team: 'a' } },
  format: { is: 'schema', name: 'place', schema, strict: true, description: 'A place.' },
  tools: [
    { is: 'function', name: 'weather', description: 'Says it.', schema, strict: true, cache: '1h' },
    { is: 'function', name: 'bare' },
  ],
  messages: [
    { role: 'system', parts: [{ ...text('S'), cache: '5m' }] },
    { role: 'developer', parts: [text('D')] },
    {
      ...{ role: 'user', name: 'ann' },
      parts: [
        text('U'),
        { is: 'image', url: png, detail: 'low', cache: '1h' },
        { is: 'image', url: 'https://example.com/a.png' },
        { is: 'file', url: pdf, name: 'a.pdf' },
        { is: 'file', url: pdf, cache: '5m' },
      ],
    },
    {
      ...{ role: 'assistant', name: 'bot' },
      parts: [
        { is: 'thought', text: 'h', signature: 's' },
        { is: 'thought', text: 'i', encrypted: 'd' },
        { is: 'thought', text: 'j', encrypted: 'responses:e', id: 'rs1' },
        { is: 'thought', text: 'k' },
        ...[text('A'), text('B')],
        { is: 'refusal', text: 'R' },
        { is: 'toolCall', id: 'c1', name: 'weather', input: '{"q":1}', cache: '5m' },
        { is: 'toolCall', id: 'c2', name: 'bare', input: '[]' },
      ],
    },
    { role: 'tool', callId: 'c1', isError: true, parts: [text('o1')] },
    { role: 'tool', callId: 'c2', parts: [text('o2'), { is: 'image', url: png }] },
    { role: 'user', parts: [text('V')] },
  ],
};

/** Tools and calls that Responses alone has words for, and custom ones, which chat completions have too. */
export const customAsk: Ask = {
  ...{ model: 'm', stream: false, toolChoice: { name: 'patch' }, format: { is: 'json' } },
  tools: [
    { is: 'custom', name: 'patch', description: 'Edits.', format: { type: 'text' } },
    { is: 'custom', name: 'plain' },
  ],
  messages: [
    {
      role: 'assistant',
      parts: [{ is: 'toolCall', id: 'c1', name: 'patch', input: 'p', isCustom: true }],
    },
    { role: 'tool', callId: 'c1', parts: [text('o1')] },
  ],
};

export const namespacedAsk: Ask = {
  ...{ model: 'm', stream: false, messages: [], toolChoice: { name: 'look' }, verbosity: 'low' },
  tools: [
    { is: 'function', name: 'look', namespace: 'web' },
    { is: 'function', name: 'weather', schema },
    { is: 'custom', name: 'open', namespace: 'web' },
    { is: 'function', name: 'tool_search', description: 'Finds.', schema, isSearch: true },
  ],
};

/** An answer with every kind of piece. */
export const fullAnswer: AnswerEvent[] = [
  { is: 'start', id: 'a1', model: 'told' },
  { is: 'thought', text: 'h' },
  { is: 'thought', text: 'm' },
  { is: 'signature', signature: 's' },
  { is: 'signature', encrypted: 'd' },
  { is: 'text', text: 'A' },
  { is: 'text', text: 'B' },
  { is: 'refusal', text: 'R' },
  { is: 'toolCall', index: 0, id: 'c1', name: 'weather' },
  { is: 'toolInput', index: 0, text: '{"q":' },
  { is: 'toolInput', index: 0, text: '1}' },
  { is: 'toolCall', index: 1, id: 'c2', name: 'patch', isCustom: true, namespace: 'web' },
  { is: 'toolInput', index: 1, text: '{}' },
  { is: 'toolCall', index: 2, id: 'c3', name: 'tool_search', isSearch: true },
  { is: 'toolInput', index: 2, text: '{"goal":"g"}' },
  {
    ...{ is: 'usage', serviceTier: 'flex' },
    usage: {
      ...{ promptTokens: 100, outputTokens: 40, cachedTokens: 30, cacheWriteTokens: 20 },
      ...{ cacheWrite1hTokens: 10, thoughtTokens: 5 },
    },
  },
  { is: 'end', reason: 'toolCalls' },
];
