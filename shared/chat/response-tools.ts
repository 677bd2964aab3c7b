import * as v from 'valibot';
import { valueError } from '../http/errors.ts';
import { isAllowedBy, type Model } from '../models/catalogue.ts';
import { type ResponseRequest, Tools } from './response-request.ts';

type Tool = NonNullable<ResponseRequest['tools']>[number];

/** A tool that the caller runs is of one of these types, with what describes it. */
const callersFields: Readonly<Record<string, readonly string[]>> = {
  function: ['parameters', 'strict', 'output_schema', 'allowed_callers', 'async', 'defer_loading'],
  custom: ['format', 'allowed_callers', 'async', 'defer_loading'],
  namespace: ['tools'],
  tool_search: ['execution', 'parameters'],
};
const anyFields = ['type', 'name', 'description', 'cache_control'];

/**
 * Returns a request's tools. Throws `UnprocessableEntityError` for a provider's own, unless the catalogue allows it,
 * as it is billed by the call; also if a function's field brings one in. A search of tools is left out, as all are
 * shown.
 */
export function toolsFor(model: Model, request: ResponseRequest) {
  const tools = toolsAmong(model, request.tools ?? [], ['tools']);
  const choice = choiceAmong(model, tools, request.tool_choice);
  return {
    input: inputFor(model, request.input),
    ...(tools.length > 0 && { tools, ...(choice != null && { tool_choice: choice }) }),
  };
}

type Place = (string | number)[];

function toolsAmong(model: Model, all: readonly Tool[], place: Place): Tool[] {
  for (const [index, tool] of all.entries()) refuseTool(model, tool, [...place, index]);
  const shown = all.filter((tool) => !isProvidersSearch(model, tool));
  return shown.length === all.length ? shown : shown.map(shownAtOnce);
}

const isProvidersSearch = (model: Model, { type, execution }: Tool) =>
  type === 'tool_search' && execution !== 'client' && !isAllowedBy(model, `tools.${type}`);

const shownAtOnce = ({ defer_loading: _, allowed_callers: __, ...tool }: Tool): Tool => tool;

function refuseTool(model: Model, tool: Tool, place: Place): void {
  const { type } = tool;
  if (isAllowedBy(model, `tools.${type}`)) return;
  const fields = Object.hasOwn(callersFields, type) ? callersFields[type] : undefined;
  if (!fields) throw providersTool(model, type, [...place, 'type']);
  const foreign = Object.keys(tool).filter(
    (name) => !anyFields.includes(name) && !fields.includes(name),
  );
  const [first] = foreign;
  if (first !== undefined && !foreign.every((name) => isAllowedBy(model, `tools.${name}`))) {
    const reason = `a tool of the type ${type} has no such field for ${model.id}`;
    throw valueError(['body', ...place, first], reason);
  }
  if (type !== 'namespace') return;
  const within = listIn(tool['tools'], [...place, 'tools']);
  for (const [index, each] of within.entries()) refuseTool(model, each, [...place, 'tools', index]);
}

const providersTool = ({ id }: Model, type: string, place: Place) => {
  const search = /^web_search/.test(type)
    ? '. POST /chat/stream searches the web. Codex leaves it out with web_search = "disabled" in its config.toml'
    : '';
  return valueError(
    ['body', ...place],
    `a tool of the type ${type} is run by the provider, and not available for ${id}: those of the types function, custom and namespace are, and a tool_search of the client's${search}`,
  );
};

function listIn(tools: unknown, place: Place): Tool[] {
  if (!v.is(Tools, tools)) throw valueError(['body', ...place], 'it should be a list of tools');
  return tools;
}

/** Does the same for items that bring tools along, such as `additional_tools`. */
function inputFor(model: Model, input: ResponseRequest['input']): ResponseRequest['input'] {
  if (typeof input === 'string') return input;
  return input.map((item, index) => {
    const { type, tools } = item as { type?: unknown; tools?: unknown };
    // Tools that a server of the provider's listed add none, and have no types.
    if (tools === undefined || tools === null || type === 'mcp_list_tools') return item;
    const place = ['input', index, 'tools'];
    return { ...item, tools: toolsAmong(model, listIn(tools, place), place) };
  });
}

/** Ways to choose among the tools of a request that name one of the caller's, or several. */
const choiceTypes = ['function', 'custom', 'tool_search', 'allowed_tools'];

function choiceAmong(
  model: Model,
  tools: readonly Tool[],
  choice: ResponseRequest['tool_choice'],
): ResponseRequest['tool_choice'] {
  if (typeof choice !== 'object' || choice === null) return choice;
  const { type } = choice;
  if (!choiceTypes.includes(type) && !isAllowedBy(model, `tools.${type}`)) {
    throw providersTool(model, type, ['tool_choice', 'type']);
  }
  if (type !== 'allowed_tools') return choice;
  const allowed = listIn(choice['tools'], ['tool_choice', 'tools']);
  const missing = allowed.findIndex((each) => !tools.some((tool) => tool.type === each.type));
  if (missing < 0) return choice;
  const place = ['body', 'tool_choice', 'tools', missing, 'type'];
  throw valueError(place, 'the request has no tool of this type');
}
