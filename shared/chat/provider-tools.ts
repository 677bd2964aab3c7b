import { valueError } from '../http/errors.ts';
import { isAllowedBy, type Model } from '../models/catalogue.ts';

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
 * Refuses tools that a provider runs itself, such as its web search: it bills them by the call. They have a type of
 * their own, or a field of their own without one (`{"googleSearch": {}}`), or beside a function. The catalogue may allow
 * each by its name. Throws `UnprocessableEntityError`.
 */
export function refuseProvidersTools(
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
  const [field, names] = hasFields ? foreignFields(tool) : ['type', [String(type)]];
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
