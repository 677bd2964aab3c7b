import * as v from 'valibot';
import { valueError } from '../http/errors.ts';
import { isAllowedBy, type Model } from '../models/catalogue.ts';
import { type ResponseRequest, ResponseTool, Tools } from './response-request.ts';

type Tool = NonNullable<ResponseRequest['tools']>[number];

/** A tool that the caller runs is of one of these types. */
const callersTypes = ['function', 'custom'];

/** What describes such a tool. */
const callersFields = new Set([
  ...['type', 'name', 'description', 'parameters', 'strict', 'format'],
  ...['output_schema', 'allowed_callers', 'async', 'defer_loading', 'cache_control'],
]);

/** Of these only what finds tools, and that is left out, makes sense. */
const ofToolSearch = ['defer_loading', 'allowed_callers'];

/** The tools of a request that go on to its model, and the types of those that don't. */
export interface ToolsFor {
  input: ResponseRequest['input'];
  tools?: Tool[];
  tool_choice?: ResponseRequest['tool_choice'];
  include?: string[];
  leftOut: string[];
}

/**
 * Leaves out the tools that a provider runs itself, such as its web search, unless the catalogue allows them: it bills
 * them by the call, and clients such as Codex send them unasked. Throws `UnprocessableEntityError` if `tool_choice` asks
 * for one of them, and for a field by which a function would bring in another tool.
 */
export function toolsFor(model: Model, request: ResponseRequest): ToolsFor {
  const { tools: listed, tool_choice, include } = request;
  const { tools, leftOut: ofRequest } = toolsAmong(model, listed ?? [], ['tools']);
  const { input, leftOut: ofInput } = inputFor(model, request.input);
  const leftOut = [...new Set([...ofRequest, ...ofInput])];
  const choice = choiceAmong(model, tools, leftOut, tool_choice);
  const wanted = include?.filter((name) => !leftOut.some((type) => isOf(type, name)));
  return {
    ...{ input, leftOut },
    ...(tools.length > 0 && { tools, ...(choice != null && { tool_choice: choice }) }),
    ...(wanted && wanted.length > 0 && { include: wanted }),
  };
}

type Place = (string | number)[];

function toolsAmong(model: Model, all: readonly Tool[], place: Place) {
  const stays = (tool: Tool) => isKept(model, tool);
  for (const [index, tool] of all.entries()) {
    refuseForeignFields(model, tool, [...place, index]);
  }
  return {
    tools: all.filter(stays).map(withoutToolSearch(all.every(stays))),
    leftOut: all.filter((tool) => !stays(tool)).map(({ type }) => type),
  };
}

const isKept = (model: Model, { type }: Tool) =>
  callersTypes.includes(type) || isAllowedBy(model, `tools.${type}`);

/** Leaves the same tools out of items that bring some along, such as `additional_tools`. */
function inputFor(model: Model, input: ResponseRequest['input']) {
  const leftOut: string[] = [];
  if (typeof input === 'string') return { input, leftOut };
  const items = input.map((item, index) => {
    const { type, tools } = item as { type?: unknown; tools?: unknown };
    // What a server of the provider's listed brings in nothing, and has no types.
    if (tools === undefined || tools === null || type === 'mcp_list_tools') return item;
    const place = ['input', index, 'tools'];
    if (!v.is(Tools, tools)) throw valueError(['body', ...place], 'it should be a list of tools');
    const { tools: kept, leftOut: types } = toolsAmong(model, tools, place);
    leftOut.push(...types);
    return { ...item, tools: kept };
  });
  return { input: items, leftOut };
}

/** Whether what is to be included is of a tool: `web_search_call.action.sources` of `web_search_preview`, for one. */
const isOf = (type: string, name: string) => {
  const [owner = ''] = name.split('_call');
  return name.includes('_call') && type.startsWith(owner);
};

function refuseForeignFields(model: Model, tool: Tool, place: Place): void {
  if (!callersTypes.includes(tool.type)) return;
  const foreign = Object.keys(tool).filter((name) => !callersFields.has(name));
  const [first] = foreign;
  if (first === undefined || foreign.every((name) => isAllowedBy(model, `tools.${name}`))) return;
  const reason = `a tool of the type ${tool.type} has no such field for ${model.id}`;
  throw valueError(['body', ...place, first], reason);
}

const withoutToolSearch =
  (isWhole: boolean) =>
  (tool: Tool): Tool =>
    isWhole
      ? tool
      : (Object.fromEntries(
          Object.entries(tool).filter(([name]) => !ofToolSearch.includes(name)),
        ) as Tool);

/** Ways to choose among the tools of a request that name one of the caller's, or several. */
const choiceTypes = [...callersTypes, 'allowed_tools'];

function choiceAmong(
  model: Model,
  tools: Tool[],
  leftOut: string[],
  choice: ResponseRequest['tool_choice'],
): ResponseRequest['tool_choice'] {
  const forced = (place: string[] = []) =>
    valueError(
      ['body', 'tool_choice', ...place],
      `only tools of the types function and custom are available for ${model.id}`,
    );
  if (choice === 'required' && tools.length === 0 && leftOut.length > 0) throw forced();
  if (typeof choice !== 'object' || choice === null) return choice;
  const { type } = choice;
  if (!choiceTypes.includes(type) && !isAllowedBy(model, `tools.${type}`)) throw forced(['type']);
  if (type !== 'allowed_tools') return choice;
  const { tools: allowed, mode } = choice as { tools?: unknown; mode?: unknown };
  if (!Array.isArray(allowed)) {
    throw valueError(['body', 'tool_choice', 'tools'], 'it should be a list of tools');
  }
  const stay = allowed.filter((each) => v.is(ResponseTool, each) && isKept(model, each));
  if (stay.length === 0 && allowed.length > 0) {
    if (mode === 'required') throw forced(['tools']);
    return 'none';
  }
  return { ...choice, tools: stay };
}
