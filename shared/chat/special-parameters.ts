import { valueError } from '../http/errors.ts';
import { catalogue, type Model } from '../models/catalogue.ts';
import { outputParameters } from './output-parameters.ts';

/** Parameters of providers and gateways that change a call's price, its model, its address, or who keeps its data. */
const special = [
  ...['service_tier', 'models', 'fallbacks', 'provider', 'plugins', 'web_search_options'],
  ...['api_base', 'api_key', 'base_url', 'extra_body', 'extra_headers'],
  ...['store', 'background', 'previous_response_id', 'mock_response', 'mock_tool_calls'],
  ...['route', 'model_list', 'user_config', 'mcp_servers', 'search_parameters', 'enable_search'],
  ...['speed', 'inference_geo', 'input_cost_per_token', 'output_cost_per_token'],
  ...outputParameters,
];

/**
 * Refuses parameters that could make a call cheaper or dearer than was held, send it elsewhere, or have it kept,
 * unless the catalogue allows them. Throws `UnprocessableEntityError`.
 */
export function refuseSpecial(model: Model, parameters: Record<string, unknown>): void {
  for (const name of special) {
    const value = parameters[name];
    if (asksForNothing(value) || isAllowed(model, name, value)) continue;
    throw valueError(['body', name], `${name} is not available for ${model.id}`);
  }
  refuseProvidersTools(model, parameters['tools']);
}

/** Refuses tools that a provider runs itself, such as its web search: it bills them by the call. */
function refuseProvidersTools(model: Model, tools: unknown): void {
  if (!Array.isArray(tools)) return;
  for (const [index, tool] of tools.entries()) {
    const type: unknown = tool?.type;
    if (type === undefined || type === 'function' || type === 'custom') continue;
    if (isAllowedBy(model, `tools.${type}`)) continue;
    throw valueError(
      ['body', 'tools', index, 'type'],
      `only tools of the types function and custom are available for ${model.id}`,
    );
  }
}

/** Clients send these for what is the default anyway. */
const asksForNothing = (value: unknown) =>
  value === undefined || value === null || value === false || value === 'default';

function isAllowed(model: Model, name: string, value: unknown): boolean {
  const isTier = value === 'auto' || isPriced(model.serviceTiers, value);
  return (name === 'service_tier' && isTier) || isAllowedBy(model, name);
}

/** Whether the catalogue lets callers send a parameter to each upstream of a model. */
function isAllowedBy({ upstreams }: Model, name: string): boolean {
  return upstreams.every(({ upstream }) => catalogue.upstreams[upstream]?.allows.includes(name));
}

const isPriced = (tiers: Model['serviceTiers'], value: unknown) =>
  typeof value === 'string' && tiers !== undefined && Object.hasOwn(tiers, value);
