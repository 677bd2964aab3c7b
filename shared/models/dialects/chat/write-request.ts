import type { Model } from '../../catalogue.ts';
import type { Ask, AskMessage, Format, SentPart, Tool } from '../ask.ts';
import { choiceOf, effortOf, toldAsError } from '../ask.ts';
import { type Body, untranslatable } from '../dialect.ts';
import { callOf } from '../metered.ts';
import { thoughtFields } from './thoughts.ts';

/** Writes a request as a chat completion's. What the caller asked to have cached is left to the provider. */
export function writeChatRequest(ask: Ask, model: Model): Body {
  const body: Body = { model: ask.model, messages: messagesOf(ask, model) };
  const { tools, toolChoice, format } = ask;
  const effort = effortOf(ask, model);
  if (tools && tools.length > 0) {
    body['tools'] = tools.map(toolOf);
    if (toolChoice) body['tool_choice'] = choiceIn(choiceOf(toolChoice, tools));
    if (ask.parallelToolCalls !== undefined) body['parallel_tool_calls'] = ask.parallelToolCalls;
  }
  if (ask.maxOutputTokens !== undefined) body['max_tokens'] = ask.maxOutputTokens;
  if (ask.temperature !== undefined) body['temperature'] = ask.temperature;
  if (ask.topP !== undefined) body['top_p'] = ask.topP;
  if (ask.topK !== undefined) body['top_k'] = ask.topK;
  if (ask.stop) body['stop'] = ask.stop;
  if (format) body['response_format'] = formatOf(format);
  if (effort !== undefined) body['reasoning_effort'] = effort;
  if (ask.verbosity !== undefined) body['verbosity'] = ask.verbosity;
  if (ask.user !== undefined) body['user'] = ask.user;
  if (ask.promptCacheKey !== undefined) body['prompt_cache_key'] = ask.promptCacheKey;
  if (ask.stream) Object.assign(body, { stream: true, stream_options: { include_usage: true } });
  return body;
}

/** Writes messages for any server: successive instructions are one message, and a tool's pictures follow the tools' texts. */
function messagesOf({ messages, model }: Ask, { reasoning }: Model): Body[] {
  const thinker = { model, takesUnsealed: reasoning };
  const written: Body[] = [];
  let shown: SentPart[] = [];
  const show = () => {
    if (shown.length > 0) written.push({ role: 'user', content: contentOf(shown) });
    shown = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') show();
    else shown.push(...message.parts.filter((part) => part.is !== 'text'));
    const { role, content, ...rest } = messageOf(message, thinker);
    const last = written.at(-1);
    if (role === 'system' && last?.['role'] === 'system') {
      last['content'] = `${last['content']}\n\n${content}`;
    } else if (role !== 'assistant' || content !== null || Object.keys(rest).length > 0) {
      written.push({ role, content, ...rest });
    }
  }
  show();
  return written;
}

type Thinker = Parameters<typeof thoughtFields>[1];

function messageOf(message: AskMessage, { model, takesUnsealed }: Thinker): Body {
  const { role, parts } = message;
  if (role === 'tool') {
    const texts = parts.filter((part) => part.is === 'text');
    return { role, tool_call_id: message.callId, content: contentOf(toldAsError(message, texts)) };
  }
  const name = 'name' in message && message.name !== undefined ? { name: message.name } : {};
  // Only OpenAI knows the role of developers, and takes the other for it.
  if (role === 'developer') return { role: 'system', content: contentOf(parts) };
  if (role !== 'assistant') return { role, content: contentOf(parts), ...name };
  const calls = parts.filter((part) => part.is === 'toolCall');
  const texts = parts.filter((part) => part.is === 'text');
  const refusals = parts.filter((part) => part.is === 'refusal');
  const thoughts = parts.filter((part) => part.is === 'thought');
  return {
    role,
    content: texts.length > 0 ? texts.map(({ text }) => text).join('') : null,
    ...name,
    ...(refusals.length > 0 && { refusal: refusals.map(({ text }) => text).join('') }),
    ...thoughtFields(thoughts, { model, takesUnsealed: takesUnsealed && calls.length > 0 }),
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
  };
}

/** A text alone is written as one string, which every provider takes. */
function contentOf(parts: readonly SentPart[]): unknown {
  const texts = parts.filter((part) => part.is === 'text');
  if (texts.length === parts.length) return texts.map(({ text }) => text).join('\n\n');
  return parts.map((part) => {
    if (part.is === 'text') return { type: 'text', text: part.text };
    if (part.is === 'image') {
      const detail = part.detail === undefined ? {} : { detail: part.detail };
      return { type: 'image_url', image_url: { url: part.url, ...detail } };
    }
    if (!part.url.startsWith('data:')) throw untranslatable([], 'a file by its address');
    return { type: 'file', file: { filename: part.name ?? 'file', file_data: part.url } };
  });
}

function toolOf(tool: Tool): Body {
  const { is: type, name, description } = tool;
  const told: Body = description === undefined ? { name } : { name, description };
  if (tool.is === 'custom') {
    if (tool.format) told['format'] = tool.format;
  } else {
    if (tool.schema) told['parameters'] = tool.schema;
    if (tool.strict !== undefined) told['strict'] = tool.strict;
  }
  return { type, [type]: told };
}

const choiceIn = (choice: ReturnType<typeof choiceOf>) =>
  typeof choice === 'string' ? choice : { type: choice.type, [choice.type]: { name: choice.name } };

function formatOf(format: Format): Body {
  if (format.is === 'json') return { type: 'json_object' };
  const { is: _, ...json_schema } = format;
  return { type: 'json_schema', json_schema };
}
