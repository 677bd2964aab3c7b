import { ServiceError, valueError } from '../http/errors.ts';
import { isAllowedBy, isAskedIn, type Model } from '../models/catalogue.ts';
import type { Body } from '../models/dialects/dialect.ts';
import { textIn } from '../models/field.ts';
import { isFree } from '../models/token-cost.ts';
import type { RequestBody } from '../models/upstreams/model-request.ts';
import { findFileId, noFileIds, pathToFile } from './completion-message.ts';
import { type MessageHeaders, MessageRequest } from './message-request.ts';
import { allowedTools, ownData, refuseInlineTools } from './message-tools.ts';
import { refuseOtherCase, refuseOtherCaseWithin } from './other-case.ts';
import { refuseBeyondLimit } from './output-parameters.ts';
import { refuseNamed, unsupported } from './unsupported-parameters.ts';

/** Parameters of chat completions that change how much is written, or of what kind: some providers know them here too. */
const ofCompletions = [
  ...['n', 'max_completion_tokens', 'modalities', 'audio', 'prediction', 'functions'],
];

/** Fields that name what the provider keeps, where all keys' messages lie together, or that bill another account. */
const kept = ['thread', 'billing_policy', 'fallback_credit_token'];

const knownNames = [
  ...[...Object.keys(MessageRequest.entries), ...unsupported, ...ofCompletions],
  ...['container', 'context_management', 'cache_control', 'compaction', 'diagnostics', ...kept],
];

/**
 * Makes the request to an upstream, with no more output than the model has, and without what has no price. Throws
 * `UnprocessableEntityError` for what could change its cost or readers, and for the operator's files.
 */
export function messageBody(model: Model, request: MessageRequest): RequestBody {
  const { service_tier, max_tokens, thinking, tools, tool_choice, stream, ...passed } =
    withoutThinking(model, request);
  // Clients compare an earlier message by its id, unasked. It might be another key's.
  const { diagnostics: _, models: __, metadata, ...rest } = passed;
  refuseOtherCase(rest, knownNames);
  refuseOtherCaseWithin(rest.messages, ['body', 'messages']);
  if (Array.isArray(rest.system)) refuseOtherCaseWithin(rest.system, ['body', 'system']);
  refuseParameters(model, request);
  const limit = Math.min(max_tokens, model.maxOutputTokens);
  const thought = withinLimit(thinking, max_tokens, limit);
  refuseBeyondLimit({ ...rest, thinking: thought }, limit);
  refuseElsewhere(request);
  refuseInlineTools(model, rest.messages);
  return {
    ...withPricedCache(model, { ...rest, ...allowedTools(model, { tools, tool_choice }) }),
    max_tokens: limit,
    // Gateways read orders of their own in what else it has.
    ...(metadata && { metadata: metadata.user_id == null ? {} : { user_id: metadata.user_id } }),
    ...(thought && { thinking: thought }),
    // `auto` may be a tier that the operator has bought.
    ...(service_tier && { service_tier: service_tier === 'auto' ? 'standard_only' : service_tier }),
    ...(stream && { stream }),
  };
}

/** Clients send these for what is the default anyway. */
const defaults: Record<string, unknown[]> = { n: [1], service_tier: ['auto', 'standard_only'] };

function refuseParameters(model: Model, request: MessageRequest): void {
  const { service_tier, ...rest } = request;
  refuseNamed(model, rest);
  for (const name of [...ofCompletions, ...kept, 'container', 'compaction', 'service_tier']) {
    const isDefault = [null, ...(defaults[name] ?? [])].includes(request[name] ?? null);
    if (isDefault || isAllowedBy(model, name)) continue;
    if (name === 'thread') throw withoutThreads();
    throw valueError(['body', name], `${name} is not available for ${model.id}`);
  }
  refuseEdits(model, request['context_management']);
}

/**
 * 400: a thread would be kept. Anthropic's tool runners ask for one, and go on without if these details say so.
 * @see https://github.com/anthropics/anthropic-sdk-python
 */
const withoutThreads = () =>
  new ServiceError(
    400,
    'invalid_request_error',
    'thread: it is not available, as nothing is kept',
    { details: { details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } } },
  );

/**
 * Refuses edits of the prompt that do more than leave some of it out: a summary is billed beside what the usage
 * tells.
 * @see https://platform.claude.com/docs/en/build-with-claude/compaction
 */
function refuseEdits(model: Model, management: unknown): void {
  const { edits = [] } = (management ?? {}) as { edits?: unknown };
  if (Array.isArray(management) || !Array.isArray(edits)) {
    throw valueError(['body', 'context_management'], 'it should have a list of edits');
  }
  refuseOtherCase((management ?? {}) as Body, ['edits'], ['body', 'context_management']);
  for (const [index, edit] of edits.entries()) {
    const place = ['body', 'context_management', 'edits', index];
    refuseOtherCase((edit ?? {}) as Body, ['type'], place);
    const type = textIn((edit as { type?: unknown } | null)?.type);
    if (type.startsWith('clear_') || isAllowedBy(model, `context_management.${type}`)) continue;
    throw valueError([...place, 'type'], `it is not available for ${model.id}`);
  }
}

function refuseElsewhere({ messages, system }: MessageRequest): void {
  const inMessages = findFileId(messages);
  if (inMessages) throw valueError(['body', 'messages', ...inMessages], noFileIds);
  const inSystem = pathToFile(system);
  if (inSystem) throw valueError(['body', 'system', ...inSystem], noFileIds);
}

/** Clients ask each model to think. One of another dialect that doesn't would be refused for it by its provider. */
function withoutThinking(model: Model, request: MessageRequest): MessageRequest {
  if (model.reasoning || isAskedIn(model, 'messages')) return request;
  const { thinking: _, output_config, ...rest } = request;
  const { effort: __, ...config }: Record<string, unknown> = output_config ?? {};
  return { ...rest, ...(Object.keys(config).length > 0 && { output_config: config }) };
}

/** Less may be thought where the model writes less than was asked for. */
function withinLimit(thinking: MessageRequest['thinking'], asked: number, limit: number) {
  const { budget_tokens = 0 } = thinking ?? {};
  if (limit === asked || budget_tokens < limit) return thinking;
  return { ...thinking, budget_tokens: limit - 1 };
}

/** A prompt longer than this many tokens must be asked for, as some models may take one. */
const longPromptTokens = 1_000_000;

/** The headers that are passed on. None may lengthen the prompt beyond the catalogue's: the rest would be unpaid. */
export function passedHeaders(
  { contextWindow }: Model,
  headers: MessageHeaders,
): Record<string, string> {
  const { 'anthropic-version': version, 'anthropic-beta': beta } = headers;
  const betas = beta?.split(',').map((name) => name.trim()) ?? [];
  const taken = betas.filter(
    (name) => contextWindow >= longPromptTokens || !/^context-1m\b/i.test(name),
  );
  const kept = taken.length === betas.length ? beta : taken.join(',');
  return {
    ...(version && { 'anthropic-version': version }),
    ...(kept && { 'anthropic-beta': kept }),
  };
}

/** Leaves out caches that the model has no price for: clients ask for them unasked, and the answer is the same. */
function withPricedCache<Request extends object>(model: Model, request: Request): Request {
  const { cacheWrite, cacheWrite1h } = model.usdPerMillionTokens;
  const isPriced = isFree(model) || (cacheWrite !== undefined && isAskedIn(model, 'messages'));
  if (isPriced && (isFree(model) || cacheWrite1h !== undefined)) return request;
  return changed(request, isPriced ? withoutLifetime : () => undefined) as Request;
}

const withoutLifetime = ({ ttl: _, ...control }: Record<string, unknown>) => control;

/** Changes each `cache_control` within a value; undefined leaves it out. */
function changed(
  value: unknown,
  change: (control: Record<string, unknown>) => object | undefined,
): unknown {
  if (Array.isArray(value)) return value.map((each) => changed(each, change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, each]) => {
    if (name !== 'cache_control' || typeof each !== 'object' || each === null) {
      return [[name, ownData.has(name) ? each : changed(each, change)]];
    }
    const control = change(each as Record<string, unknown>);
    return control ? [[name, control]] : [];
  });
  return Object.fromEntries(entries);
}
