import * as v from 'valibot';
import { valueError } from '../http/errors.ts';
import { isAllowedBy, type Model } from '../models/catalogue.ts';
import { isKnownTool, isOwnTool } from '../models/dialects/messages/wire.ts';
import { isObject, textIn } from '../models/field.ts';
import { type MessageRequest, MessageTool } from './message-request.ts';
import { refuseOtherCase } from './other-case.ts';

type Tool = NonNullable<MessageRequest['tools']>[number];
type Asked = Pick<MessageRequest, 'tools' | 'tool_choice'>;

/** Fields of a tool that the caller runs whose values are objects. */
const ownFields = ['input_schema', 'cache_control', 'eager_input_streaming'];

/** Whether a tool searches tools that are not shown. It isn't needed where all are shown. */
const isSearch = ({ type }: Tool) => textIn(type).startsWith('tool_search_tool_');

/**
 * Returns a request's tools. Throws `UnprocessableEntityError` for a provider's own, such as web search, which are
 * billed by the call, also beside a caller's tool; the catalogue may allow each by name. A search of tools is left
 * out, as all are shown.
 */
export function allowedTools(model: Model, { tools, tool_choice }: Asked): Asked {
  const all = tools ?? [];
  const kept = all.filter((tool, index) => {
    if (isKept(model, tool, ['tools', index])) return true;
    if (isSearch(tool)) return false;
    throw valueError(
      ['body', 'tools', index, 'type'],
      `a tool of the type ${tool.type} is run by the provider, and not available for ${model.id}: tools with an input_schema are${searchAdvice(tool)}`,
    );
  });
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

/** Refuses the same tools where messages bring them along: Anthropic takes a tool's definition in a `tool_addition`. */
export function refuseInlineTools(model: Model, messages: MessageRequest['messages']): void {
  for (const [index, { content }] of messages.entries()) {
    const place = ['messages', index, 'content'];
    if (Array.isArray(content)) refuseDefinitions(model, content, place);
  }
}

/** The fields with the arguments of a caller's tool and their schema, which may have any names. */
export const ownData = new Set(['input', 'input_schema']);

function refuseDefinitions(model: Model, value: unknown, place: (string | number)[]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, each] of Object.entries(value)) {
    const at = [...place, Array.isArray(value) ? Number(name) : name];
    if (name !== 'definition') {
      if (!ownData.has(name)) refuseDefinitions(model, each, at);
    } else if (!v.is(MessageTool, each) || !isKept(model, each, at)) {
      throw valueError(['body', ...at], `this tool is not available for ${model.id}`);
    }
  }
}

const searchAdvice = ({ type }: Tool) =>
  textIn(type).startsWith('web_search') ? ', and POST /chat/stream searches the web' : '';

/** Shows a tool from the start on, which else a search would show that may be left out. */
const shownAtOnce = ({ defer_loading: _, ...tool }: Tool): Tool => tool;

/** Names by which a server in Go would take a tool of the caller's for one of its own. */
const toolNames = [...Object.keys(MessageTool.entries), 'description', 'max_uses'];

function isKept(model: Model, tool: Tool, place: (string | number)[]): boolean {
  refuseOtherCase(tool, toolNames, ['body', ...place]);
  if (!isOwnTool(tool)) return isKnownTool(tool) || isAllowedBy(model, `tools.${tool.type}`);
  if (tool.name === undefined) throw valueError(['body', ...place, 'name'], 'it has none');
  const foreign = Object.keys(tool).find(
    (name) => isObject(tool[name]) && !ownFields.includes(name),
  );
  if (foreign === undefined || isAllowedBy(model, `tools.${foreign}`)) return true;
  throw valueError(['body', ...place, foreign], `it is not available for ${model.id}`);
}
