import type { Model } from '../../catalogue.ts';
import type { Ask, AskMessage, AssistantPart, Format, SentPart, Tool } from '../ask.ts';
import { choiceOf, effortOf, toldAsError } from '../ask.ts';
import { type Body, untranslatable } from '../dialect.ts';
import { encryptedContentOf, isOwn } from './encrypted-content.ts';

/**
 * Writes a request for a response that isn't stored. Throws for what it can't say. Reasoning models send their
 * thoughts along, since they remember none.
 */
export function writeResponsesRequest(ask: Ask, model: Model): Body {
  if (ask.stop && ask.stop.length > 0) throw untranslatable(['stop'], 'a stop sequence');
  if (ask.topK !== undefined) throw untranslatable(['top_k'], 'top_k');
  const { metadata: _, reasoning: __, ...fields } = askedFields(ask);
  const effort = effortOf(ask, model);
  const summary = ask.reasoning?.isShown ? { summary: 'auto' } : {};
  const reasoning = { ...(effort !== undefined && { effort }), ...summary };
  return {
    ...fields,
    input: inputOf(ask.messages),
    store: false,
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    ...(model.reasoning && { include: ['reasoning.encrypted_content'] }),
    ...(ask.user !== undefined && { user: ask.user }),
    ...(ask.promptCacheKey !== undefined && { prompt_cache_key: ask.promptCacheKey }),
    ...(ask.stream && { stream: true }),
  };
}

/** The fields of a request that its response repeats. */
export function askedFields(ask: Ask): Body {
  const { tools, toolChoice, format, reasoning, verbosity } = ask;
  const fields: Body = { model: ask.model };
  if (tools && tools.length > 0) {
    fields['tools'] = toolsOf(tools);
    if (toolChoice !== undefined) fields['tool_choice'] = choiceOf(toolChoice, tools);
    if (ask.parallelToolCalls !== undefined) fields['parallel_tool_calls'] = ask.parallelToolCalls;
  }
  if (ask.maxOutputTokens !== undefined) fields['max_output_tokens'] = ask.maxOutputTokens;
  if (ask.temperature !== undefined) fields['temperature'] = ask.temperature;
  if (ask.topP !== undefined) fields['top_p'] = ask.topP;
  if (reasoning) {
    const summary = reasoning.isShown ? 'auto' : null;
    fields['reasoning'] = { effort: reasoning.effort ?? null, summary };
  }
  if (format || verbosity !== undefined) {
    fields['text'] = {
      format: format ? formatOf(format) : { type: 'text' },
      ...(verbosity !== undefined && { verbosity }),
    };
  }
  if (ask.metadata) fields['metadata'] = ask.metadata;
  return fields;
}

function inputOf(messages: readonly AskMessage[]): Body[] {
  const calls = messages.flatMap(({ role, parts }) =>
    role === 'assistant' ? parts.filter((part) => part.is === 'toolCall') : [],
  );
  const customIds = new Set(calls.filter(({ isCustom }) => isCustom).map(({ id }) => id));
  return messages.flatMap((message) => itemsOf(message, customIds));
}

function itemsOf(message: AskMessage, customIds: ReadonlySet<string>): Body[] {
  const { role, parts } = message;
  if (role === 'assistant') return saidItems(parts);
  if (role !== 'tool') return [{ type: 'message', role, content: parts.map(partOf) }];
  const texts = toldAsError(
    message,
    parts.filter((part) => part.is === 'text'),
  );
  const others = parts.filter((part) => part.is !== 'text');
  const output =
    others.length === 0
      ? texts.map(({ text }) => text).join('\n\n')
      : (message.isError ? [...texts, ...others] : parts).map(partOf);
  const { callId: call_id } = message;
  const type = customIds.has(call_id) ? 'custom_tool_call_output' : 'function_call_output';
  return [{ type, call_id, output }];
}

/** What a model said goes into one message as long as nothing else comes between. */
function saidItems(parts: AssistantPart[]): Body[] {
  const items: Body[] = [];
  for (const part of parts) {
    if (part.is !== 'text' && part.is !== 'refusal') {
      items.push(...doneItems(part));
      continue;
    }
    const said =
      part.is === 'text'
        ? { type: 'output_text', text: part.text, annotations: [] }
        : { type: 'refusal', refusal: part.text };
    const last = items.at(-1);
    if (last?.['type'] === 'message') (last['content'] as Body[]).push(said);
    else items.push({ type: 'message', role: 'assistant', content: [said] });
  }
  return items;
}

/** A thought goes back only to its own model's provider: others refuse it. */
function doneItems(part: Exclude<AssistantPart, { is: 'text' | 'refusal' }>): Body[] {
  if (part.is === 'toolCall') {
    const { id: call_id, name, input } = part;
    return part.isCustom
      ? [{ type: 'custom_tool_call', call_id, name, input }]
      : [{ type: 'function_call', call_id, name, arguments: input }];
  }
  const { id, text, encrypted } = part;
  if (!isOwn(encrypted)) return [];
  return [
    {
      type: 'reasoning',
      ...(id !== undefined && { id }),
      summary: text === '' ? [] : [{ type: 'summary_text', text }],
      encrypted_content: encryptedContentOf({ encrypted }),
    },
  ];
}

function partOf(part: SentPart): Body {
  if (part.is === 'text') return { type: 'input_text', text: part.text };
  if (part.is === 'image') {
    return { type: 'input_image', image_url: part.url, detail: part.detail ?? 'auto' };
  }
  const { url, name } = part;
  if (!url.startsWith('data:')) return { type: 'input_file', file_url: url };
  return { type: 'input_file', filename: name ?? 'file', file_data: url };
}

/** Tools of a namespace stand within it. */
function toolsOf(tools: readonly Tool[]): Body[] {
  const written: Body[] = [];
  for (const tool of tools) {
    const { namespace: name } = tool;
    const last = written.find((each) => each['type'] === 'namespace' && each['name'] === name);
    if (name === undefined) written.push(toolOf(tool));
    else if (last) (last['tools'] as Body[]).push(toolOf(tool));
    else written.push({ type: 'namespace', name, description: '', tools: [toolOf(tool)] });
  }
  return written;
}

function toolOf(tool: Tool): Body {
  const { name, description } = tool;
  const described = description === undefined ? { name } : { name, description };
  if (tool.is === 'custom') {
    return { type: 'custom', ...described, ...(tool.format && { format: tool.format }) };
  }
  const { schema = { type: 'object', properties: {} }, strict = false } = tool;
  if (tool.isSearch) {
    return { type: 'tool_search', execution: 'client', description, parameters: schema };
  }
  return { type: 'function', ...described, parameters: schema, strict };
}

function formatOf(format: Format): Body {
  if (format.is === 'json') return { type: 'json_object' };
  const { is: _, ...schema } = format;
  return { type: 'json_schema', ...schema };
}
