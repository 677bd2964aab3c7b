import { valueError } from '../http/errors.ts';
import { askedKinds, type Place } from '../models/asked-kinds.ts';
import { isAllowedBy, type Model } from '../models/catalogue.ts';
import { textIn } from '../models/field.ts';
import { isFree } from '../models/token-cost.ts';
import { refuseOtherCaseWithin } from './other-case.ts';
import { outputParameters } from './output-parameters.ts';

/** Parameters of providers and gateways that change a call's price, its model, its address, or the keeper of its data. */
export const unsupported = [
  ...['service_tier', 'fallbacks', 'provider', 'plugins', 'web_search_options'],
  ...['api_base', 'api_key', 'base_url', 'extra_body', 'extra_headers'],
  ...['store', 'background', 'previous_response_id', 'mock_response', 'mock_tool_calls'],
  ...['route', 'model_list', 'user_config', 'mcp_servers', 'search_parameters', 'enable_search'],
  ...['speed', 'inference_geo', 'input_cost_per_token', 'output_cost_per_token'],
  // xAI answers later, and bills then; OpenRouter takes model and tools from a preset.
  ...['deferred', 'preset'],
  // Searches and tools of Groq, Alibaba, Baidu, Tencent, Cohere, and Azure's own data.
  ...['compound_custom', 'search_settings', 'search_options', 'enable_code_interpreter'],
  ...['web_search', 'enable_enhancement', 'force_search_enhancement', 'connectors', 'data_sources'],
  // Bedrock's and LiteLLM's forms of the header `anthropic-beta`, of which not all may be asked.
  ...['anthropic_beta', 'betas'],
  // LiteLLM's: what is written to a cache, and what the operator keeps in one or as a prompt.
  ...['cache_control_injection_points', 'cached_content', 'prompt_id'],
  // Its ways to choose another deployment, of another price.
  ...['litellm_metadata', 'tags'],
  // Together bills the model that checks the answer.
  'safety_model',
  ...outputParameters,
];

/**
 * Refuses parameters that could change a call's price, place or storage, unless the catalogue allows or prices them.
 * Throws `UnprocessableEntityError`.
 */
export function refuseUnsupported(model: Model, parameters: Record<string, unknown>): void {
  refuseNamed(model, parameters);
  refuseProvidersTools(model, parameters);
  refuseUnpriced(model, parameters);
  refuseModalities(model, parameters['modalities']);
}

/** Refuses the same by their names alone. */
export function refuseNamed(model: Model, parameters: Record<string, unknown>): void {
  for (const name of unsupported) {
    const value = parameters[name];
    if (asksForNothing(value) || isAllowed(model, name, value)) continue;
    throw valueError(['body', name], `${name} is not available for ${model.id}`);
  }
}

/** Refuses the same in messages alone, as jobs have them. `within` is their place. Throws `UnprocessableEntityError`. */
export function refuseInMessages(model: Model, messages: readonly unknown[], within: Place): void {
  refuseOtherCaseWithin(messages, [...within, 'messages']);
  refuseUnpriced(model, { messages }, within);
}

/** Refuses the same in the items of a response's input, and in its tools. */
export const refuseUnpricedWithin = (
  model: Model,
  items: readonly unknown[],
  tools: unknown,
): void => refuseUnpriced(model, { items, tools }, ['body'], { items: 'input' });

/** What has a price of its own at every provider that has it. Audio that is sent may have the price of other input. */
const pricedApart = ['cacheWrite', 'cacheWrite1h', 'audioOutput'] as const;

/** Refuses what has a price of its own, if the catalogue doesn't say which. */
function refuseUnpriced(
  model: Model,
  parameters: Record<string, unknown>,
  within: Place = ['body'],
  names: Readonly<Record<string, string>> = {},
): void {
  if (isFree(model)) return;
  const asked = askedKinds(parameters);
  for (const kind of pricedApart) {
    const place = asked[kind]?.map((name) => names[name] ?? name);
    if (!place || model.usdPerMillionTokens[kind] !== undefined) continue;
    throw valueError(
      [...within, ...place],
      `it is not available for ${model.id}, whose price has no ${kind}`,
    );
  }
}

/** Refuses output that is neither text nor audio: only the catalogue may know what its tokens cost. */
function refuseModalities(model: Model, modalities: unknown): void {
  const listed: unknown[] = Array.isArray(modalities) ? modalities : [modalities ?? 'text'];
  const index = listed.findIndex((each) => each !== 'text' && each !== 'audio');
  if (index < 0 || isFree(model) || isAllowedBy(model, 'modalities')) return;
  throw valueError(
    ['body', 'modalities', ...(Array.isArray(modalities) ? [index] : [])],
    `only the modalities text and audio are available for ${model.id}`,
  );
}

/** Clients send these for what is the default anyway. */
const asksForNothing = (value: unknown) => value === undefined || value === null || value === false;

function isAllowed(model: Model, name: string, value: unknown): boolean {
  const isTier = value === 'auto' || value === 'default' || isPriced(model.serviceTiers, value);
  return (name === 'service_tier' && isTier) || isAllowedBy(model, name);
}

const isPriced = (tiers: Model['serviceTiers'], value: unknown) =>
  typeof value === 'string' && tiers !== undefined && Object.hasOwn(tiers, value);

/** A tool that the caller runs is of one of these types. */
const callersTypes: unknown[] = ['function', 'custom'];

/** What describes such a tool. */
const callersFields = new Set([
  ...['type', 'function', 'custom', 'name', 'description', 'parameters', 'strict'],
  'cache_control',
]);

/** Ways to choose among the tools of a request, as OpenAI and Anthropic name them. They bring in no other. */
const choiceTypes: unknown[] = [
  ...[...callersTypes, 'allowed_tools'],
  ...['auto', 'any', 'none', 'required', 'tool'],
];

/**
 * Refuses a provider's own tools, which are billed by the call: by their type, or by a field, alone
 * (`{"googleSearch": {}}`) or beside a function. The catalogue may allow each by name. Throws
 * `UnprocessableEntityError`.
 */
function refuseProvidersTools(
  model: Model,
  { tools, functions, tool_choice }: Record<string, unknown>,
): void {
  refuseAmong(model, tools, 'tools', callersTypes);
  // LiteLLM reads the old list as it does the new one. A function needs no type there.
  refuseAmong(model, functions, 'functions', [undefined, ...callersTypes]);
  const choice = (tool_choice ?? 'auto') as { type?: unknown } | string;
  if (typeof choice === 'string' || choiceTypes.includes(choice.type)) return;
  refuseProvidersTool(model, choice, ['tool_choice'], [undefined]);
}

function refuseAmong(model: Model, list: unknown, name: string, types: unknown[]): void {
  if (!Array.isArray(list ?? [])) throw refusal(model, [name]);
  for (const [index, tool] of ((list ?? []) as unknown[]).entries()) {
    refuseProvidersTool(model, tool, [name, index], types);
  }
}

function refuseProvidersTool(
  model: Model,
  tool: unknown,
  place: (string | number)[],
  types: unknown[],
): void {
  if (typeof tool !== 'object' || tool === null) throw refusal(model, place);
  const { type } = tool as { type?: unknown };
  const isCallers = types.includes(type);
  const hasFields = isCallers || type === undefined;
  const [field, names] = hasFields ? foreignFields(tool) : ['type', [textIn(type)]];
  const isNamed = names.length > 0;
  if (isCallers && !isNamed) return;
  if (isNamed && names.every((name) => isAllowedBy(model, `tools.${name}`))) return;
  throw refusal(model, [...place, field]);
}

/** The fields of a tool that describe nothing which the caller runs, and the first of them. */
function foreignFields(tool: object): [string, string[]] {
  const names = Object.keys(tool).filter((name) => !callersFields.has(name));
  return [names[0] ?? 'type', names];
}

const refusal = ({ id }: Model, place: (string | number)[]) =>
  valueError(
    ['body', ...place],
    `only tools of the types function and custom are available for ${id}`,
  );
