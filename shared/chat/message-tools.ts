import { valueError } from '../http/errors.ts';
import { isAllowedBy, type Model } from '../models/catalogue.ts';
import { isKnownTool, isOwnTool } from '../models/dialects/messages/wire.ts';
import type { MessageRequest } from './message-request.ts';

type Tool = NonNullable<MessageRequest['tools']>[number];
type Asked = Pick<MessageRequest, 'tools' | 'tool_choice'>;

/** Fields of a tool that the caller runs whose values are objects. */
const ownFields = ['input_schema', 'cache_control', 'eager_input_streaming'];

/**
 * Leaves out tools that a provider runs, such as its web search: it bills them by the call, or the prompt again for each
 * turn of its own, and clients send them unasked. Throws
 * `UnprocessableEntityError` if such a one must be called, and for a tool of the caller's that is one beside, as gateways
 * know them (`{"googleSearch": {}}`). The catalogue may allow each by its name.
 */
export function allowedTools(model: Model, { tools, tool_choice }: Asked): Asked {
  const all = tools ?? [];
  const kept = all.filter((tool, index) => isKept(model, tool, index));
  const { type, name } = tool_choice ?? {};
  const isThere = type === 'tool' ? kept.some((tool) => tool.name === name) : kept.length > 0;
  if ((type === 'tool' || type === 'any') && all.length > 0 && !isThere) {
    const place = type === 'tool' ? ['tool_choice', 'name'] : ['tool_choice'];
    throw valueError(['body', ...place], `this tool is not available for ${model.id}`);
  }
  if (kept.length === 0 && all.length > 0) return {};
  const found = kept.length < all.length ? kept.map(shownAtOnce) : kept;
  return { ...(tools && { tools: found }), ...(tool_choice && { tool_choice }) };
}

/** Shows a tool from the start on, which else a search would show that may be left out. */
const shownAtOnce = ({ defer_loading: _, ...tool }: Tool): Tool => tool;

function isKept(model: Model, tool: Tool, index: number): boolean {
  if (!isOwnTool(tool)) return isKnownTool(tool) || isAllowedBy(model, `tools.${tool.type}`);
  if (tool.name === undefined) throw valueError(['body', 'tools', index, 'name'], 'it has none');
  const foreign = Object.keys(tool).find(
    (name) => isDictionary(tool[name]) && !ownFields.includes(name),
  );
  if (foreign === undefined || isAllowedBy(model, `tools.${foreign}`)) return true;
  throw valueError(['body', 'tools', index, foreign], `it is not available for ${model.id}`);
}

const isDictionary = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
