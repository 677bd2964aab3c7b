import { isObject, parsed } from '../../field.ts';
import type { AskMessage, AssistantPart, SentPart } from '../ask.ts';
import { type Body, untranslatable } from '../dialect.ts';
import { cacheControlOf, isForeign } from './wire.ts';

/** Writes what is said by the system or a developer, wherever it stands: it has a place of its own. */
export const writeSystem = (messages: readonly AskMessage[]): Body[] =>
  messages.flatMap((message) =>
    message.role === 'system' || message.role === 'developer' ? blocksOf(message.parts) : [],
  );

/** Writes messages. Successive ones of a side are one, with the results of tools before the user's words. */
export function writeMessages(messages: readonly AskMessage[]): Body[] {
  const written: { role: string; content: Body[] }[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = contentOf(message);
    if (content.length === 0) continue;
    const last = written.at(-1);
    if (last?.role === role) last.content.push(...content);
    else written.push({ role, content });
  }
  return written;
}

function contentOf(message: AskMessage): Body[] {
  if (message.role === 'assistant') return message.parts.flatMap(assistantBlocksOf);
  if (message.role === 'user') return blocksOf(message.parts);
  if (message.role !== 'tool') return [];
  const { callId, parts, isError } = message;
  const content = blocksOf(parts);
  return [
    {
      type: 'tool_result',
      tool_use_id: idOf(callId),
      ...(content.length > 0 && { content }),
      ...(isError && { is_error: true }),
    },
  ];
}

/** A text without a word is refused, and says nothing. */
const blocksOf = (parts: readonly SentPart[]): Body[] =>
  parts.filter((part) => part.is !== 'text' || part.text.trim() !== '').map(blockOf);

function blockOf(part: SentPart): Body {
  const cache = cacheControlOf(part);
  if (part.is === 'text') return { type: 'text', text: part.text, ...cache };
  if (part.is === 'image') return { type: 'image', source: sourceOf(part.url), ...cache };
  const title = part.name === undefined ? {} : { title: part.name };
  return { type: 'document', source: documentSourceOf(part.url), ...title, ...cache };
}

const dataUrl = /^data:([^;,]*)(?:;[^,]*)?;base64,/i;

function sourceOf(url: string): Body {
  const [head, media_type] = url.match(dataUrl) ?? [];
  if (head === undefined) return { type: 'url', url };
  return { type: 'base64', media_type, data: url.slice(head.length) };
}

/** Files are PDFs, or texts, which Claude takes as they are and not in base64. */
function documentSourceOf(url: string): Body {
  const source = sourceOf(url);
  const { media_type, data } = source;
  if (media_type === undefined || media_type === 'application/pdf') return source;
  if (!/^text\/|json$|xml$/.test(String(media_type))) {
    throw untranslatable(['messages'], `a file of the type ${media_type}`);
  }
  const text = Buffer.from(String(data), 'base64').toString();
  return { type: 'text', media_type: 'text/plain', data: text };
}

/** Thoughts that nobody has signed are left out: Claude takes back its own alone. */
function assistantBlocksOf(part: AssistantPart): Body[] {
  if (part.is === 'text') return blocksOf([part]);
  if (part.is === 'refusal') return blocksOf([{ is: 'text', text: part.text }]);
  if (part.is === 'thought') {
    const { text, signature, encrypted } = part;
    if (isForeign({ signature, data: encrypted })) return [];
    if (encrypted !== undefined) return [{ type: 'redacted_thinking', data: encrypted }];
    return signature === undefined ? [] : [{ type: 'thinking', thinking: text, signature }];
  }
  const { id, name, input, isCustom } = part;
  const called = isCustom ? { input } : inputOf(input);
  return [{ type: 'tool_use', id: idOf(id), name, input: called, ...cacheControlOf(part) }];
}

/** Claude takes no other signs in the id of a call; some models make ids such as `functions.look:0`. */
const idOf = (id: string) => id.replace(/[^\w-]/g, '_');

/** Reads what a tool was called with. Claude takes an object alone; what a model wrote may be none, or broken off. */
export function inputOf(json: string): object {
  const value = parsed(json);
  return isObject(value) ? value : {};
}
