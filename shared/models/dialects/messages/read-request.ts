import { fieldsIn, isSet, textIn } from '../../field.ts';
import { type Ask, effortFor, type Reasoning, type Tool } from '../ask.ts';
import { type Body, untranslatable } from '../dialect.ts';
import { listOf, schemaFormat, toolNamed } from '../read-shapes.ts';
import { readMessages, readSystem } from './read-messages.ts';
import { cacheOf, isOwnTool } from './wire.ts';

/** What no other dialect has words for, and that would change the answer. Other fields are left out without harm. */
const onlyHere = ['container', 'mcp_servers'];

/**
 * Reads a request of Anthropic's Messages. What other dialects can't say is refused by name.
 * @see https://platform.claude.com/docs/en/api/messages
 */
export function readMessagesRequest(body: Body): Ask {
  for (const name of onlyHere) {
    if (isSet(body[name]) && !isEmpty(body[name])) throw untranslatable([name], name);
  }
  const ask: Ask = {
    model: textIn(body['model']),
    messages: [...readSystem(body['system']), ...readMessages(listOf(body['messages']))],
    stream: body['stream'] === true,
  };
  const tools = listOf(body['tools']).map(toolOf);
  if (tools.length > 0) ask.tools = tools;
  readChoice(ask, body['tool_choice']);
  if (isSet(body['max_tokens'])) ask.maxOutputTokens = Number(body['max_tokens']);
  if (isSet(body['temperature'])) ask.temperature = Number(body['temperature']);
  if (isSet(body['top_p'])) ask.topP = Number(body['top_p']);
  if (isSet(body['top_k'])) ask.topK = Number(body['top_k']);
  const stop = body['stop_sequences'];
  if (Array.isArray(stop) && stop.length > 0) ask.stop = stop.map(String);
  const format = formatOf(body);
  if (format) ask.format = format;
  const reasoning = reasoningOf(body);
  if (reasoning) ask.reasoning = reasoning;
  const user = (body['metadata'] as Body | null | undefined)?.['user_id'];
  if (typeof user === 'string') ask.user = user;
  return ask;
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;

/** Reads a tool. Those that Claude knows without a description are known to no other model. */
function toolOf(tool: Body, index: number): Tool {
  if (!isOwnTool(tool)) {
    const what = `a tool of the type ${textIn(tool['type'])}, which only models of Messages know,`;
    throw untranslatable(['tools', index, 'type'], what);
  }
  const said = { ...tool, parameters: tool['input_schema'] };
  return { ...toolNamed(textIn(tool['name']), 'function', said), ...cacheOf(tool) };
}

/** Reads which tools may be called. A choice among none is no choice. */
function readChoice(ask: Ask, choice: unknown): void {
  if (!isSet(choice)) return;
  const { type, name, disable_parallel_tool_use } = choice as Body;
  const isForced = type === 'any' || type === 'tool';
  const isThere = type === 'tool' ? ask.tools?.some((tool) => tool.name === name) : ask.tools;
  if (isForced && !isThere) {
    const place = type === 'tool' ? ['tool_choice', 'name'] : ['tool_choice'];
    throw untranslatable(place, type === 'tool' ? `the tool ${name}` : 'a tool that it asks for');
  }
  if (!ask.tools) return;
  if (type === 'auto' || type === 'none') ask.toolChoice = type;
  if (type === 'any') ask.toolChoice = 'required';
  if (type === 'tool') ask.toolChoice = { name: textIn(name) };
  if (disable_parallel_tool_use === true) ask.parallelToolCalls = false;
}

/** The form of the answer: `output_config.format`, which was `output_format` while it was tried. */
function formatOf({ output_config, output_format }: Body): Ask['format'] {
  const format = fieldsIn(fieldsIn(output_config)['format'] ?? output_format);
  if (format['type'] !== 'json_schema') return undefined;
  return schemaFormat({ name: 'answer', schema: format['schema'], strict: true });
}

/** Reads how much is to be thought. Thoughts that are turned off are left to the model: many know no such word. */
function reasoningOf({ thinking, output_config }: Body): Reasoning | undefined {
  const { type, budget_tokens, display } = (thinking ?? {}) as Body;
  const { effort } = (output_config ?? {}) as Body;
  const isOn = type === 'enabled' || type === 'adaptive';
  const budget = isOn && typeof budget_tokens === 'number' ? budget_tokens : undefined;
  const told = typeof effort === 'string' ? effort : effortFor(budget);
  const reasoning: Reasoning = {
    // Others have no more than `high`, or call it otherwise.
    ...(told !== undefined && { effort: told === 'max' ? 'high' : told }),
    ...(budget !== undefined && { budgetTokens: budget }),
    ...(isOn && { isShown: display !== 'omitted' }),
  };
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}
