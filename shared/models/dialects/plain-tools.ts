import { hash } from 'node:crypto';
import { fieldsIn, newCallId, parsed, textIn } from '../field.ts';
import type { Ask, AskMessage, Tool, ToolCallPart } from './ask.ts';
import type { AnswerEvent } from './dialect.ts';

/*
 * Responses' tools as functions, for providers that know only those: a custom tool has its input as the one argument,
 * a namespace comes before the name, and a search of tools is a function like any.
 */

/** A tool, or a call of one, by what names it. */
type Named = { name: string; namespace?: string };

const maxNameLength = 64;

/** The name of a tool for all that know no namespaces. A long one is cut, and told apart by its digest. */
export function plainName({ name, namespace }: Named): string {
  if (namespace === undefined) return name;
  const whole = `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`.replace(
    /[^\w-]/g,
    '_',
  );
  if (whole.length <= maxNameLength) return whole;
  const digest = hash('sha256', `${namespace}\n${name}`).slice(0, 8);
  return `${whole.slice(0, maxNameLength - 9)}_${digest}`;
}

const inputSchema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The input of the tool, as it is.' } },
  required: ['input'],
  additionalProperties: false,
};

/** Says what a grammar asks of the input: a function has no field for it. */
function grammarOf(format: object | undefined): string[] {
  const { syntax, definition } = (format ?? {}) as Record<string, unknown>;
  return typeof definition === 'string'
    ? [`The input must keep to this grammar (${syntax}):\n${definition}`]
    : [];
}

function plainTool(tool: Tool): Tool {
  const name = plainName(tool);
  if (tool.is === 'function') {
    const { namespace: _, isSearch: __, ...plain } = tool;
    return { ...plain, name };
  }
  const words = [tool.description, ...grammarOf(tool.format)].filter(Boolean);
  return { is: 'function', name, description: words.join('\n\n'), schema: inputSchema };
}

const plainCall = ({ namespace, isCustom, isSearch: _, ...call }: ToolCallPart): ToolCallPart => ({
  ...call,
  name: plainName({ name: call.name, ...(namespace !== undefined && { namespace }) }),
  input: isCustom ? JSON.stringify({ input: call.input }) : call.input,
});

const plainMessage = (message: AskMessage): AskMessage =>
  message.role === 'assistant'
    ? {
        ...message,
        parts: message.parts.map((part) => (part.is === 'toolCall' ? plainCall(part) : part)),
      }
    : message;

/** Describes all tools of a request as functions. */
export function withPlainTools(ask: Ask): Ask {
  const { tools, toolChoice } = ask;
  const chosen =
    typeof toolChoice === 'object' ? { toolChoice: { name: plainName(toolChoice) } } : {};
  return {
    ...ask,
    ...chosen,
    messages: ask.messages.map(plainMessage),
    ...(tools && { tools: tools.map(plainTool) }),
  };
}

/** Makes what gives calls the names back that the caller knows, and custom tools their input. */
export function restoring({ tools = [] }: Ask): (event: AnswerEvent) => AnswerEvent[] {
  const byName = new Map(tools.map((tool) => [plainName(tool), tool]));
  /** The input of custom tools, which is known once all of it has come. */
  const inputs = new Map<number, string>();
  const rest = () => {
    const events = [...inputs].map(
      ([index, json]): AnswerEvent => ({ is: 'toolInput', index, text: inputIn(json) }),
    );
    inputs.clear();
    return events.filter((event) => event.is === 'toolInput' && event.text !== '');
  };
  return (event) => {
    if (event.is === 'toolInput' && inputs.has(event.index)) {
      inputs.set(event.index, `${inputs.get(event.index)}${event.text}`);
      return [];
    }
    if (event.is === 'end') return [...rest(), event];
    const tool = event.is === 'toolCall' && !event.isCustom ? byName.get(event.name) : undefined;
    if (event.is !== 'toolCall' || !tool) return [event];
    if (tool.is === 'custom') inputs.set(event.index, '');
    const { name, namespace } = tool;
    return [
      {
        ...event,
        name,
        id: event.id || newCallId(),
        ...(namespace !== undefined && { namespace }),
        ...(tool.is === 'custom' ? { isCustom: true } : tool.isSearch && { isSearch: true }),
      },
    ];
  };
}

/** The input within the arguments of a function. A model that gave none of that form may have meant all of it. */
function inputIn(json: string): string {
  const value = parsed(json);
  return textIn(typeof value === 'string' ? value : fieldsIn(value)['input'], json);
}
