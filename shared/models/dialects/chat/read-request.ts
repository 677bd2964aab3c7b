import { isSet, jsonIn, numberIn, textIn, textsAmong } from '../../field.ts';
import type { Ask, AskMessage, AssistantPart, SentPart, Tool } from '../ask.ts';
import { type Body, type Place, textsOf, untranslatable } from '../dialect.ts';
import { listOf, partsIn, schemaFormat, toolNamed } from '../read-shapes.ts';

/** What is left out without harm: it changes no answer that others give. */
const ignored = [
  ...['n', 'store', 'metadata', 'service_tier', 'stream_options', 'seed', 'logit_bias', 'user'],
  ...['safety_identifier', 'prompt_cache_options', 'prompt_cache_retention', 'min_tokens'],
  ...['frequency_penalty', 'presence_penalty', 'max_completion_tokens'],
];

const read = [
  ...['model', 'messages', 'tools', 'tool_choice', 'parallel_tool_calls', 'max_tokens', 'stream'],
  ...['temperature', 'top_p', 'top_k', 'stop', 'response_format', 'reasoning_effort', 'verbosity'],
  ...['prompt_cache_key'],
];

/**
 * Reads a chat completion's request. Throws for what other dialects can't say, such as several choices.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export function readChatRequest(body: Body): Ask {
  refuseOthers(body);
  const { messages, tools, tool_choice, response_format, reasoning_effort, stop } = body;
  const ask: Ask = {
    model: textIn(body['model']),
    messages: (messages as Body[]).map((each, index) => messageOf(each, ['messages', index])),
    stream: body['stream'] === true,
  };
  if (isSet(tools)) ask.tools = (tools as Body[]).map((each, at) => toolOf(each, ['tools', at]));
  if (isSet(tool_choice)) ask.toolChoice = choiceOf(tool_choice);
  if (isSet(body['parallel_tool_calls']))
    ask.parallelToolCalls = body['parallel_tool_calls'] === true;
  if (isSet(body['max_tokens'])) ask.maxOutputTokens = numberIn(body['max_tokens']);
  if (isSet(body['temperature'])) ask.temperature = numberIn(body['temperature']);
  if (isSet(body['top_p'])) ask.topP = numberOf(body['top_p'], ['top_p']);
  if (isSet(body['top_k'])) ask.topK = numberOf(body['top_k'], ['top_k']);
  if (isSet(stop)) {
    ask.stop = (Array.isArray(stop) ? stop : [stop]).map((each) => wordOf(each, ['stop']));
  }
  if (isSet(reasoning_effort)) {
    ask.reasoning = { effort: wordOf(reasoning_effort, ['reasoning_effort']) };
  }
  if (isSet(body['verbosity'])) ask.verbosity = wordOf(body['verbosity'], ['verbosity']);
  if (isSet(body['user'])) ask.user = wordOf(body['user'], ['user']);
  if (isSet(body['prompt_cache_key']))
    ask.promptCacheKey = wordOf(body['prompt_cache_key'], ['prompt_cache_key']);
  const format = isSet(response_format) ? formatOf(response_format as Body) : undefined;
  if (format) ask.format = format;
  return ask;
}

/** A field that must be a text. It is what a request's schema lets through, so it may be anything. */
function wordOf(value: unknown, place: Place): string {
  if (typeof value === 'string') return value;
  throw untranslatable(place, 'what is no text');
}

function numberOf(value: unknown, place: Place): number {
  if (typeof value === 'number') return value;
  throw untranslatable(place, 'what is no number');
}

function objectOf(value: unknown, place: Place): Body {
  if (typeof value === 'object' && value !== null) return value as Body;
  throw untranslatable(place, 'what is no object');
}

function refuseOthers(body: Body): void {
  if (numberIn(body['n'] ?? 1) > 1) throw untranslatable(['n'], 'more than one choice');
  for (const [name, value] of Object.entries(body)) {
    const isDefault = !isSet(value) || value === false || isOfText(name, value);
    if (isDefault || read.includes(name) || ignored.includes(name)) continue;
    throw untranslatable([name], name);
  }
}

const isOfText = (name: string, value: unknown) =>
  name === 'modalities' && Array.isArray(value) && value.every((each) => each === 'text');

function messageOf(message: Body, place: Place): AskMessage {
  const { role, content, name, tool_call_id } = message;
  const parts = partsOf(content, place);
  if (role === 'tool') return { role, callId: textIn(tool_call_id), parts };
  if (role === 'assistant') return assistantOf(message, place);
  if (role === 'system' || role === 'developer') return { role, parts: textsOf(parts, place) };
  return { role: 'user', parts, ...textsAmong({ name }) };
}

function assistantOf({ content, refusal, tool_calls, ...message }: Body, place: Place): AskMessage {
  if (message['audio']) throw untranslatable([...place, 'audio'], 'an earlier spoken answer');
  if (message['function_call']) {
    throw untranslatable([...place, 'function_call'], 'function_call, which tool_calls replaced,');
  }
  const parts: AssistantPart[] = thoughtsOf(message);
  parts.push(...textsOf(partsOf(content, place), place));
  if (typeof refusal === 'string' && refusal !== '') parts.push({ is: 'refusal', text: refusal });
  for (const call of (tool_calls ?? []) as Body[]) {
    const isCustom = call['type'] === 'custom';
    const called = (isCustom ? call['custom'] : call['function']) as Body | undefined;
    parts.push({
      is: 'toolCall',
      id: textIn(call['id']),
      name: textIn(called?.['name']),
      input: jsonIn(called?.[isCustom ? 'input' : 'arguments']),
      ...(isCustom && { isCustom }),
    });
  }
  return { role: 'assistant', parts, ...textsAmong({ name: message['name'] }) };
}

/** Thoughts as callers of Claude by chat completions send them back: in Anthropic's own form, or as a text alone. */
function thoughtsOf({ thinking_blocks }: Body): AssistantPart[] {
  return listOf(thinking_blocks).map(({ thinking, signature, data }) => ({
    is: 'thought',
    text: textIn(thinking),
    ...textsAmong({ signature, encrypted: data }),
  }));
}

const partsOf = (content: unknown, place: Place): SentPart[] =>
  partsIn(content, [...place, 'content'], partOf);

function partOf(part: Body, place: Place): SentPart {
  const { type, text, image_url, file } = part;
  const cache = cacheOf(part);
  if (type === 'text') return { is: 'text', text: textIn(text), ...cache };
  if (type === 'image_url') {
    const { url, detail } = image_url as Body;
    return { is: 'image', url: textIn(url), ...textsAmong({ detail }), ...cache };
  }
  const { file_data, filename } = (file ?? {}) as Body;
  if (type !== 'file' || typeof file_data !== 'string')
    throw untranslatable([...place, 'type'], `a part of the type ${type}`);
  return { is: 'file', url: file_data, ...textsAmong({ name: filename }), ...cache };
}

function cacheOf({ cache_control }: Body): { cache?: '5m' | '1h' } {
  if (!isSet(cache_control)) return {};
  return { cache: (cache_control as Body)['ttl'] === '1h' ? '1h' : '5m' };
}

function toolOf(tool: Body, place: Place): Tool {
  const { type } = tool;
  if (type !== 'custom' && type !== 'function')
    throw untranslatable([...place, 'type'], `a tool of the type ${textIn(type)}`);
  const said = objectOf(tool[type], [...place, type]);
  const name = wordOf(said['name'], [...place, type, 'name']);
  return { ...toolNamed(name, type, said), ...(type === 'function' && cacheOf(tool)) };
}

function choiceOf(choice: unknown): Ask['toolChoice'] & {} {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  const { type, function: fn, custom } = choice as Body;
  const named = (type === 'custom' ? custom : fn) as Body | undefined;
  if (typeof named?.['name'] !== 'string')
    throw untranslatable(['tool_choice'], 'this choice of tools');
  return { name: named['name'] };
}

function formatOf(format: Body): Ask['format'] {
  if (format['type'] === 'json_object') return { is: 'json' };
  if (format['type'] !== 'json_schema') return undefined;
  return schemaFormat(objectOf(format['json_schema'], ['response_format', 'json_schema']));
}
