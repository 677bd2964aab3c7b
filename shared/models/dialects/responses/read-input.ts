import { jsonIn, textIn, textsAmong } from '../../field.ts';
import type { AskMessage, AssistantPart, SentPart, ThoughtPart } from '../ask.ts';
import { type Body, type Place, textsOf, untranslatable } from '../dialect.ts';
import { plainName } from '../plain-tools.ts';
import { listOf, partsIn } from '../read-shapes.ts';
import { sealOf } from './encrypted-content.ts';

/** Reads the input of a request. What a model said and did in one turn becomes one message. */
export function messagesOf(input: unknown): AskMessage[] {
  if (typeof input === 'string') return [{ role: 'user', parts: [{ is: 'text', text: input }] }];
  const messages: AskMessage[] = [];
  for (const [index, item] of ((input ?? []) as Body[]).entries()) {
    // Its tools are read with the others.
    if (item['type'] === 'additional_tools') continue;
    const message = messageOf(item, ['input', index]);
    const last = messages.at(-1);
    if (message.role === 'assistant' && last?.role === 'assistant') {
      last.parts.push(...message.parts);
    } else messages.push(message);
  }
  return messages;
}

function messageOf(item: Body, place: Place): AskMessage {
  const { type = 'message', role, content, call_id, output } = item;
  if (type === 'message') {
    if (role === 'assistant')
      return { role, parts: partsIn(content, [...place, 'content'], saidPart) };
    const parts = partsIn(content, [...place, 'content'], partOf);
    if (role === 'system' || role === 'developer') return { role, parts: textsOf(parts, place) };
    return { role: 'user', parts };
  }
  if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    return {
      role: 'tool',
      callId: textIn(call_id),
      parts: partsIn(output, [...place, 'output'], partOf),
    };
  }
  if (type === 'tool_search_output') {
    return { role: 'tool', callId: textIn(call_id), parts: [{ is: 'text', text: foundIn(item) }] };
  }
  return { role: 'assistant', parts: [doneIn(item, place)] };
}

function doneIn(item: Body, place: Place): AssistantPart {
  const { type, call_id, name, namespace } = item;
  const called = {
    is: 'toolCall' as const,
    id: textIn(call_id),
    name: textIn(name),
    ...textsAmong({ namespace }),
  };
  if (type === 'function_call') return { ...called, input: jsonIn(item['arguments']) };
  if (type === 'tool_search_call') {
    return { ...called, name: 'tool_search', input: jsonIn(item['arguments']), isSearch: true };
  }
  if (type === 'custom_tool_call') {
    return { ...called, input: textIn(item['input']), isCustom: true };
  }
  if (type === 'reasoning') return thoughtOf(item);
  throw untranslatable([...place, 'type'], `an item of the type ${type}`);
}

/** Says which tools a search has found. Their descriptions are among the tools from then on. */
function foundIn({ tools }: Body): string {
  const found = listOf(tools).flatMap((tool) =>
    Array.isArray(tool['tools'])
      ? listOf(tool['tools']).map(({ name }) =>
          plainName({ name: textIn(name), namespace: textIn(tool['name']) }),
        )
      : [textIn(tool['name'])],
  );
  return found.length === 0
    ? 'No tools were found.'
    : `These tools can be called now: ${found.join(', ')}`;
}

function thoughtOf({ id, summary, content, encrypted_content }: Body): ThoughtPart {
  const texts = [...listOf(summary), ...listOf(content)];
  return {
    is: 'thought',
    text: texts.map((part) => textIn(part['text'])).join('\n\n'),
    ...sealOf(encrypted_content),
    ...textsAmong({ id }),
  };
}

function saidPart(part: Body, place: Place): AssistantPart {
  const { type, refusal } = part;
  if (type === 'refusal') return { is: 'refusal', text: textIn(refusal) };
  const said = partOf(part, place);
  if (said.is === 'text') return said;
  throw untranslatable([...place, 'type'], `a part of the type ${type} here`);
}

function partOf(part: Body, place: Place): SentPart {
  const { type, text, image_url, detail, file_data, file_url, filename } = part;
  if (type === 'input_text' || type === 'output_text' || type === 'text') {
    return { is: 'text', text: textIn(text) };
  }
  if (type === 'input_image' && typeof image_url === 'string') {
    return { is: 'image', url: image_url, ...textsAmong({ detail }) };
  }
  const url = file_data ?? file_url;
  if (type !== 'input_file' || typeof url !== 'string') {
    throw untranslatable([...place, 'type'], `a part of the type ${type}`);
  }
  return { is: 'file', url, ...textsAmong({ name: filename }) };
}
