import * as v from 'valibot';
import { expect, it } from 'vitest';
import { CompletionRequest, upstreamBody } from '../../shared/chat/completion-request.ts';
import { messageBody } from '../../shared/chat/message-body.ts';
import { MessageRequest } from '../../shared/chat/message-request.ts';
import { responseBody } from '../../shared/chat/response-body.ts';
import { ResponseRequest } from '../../shared/chat/response-request.ts';
import { ServiceError } from '../../shared/http/errors.ts';
import { catalogue, type Model } from '../../shared/models/catalogue.ts';
import type { Body } from '../../shared/models/dialects/dialect.ts';
import { maxCostNanoUsd } from '../../shared/models/token-bounds.ts';
import { dialects } from '../../shared/models/upstreams/wires.ts';

const model = catalogue.models.find(({ id }) => id === 'gpt-5') as Model;

/** What no field should have, among it an object that makes no text. */
const oddities: unknown[] = [
  { toString: 1, valueOf: 1 },
  [{ toString: 1, valueOf: 1 }],
  null,
  [null],
  5,
  'constructor',
  [],
];

/** A value with each of its parts replaced by each oddity in turn. */
function* oddVersions(value: unknown): Generator<unknown> {
  yield* oddities;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, each] of Object.entries(value)) {
    for (const odd of oddVersions(each)) {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      Object.assign(copy, { [name]: odd });
      yield copy;
    }
  }
}

const image = 'data:image/png;base64,AA==';
const schema = { type: 'object', properties: {} };

const message = {
  ...{ model: model.id, max_tokens: 50, stop_sequences: ['a'], stream: true, top_k: 1 },
  system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '5m' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
        { type: 'document', title: 'a', source: { type: 'text', data: 'a' } },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'a' }] } },
        { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
        { type: 'search_result', title: 'a', source: 'a', content: [{ type: 'text', text: 'a' }] },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'a', signature: 'a' },
        { type: 'redacted_thinking', data: 'a' },
        { type: 'tool_use', id: 'a', name: 'a', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        {
          ...{ type: 'tool_result', tool_use_id: 'a' },
          content: [
            { type: 'text', text: 'a' },
            { type: 'tool_reference', tool_name: 'a' },
          ],
        },
      ],
    },
  ],
  tools: [{ name: 'a', description: 'a', input_schema: schema, strict: true }],
  tool_choice: { type: 'tool', name: 'a', disable_parallel_tool_use: true },
  thinking: { type: 'enabled', budget_tokens: 5 },
  output_config: { effort: 'low', format: { type: 'json_schema', schema } },
  context_management: { edits: [{ type: 'clear_thinking' }] },
  metadata: { user_id: 'a' },
};

const completion = {
  ...{ model: model.id, max_tokens: 50, stop: ['a'], stream: true, top_k: 1, top_p: 1, user: 'a' },
  ...{ reasoning_effort: 'low', verbosity: 'low', prompt_cache_key: 'a' },
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'a' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: image, detail: 'low' } },
        { type: 'file', file: { filename: 'a', file_data: 'data:application/pdf;base64,AA==' } },
        { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      ],
    },
    {
      ...{ role: 'assistant', content: null, refusal: 'a', thinking_blocks: [{ thinking: 'a' }] },
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'a', arguments: '{}' } },
        { id: 'b', type: 'custom', custom: { name: 'b', input: 'a' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'a' }] },
  ],
  tools: [
    { type: 'function', function: { name: 'a', parameters: schema } },
    { type: 'custom', custom: { name: 'b', format: { type: 'text' } } },
  ],
  tool_choice: { type: 'function', function: { name: 'a' } },
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
};

const response = {
  ...{ model: model.id, max_output_tokens: 50, stream: true, instructions: 'a', user: 'a' },
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: image, detail: 'low' },
        { type: 'input_file', filename: 'a', file_data: 'data:application/pdf;base64,AA==' },
      ],
    },
    {
      ...{ type: 'reasoning', id: 'a', encrypted_content: 'a' },
      summary: [{ type: 'summary_text', text: 'a' }],
    },
    { type: 'function_call', call_id: 'a', name: 'a', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'a' }] },
    { type: 'custom_tool_call', call_id: 'b', name: 'b', input: 'a' },
    { type: 'custom_tool_call_output', call_id: 'b', output: 'a' },
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'a' }] },
    { type: 'additional_tools', tools: [{ type: 'function', name: 'c', parameters: schema }] },
  ],
  tools: [
    { type: 'function', name: 'a', description: 'a', parameters: schema, strict: true },
    { type: 'custom', name: 'b', format: { type: 'text' } },
  ],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'a' }] },
  reasoning: { effort: 'low', summary: 'auto', mode: 'standard' },
  text: { verbosity: 'low', format: { type: 'json_schema', name: 'a', schema, strict: true } },
  include: ['reasoning.encrypted_content'],
  top_logprobs: 0,
};

const doors = {
  chat: [completion, CompletionRequest, upstreamBody],
  messages: [message, MessageRequest, messageBody],
  responses: [response, ResponseRequest, responseBody],
} as const;

it.each(['chat', 'messages', 'responses'] as const)(
  'whatever a request of %s has in a field, it has a price and is told in each dialect, or is the caller’s fault',
  (name) => {
    const [whole, schemaOf, bodyOf] = doors[name];
    const dialect = dialects[name];
    const handle = (request: Body, step: () => unknown) => {
      try {
        return step();
      } catch (error) {
        expect(error, JSON.stringify(request)).toBeInstanceOf(ServiceError);
        expect((error as ServiceError).statusCode).toBeLessThan(500);
        return undefined;
      }
    };

    for (const odd of oddVersions(whole)) {
      const parsed = v.safeParse(schemaOf as v.GenericSchema<unknown, Body>, odd);
      if (!parsed.success) continue;
      const request = parsed.output;
      const body = handle(request, () => bodyOf(model, request as never)) as Body | undefined;
      if (!body) continue;
      const cost = maxCostNanoUsd(model, dialect.sized(body));
      expect(cost, JSON.stringify(request)).toBeGreaterThan(0);
      for (const to of Object.values(dialects)) {
        handle(request, () => JSON.stringify(to.writeRequest(dialect.readRequest(body), model)));
      }
    }
  },
);
