import { textIn, textsAmong } from '../../field.ts';
import type { AskMessage, AssistantPart, SentPart, TextPart } from '../ask.ts';
import { type Body, type Place, untranslatable } from '../dialect.ts';
import { listOf } from '../read-shapes.ts';
import { blocksOf, cacheOf } from './wire.ts';

/** Reads the fields before the messages, in their order. */
export function readSystem(system: unknown): AskMessage[] {
  const parts = blocksOf(system).map((block, at) => textAlone(block, ['system', at]));
  return parts.length > 0 ? [{ role: 'system', parts }] : [];
}

/** Reads messages. Each result of a tool becomes a message of its own, before the rest of what its message says. */
export const readMessages = (messages: readonly Body[]): AskMessage[] =>
  messages.flatMap((message, index) => messagesOf(message, ['messages', index, 'content']));

function messagesOf({ role, content }: Body, place: Place): AskMessage[] {
  const blocks = blocksOf(content);
  if (role === 'system') {
    return [{ role, parts: blocks.map((block, at) => textAlone(block, [...place, at])) }];
  }
  if (role === 'assistant') {
    const parts = blocks.flatMap((block, at) => assistantPartOf(block, [...place, at]) ?? []);
    return [{ role, parts }];
  }
  const results: AskMessage[] = [];
  const parts: SentPart[] = [];
  for (const [at, block] of blocks.entries()) {
    if (block['type'] === 'tool_result') results.push(resultOf(block, [...place, at]));
    else parts.push(...partsOf(block, [...place, at]));
  }
  return parts.length > 0 ? [...results, { role: 'user', parts }] : results;
}

function resultOf({ tool_use_id, content, is_error }: Body, place: Place): AskMessage {
  return {
    role: 'tool',
    callId: textIn(tool_use_id),
    parts: blocksOf(content).flatMap((block, at) => partsOf(block, [...place, 'content', at])),
    ...(is_error === true && { isError: true }),
  };
}

const textOf = (block: Body): TextPart => ({
  is: 'text',
  text: textIn(block['text']),
  ...cacheOf(block),
});

/** A block where nothing but text may stand. */
function textAlone(block: Body, place: Place): TextPart {
  if (block['type'] === 'text') return textOf(block);
  throw untranslatable([...place, 'type'], `a block of the type ${textIn(block['type'])} here`);
}

function partsOf(block: Body, place: Place): SentPart[] {
  const { type, source, title } = block;
  const cache = cacheOf(block);
  if (type === 'text') return [textOf(block)];
  if (type === 'image') return [{ is: 'image', url: urlOf(source, place), ...cache }];
  if (type === 'document') return documentOf(block, place);
  if (type === 'search_result') {
    const texts = listOf(block['content']).map(({ text }) => text);
    const text = [title, source, ...texts].map((each) => textIn(each)).join('\n');
    return [{ is: 'text', text, ...cache }];
  }
  // It names a tool whose description is among the tools.
  if (type === 'tool_reference') return [{ is: 'text', text: textIn(block['tool_name']) }];
  throw untranslatable([...place, 'type'], `a block of the type ${textIn(type)}`);
}

/** Reads a document: its own text or blocks, or a file. */
function documentOf(block: Body, place: Place): SentPart[] {
  const { source, title, context } = block;
  const { type, data, content } = (source ?? {}) as Body;
  const cache = cacheOf(block);
  const head = [title, context].filter((each) => typeof each === 'string' && each !== '');
  if (type === 'text') return [{ is: 'text', text: [...head, textIn(data)].join('\n'), ...cache }];
  if (type === 'content') {
    return blocksOf(content).flatMap((each, at) =>
      partsOf(each, [...place, 'source', 'content', at]),
    );
  }
  return [{ is: 'file', url: urlOf(source, place), ...textsAmong({ name: title }), ...cache }];
}

/** The address of what a source holds or names. */
function urlOf(source: unknown, place: Place): string {
  const { type, media_type, data, url } = (source ?? {}) as Body;
  if (type === 'base64') return `data:${textIn(media_type)};base64,${textIn(data)}`;
  if (type === 'url') return textIn(url);
  throw untranslatable([...place, 'source', 'type'], `a source of the type ${textIn(type)}`);
}

/** Reads a block of an answer. What a provider's own tools did is none of what was said, and is left out. */
function assistantPartOf(block: Body, place: Place): AssistantPart | undefined {
  const { type, id, name, input, thinking, signature, data } = block;
  if (type === 'text') return textOf(block);
  if (type === 'thinking') {
    const isSigned = typeof signature === 'string' && signature !== '';
    return { is: 'thought', text: textIn(thinking), ...(isSigned && { signature }) };
  }
  if (type === 'redacted_thinking') return { is: 'thought', text: '', encrypted: textIn(data) };
  if (type === 'tool_use') {
    const called = { id: textIn(id), name: textIn(name), input: JSON.stringify(input ?? {}) };
    return { is: 'toolCall', ...called, ...cacheOf(block) };
  }
  if (/^server_tool_use$|_tool_result$|^mcp_tool_use$/.test(textIn(type))) return undefined;
  throw untranslatable([...place, 'type'], `a block of the type ${textIn(type)}`);
}
