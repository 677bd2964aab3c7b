import { valueError } from '../http/errors.ts';
import { catalogue, type Model } from '../models/catalogue.ts';

/** Parameters of providers and gateways that change a call's price, its model, its address, or who keeps its data. */
const special = [
  ...['service_tier', 'models', 'fallbacks', 'provider', 'plugins', 'web_search_options'],
  ...['api_base', 'api_key', 'base_url', 'extra_body', 'extra_headers'],
  ...['store', 'background', 'previous_response_id', 'mock_response', 'mock_tool_calls'],
  ...['route', 'model_list', 'user_config', 'mcp_servers', 'search_parameters', 'enable_search'],
  ...['speed', 'inference_geo', 'best_of', 'input_cost_per_token', 'output_cost_per_token'],
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
}

/** Clients send these for what is the default anyway. */
const asksForNothing = (value: unknown) =>
  value === undefined || value === null || value === false || value === 'default';

function isAllowed({ upstreams, serviceTiers }: Model, name: string, value: unknown): boolean {
  if (name === 'service_tier' && (value === 'auto' || isPriced(serviceTiers, value))) return true;
  return upstreams.every(({ upstream }) => catalogue.upstreams[upstream]?.allows.includes(name));
}

const isPriced = (tiers: Model['serviceTiers'], value: unknown) =>
  typeof value === 'string' && tiers !== undefined && Object.hasOwn(tiers, value);
