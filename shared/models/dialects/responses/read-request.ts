import { isSet, numberIn, textIn, textsAmong } from '../../field.ts';
import type { Ask, Format, Tool, ToolChoice } from '../ask.ts';
import { type Body, type Place, untranslatable } from '../dialect.ts';
import { plainName } from '../plain-tools.ts';
import { listOf, schemaFormat, toolNamed } from '../read-shapes.ts';
import { messagesOf } from './read-input.ts';

/** What is left out without harm: it changes no answer that others give, or is what they do anyway. */
const ignored = [
  ...['store', 'service_tier', 'stream_options', 'safety_identifier', 'prompt_cache_options'],
  ...['prompt_cache_retention', 'client_metadata'],
];

const read = [
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'stream'],
  ...['max_output_tokens', 'temperature', 'top_p', 'text', 'reasoning', 'metadata', 'user'],
  ...['prompt_cache_key', 'include', 'truncation', 'top_logprobs'],
];

/** What may be asked to be included without harm: only a provider of this dialect has any. */
const meaningless: unknown[] = ['reasoning.encrypted_content'];

/**
 * Reads a request for a response. Throws for what other dialects can't say, such as items of a provider's tools.
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
export function readResponsesRequest(body: Body): Ask {
  refuseOthers(body);
  const { instructions, input, text, reasoning, metadata, max_output_tokens } = body;
  const told = isText(instructions)
    ? [{ role: 'system' as const, parts: [{ is: 'text' as const, text: instructions }] }]
    : [];
  const ask: Ask = {
    model: textIn(body['model']),
    messages: [...told, ...messagesOf(input)],
    stream: body['stream'] === true,
    ...toolsOf(body),
  };
  if (isSet(body['parallel_tool_calls']))
    ask.parallelToolCalls = body['parallel_tool_calls'] === true;
  if (isSet(max_output_tokens)) ask.maxOutputTokens = numberIn(max_output_tokens);
  if (isSet(body['temperature'])) ask.temperature = numberIn(body['temperature']);
  if (isSet(body['top_p'])) ask.topP = numberIn(body['top_p']);
  if (isSet(reasoning)) ask.reasoning = reasoningOf(reasoning as Body);
  if (isText(body['user'])) ask.user = body['user'];
  if (isText(body['prompt_cache_key'])) ask.promptCacheKey = body['prompt_cache_key'];
  if (isSet(metadata)) ask.metadata = metadata as Record<string, string>;
  const { format, verbosity } = (text ?? {}) as Body;
  const wanted = isSet(format) ? formatOf(format as Body) : undefined;
  if (wanted) ask.format = wanted;
  if (isText(verbosity)) ask.verbosity = verbosity;
  return ask;
}

const isText = (value: unknown): value is string => typeof value === 'string';

function refuseOthers(body: Body): void {
  const { include, truncation, top_logprobs } = body;
  for (const [index, name] of ((include ?? []) as unknown[]).entries()) {
    if (!meaningless.includes(name)) throw untranslatable(['include', index], textIn(name));
  }
  if ((truncation ?? 'disabled') !== 'disabled')
    throw untranslatable(['truncation'], 'truncation of the input');
  if (numberIn(top_logprobs ?? 0) > 0)
    throw untranslatable(['top_logprobs'], 'a list of log probabilities');
  for (const [name, value] of Object.entries(body)) {
    if (!isSet(value) || value === false || read.includes(name) || ignored.includes(name)) continue;
    throw untranslatable([name], name);
  }
}

function reasoningOf({ effort, summary, generate_summary }: Body): Ask['reasoning'] & {} {
  const isShown = (summary ?? generate_summary ?? 'none') !== 'none';
  return { ...textsAmong({ effort }), ...(isShown && { isShown }) };
}

/** The tools, and the choice among them. A choice of some is made by leaving out the others. */
function toolsOf({ tools, tool_choice, input }: Body): Pick<Ask, 'tools' | 'toolChoice'> {
  const own = ((tools ?? []) as Body[]).flatMap((tool, index) => toolsIn(tool, ['tools', index]));
  const found = foundTools(input).filter(
    (tool) => !own.some((each) => plainName(each) === plainName(tool)),
  );
  const listed = [...own, ...found];
  if (!isSet(tool_choice)) return listed.length > 0 ? { tools: listed } : {};
  const { type, mode, tools: allowed } = tool_choice as Body;
  if (type !== 'allowed_tools') return { tools: listed, toolChoice: choiceOf(tool_choice) };
  const names = new Set(
    ((allowed ?? []) as (Body | null)[]).map((each) => each?.['name'] ?? each?.['type']),
  );
  return {
    tools: listed.filter(({ name, namespace }) => names.has(name) || names.has(namespace)),
    toolChoice: mode === 'required' ? 'required' : 'auto',
  };
}

/** Reads a tool, or those within a namespace. The first of them is told what they are for together. */
function toolsIn(tool: Body, place: Place): Tool[] {
  const { type, name, description, tools } = tool;
  if (type === 'tool_search') return [{ ...searchOf(tool, place), name: 'tool_search' }];
  if (type !== 'namespace') return [toolOf(tool, place)];
  return listOf(tools).map((each, index) => {
    const read = toolOf(each, [...place, 'tools', index]);
    const words = index === 0 ? [description, read.description].filter(isText) : [];
    return {
      ...read,
      ...(words.length > 0 && { description: words.filter(Boolean).join('\n\n') }),
      namespace: textIn(name),
    };
  });
}

function searchOf(tool: Body, place: Place): Tool & { is: 'function' } {
  if (tool['execution'] !== 'client')
    throw untranslatable([...place, 'type'], 'a search of tools that the provider runs');
  const read = toolOf({ ...tool, type: 'function', name: 'tool_search' }, place);
  return { ...(read as Tool & { is: 'function' }), isSearch: true };
}

/** The tools that searches have found, or that items brought along: from then on they may be called. */
function foundTools(input: unknown): Tool[] {
  if (!Array.isArray(input)) return [];
  return (input as Body[]).flatMap(({ type, tools }, at) =>
    bringsTools.includes(type) && Array.isArray(tools)
      ? (tools as Body[]).flatMap((tool, index) => toolsIn(tool, ['input', at, 'tools', index]))
      : [],
  );
}

const bringsTools: unknown[] = ['tool_search_output', 'additional_tools'];

function toolOf(tool: Body, place: Place): Tool {
  const { type, name } = tool;
  if (type === 'custom' || type === 'function') return toolNamed(textIn(name), type, tool);
  throw untranslatable([...place, 'type'], `a tool of the type ${textIn(type)}`);
}

function choiceOf(choice: unknown): ToolChoice {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  const { type, name, namespace } = choice as Body;
  if (type === 'tool_search') return { name: type };
  if ((type === 'function' || type === 'custom') && isText(name)) {
    return { name, ...textsAmong({ namespace }) };
  }
  throw untranslatable(['tool_choice'], 'this choice of tools');
}

function formatOf(format: Body): Format | undefined {
  const { type } = format;
  if (type === 'text') return undefined;
  if (type === 'json_object') return { is: 'json' };
  if (type !== 'json_schema')
    throw untranslatable(['text', 'format', 'type'], `the format ${type}`);
  return schemaFormat(format);
}
