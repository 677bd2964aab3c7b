import { valueError } from '../http/errors.ts';
import { isAllowedBy, type Model } from '../models/catalogue.ts';
import type { Body } from '../models/dialects/dialect.ts';
import type { RequestBody } from '../models/upstreams/model-request.ts';
import { limitThatFits } from './answer-size.ts';
import { dataUrlAdvice, noFileIds, pathToFile } from './completion-message.ts';
import { refuseOtherCase, refuseOtherCaseWithin } from './other-case.ts';
import { refuseBeyondLimit } from './output-parameters.ts';
import { type ResponseRequest, responseParameters } from './response-request.ts';
import { toolsFor } from './response-tools.ts';
import { refuseUnpricedWithin, refuseUnsupported, unsupported } from './unsupported-parameters.ts';

/** What would need a conversation to be kept, here or with the provider. */
const kept = ['previous_response_id', 'conversation', 'prompt', 'background'];
const nothingKept = 'Quire keeps nothing of a conversation: send all of it in input';
const noReferences = 'Set store to false where your client would refer to items that are kept';

/** Parameters that change a call's cost beyond its hold, or belong to chat completions. */
const unavailable = [
  ...['context_management', 'image', 'messages', 'n', 'max_tokens', 'max_completion_tokens'],
  ...['functions', 'function_call', 'prediction', 'modalities', 'audio', 'response_format'],
];

const knownNames = [...responseParameters, ...unsupported, ...unavailable];

/** Fields of items that decide their cost, beside the fields of chat messages. */
const itemNames = [
  ...['output', 'summary', 'encrypted_content', 'file_url', 'tools', 'reasoning', 'mode'],
];

/**
 * Makes the request to an upstream, which stores nothing, with no more output than the model has. Throws
 * `UnprocessableEntityError` for what could change its cost or readers, a kept conversation, and files or items with
 * the provider.
 */
export function responseBody(model: Model, request: ResponseRequest): RequestBody {
  const { max_output_tokens, store, models: _, tools: __, tool_choice: ___, ...rest } = request;
  refuseKept(request);
  refuseOtherCase(rest, knownNames);
  const items = Array.isArray(rest.input) ? rest.input : [];
  refuseOtherCaseWithin(items, ['body', 'input'], itemNames);
  for (const name of unavailable) refuseUnlessAbsent(model, name, rest[name]);
  refuseUnsupported(model, rest);
  refuseUnpricedWithin(model, items, request.tools);
  const most = Math.min(max_output_tokens ?? model.maxOutputTokens, model.maxOutputTokens);
  const { include, top_logprobs } = rest;
  const listsTokens = Array.isArray(include) && include.includes('message.output_text.logprobs');
  const name = max_output_tokens == null ? undefined : 'max_output_tokens';
  const limit = limitThatFits({ listsTokens, top_logprobs }, most, name);
  refuseBeyondLimit(rest, most);
  refuseElsewhere(items);
  refuseOtherMode(model, rest.reasoning, ['reasoning']);
  for (const [index, { reasoning }] of (items as Record<string, unknown>[]).entries()) {
    refuseOtherMode(model, reasoning, ['input', index, 'reasoning']);
  }
  const body = {
    ...rest,
    ...toolsFor(model, request),
    store: false,
    ...(limit !== undefined && { max_output_tokens: limit }),
    ...(rest['service_tier'] === 'auto' && { service_tier: 'default' }),
  };
  // Null stands for what is not there, which not every server of this dialect knows. What is unavailable is false here,
  // and passes as absent: it would count as 0 where the request is measured.
  const sent = Object.entries(body).filter(
    ([name, value]) => value !== null && !unavailable.includes(name),
  );
  return Object.fromEntries(sent) as RequestBody;
}

function refuseKept(request: ResponseRequest): void {
  const { comparison_response_id } = (request['prompt_cache_options'] ?? {}) as Body;
  if ((comparison_response_id ?? null) !== null) {
    const place = ['body', 'prompt_cache_options', 'comparison_response_id'];
    throw valueError(place, `not available. ${nothingKept}`);
  }
  if (request.store === true) {
    throw valueError(['body', 'store'], `it can only be false. ${nothingKept}`);
  }
  for (const name of kept) {
    const value = request[name];
    if ((value ?? false) !== false)
      throw valueError(['body', name], `not available. ${nothingKept}`);
  }
}

/** A mode of thinking such as `pro` has a price of its own. */
function refuseOtherMode(model: Model, reasoning: unknown, place: (string | number)[]): void {
  if (typeof reasoning !== 'object' || reasoning === null) return;
  refuseOtherCase(reasoning as Body, ['mode'], ['body', ...place]);
  const { mode } = reasoning as { mode?: unknown };
  if ((mode ?? 'standard') === 'standard' || isAllowedBy(model, 'reasoning.mode')) return;
  throw valueError(['body', ...place, 'mode'], `only standard is available for ${model.id}`);
}

function refuseUnlessAbsent({ id }: Model, name: string, value: unknown): void {
  if ((value ?? false) === false) return;
  throw valueError(['body', name], `${name} is not available for ${id}`);
}

/** Refuses what lies with the provider, where it would be the operator's, and parts that lack what they show. */
function refuseElsewhere(items: readonly Record<string, unknown>[]): void {
  const fileId = pathToFile(items);
  if (fileId) throw valueError(['body', 'input', ...fileId], noFileIds);
  for (const [index, item] of items.entries()) {
    if (item['type'] === 'item_reference') {
      const reason = `item_reference is not available. ${nothingKept}. ${noReferences}`;
      throw valueError(['body', 'input', index, 'type'], reason);
    }
    if (item['type'] === 'image_generation_call') {
      const reason = `an image by its id is not available. ${nothingKept}`;
      throw valueError(['body', 'input', index, 'id'], reason);
    }
    for (const name of ['content', 'output']) refuseEmpty(item[name], ['input', index, name]);
  }
}

function refuseEmpty(parts: unknown, place: (string | number)[]): void {
  if (!Array.isArray(parts)) return;
  for (const [index, part] of (parts as Record<string, unknown>[]).entries()) {
    const { type, image_url, file_data, file_url } = part;
    if (type === 'input_image' && image_url == null) {
      throw valueError(['body', ...place, index, 'image_url'], 'the image is missing');
    }
    if (type === 'input_file' && file_data == null && file_url == null) {
      const reason = `the file is missing; ${dataUrlAdvice}`;
      throw valueError(['body', ...place, index, 'file_data'], reason);
    }
  }
}
