import { createHash } from 'node:crypto';
import { isMeasured, mostOmitted, notOfPrompt, type SizedRequest } from './token-bounds.ts';

/** The first messages of a request with its parameters. */
export interface Beginning {
  /** How many messages. */
  messages: number;
  /** Nine bytes, in base64, of a hash of all that decides how many tokens they are. */
  hash: string;
}

interface Message {
  role?: unknown;
  /** An item of a response that is no message (`dialects/responses/sized.ts`). */
  said?: { type?: unknown };
}

const roleOf = (message: unknown) => (message as Message | null)?.role;
const answered: unknown[] = ['function_call', 'custom_tool_call', 'reasoning'];

/** Whether a message was written by the model. */
export const isOfModel = (message: unknown): boolean =>
  roleOf(message) === 'assistant' || answered.includes((message as Message | null)?.said?.type);

/** What may come after a beginning. Other items, and instructions, may be put into what was said before them. */
const isAppended = (message: unknown) =>
  isOfModel(message) ||
  (!(message as Message | null)?.said &&
    !['system', 'developer'].includes(String(roleOf(message))));

/**
 * Finds the beginnings of a request whose tokens don't depend on later messages, the shortest first. Each ends
 * where the model was asked: separators stand on both sides of an answer, so no tokenizer joins them. `reader` is what
 * else decides: dialect, headers and upstream.
 */
export function beginningsOf(request: SizedRequest, reader: readonly unknown[]): Beginning[] {
  const { messages, ...parameters } = request;
  if ((request.n ?? 1) > 1 || isCut(parameters)) return [];
  const asked = Object.entries(parameters)
    .filter(([name]) => !notOfPrompt.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256').update(JSON.stringify([reader, asked], withoutMark));
  const from = messages.findLastIndex((message) => !isAppended(message));
  const beginnings: Beginning[] = [];
  for (const [index, message] of messages.entries()) {
    // A file by its name alone may be another file tomorrow.
    if (!isMeasured(message)) break;
    const told = index === 0 ? withoutBilling(message) : message;
    hash.update(`\n${JSON.stringify(told, withoutMark)}`);
    const next = messages[index + 1];
    const wasAsked = !isOfModel(message) && (next === undefined || isOfModel(next));
    if (!wasAsked || index < from) continue;
    const found = hash.copy().digest('base64url').slice(0, 12);
    beginnings.push({ messages: index + 1, hash: found });
  }
  return beginnings;
}

/** Clients move the mark of what is cached from message to message. It is no text. */
function withoutMark(name: string, value: unknown): unknown {
  if (name !== 'cache_control') return value;
  const { type } = (value ?? {}) as { type?: unknown };
  return type === 'ephemeral' && JSON.stringify(value).length <= longestMark ? undefined : value;
}

const longestMark = 64;

/**
 * Leaves out the line that Claude Code writes before its instructions, another one in each request.
 * @see https://code.claude.com/docs/en/env-vars
 */
function withoutBilling(message: unknown): unknown {
  const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown };
  if (role !== 'system' || !Array.isArray(content)) return message;
  const [first, ...rest] = content as ({ text?: unknown } | null)[];
  const text = String(first?.text);
  const isBilling = text.startsWith('x-anthropic-billing-header:');
  return isBilling && Buffer.byteLength(text) <= mostOmitted ? { role, content: rest } : message;
}

/** Whether a provider leaves messages out that grow too many: more may be left out of a beginning than later. */
function isCut({ truncation, transforms, context_management }: Record<string, unknown>): boolean {
  const { edits } = (context_management ?? { edits: [] }) as { edits?: unknown };
  const clearsThoughts = (edit: { type?: unknown } | null) =>
    String(edit?.type).startsWith('clear_thinking_');
  const isKept = Array.isArray(edits) && edits.every(clearsThoughts);
  return !isKept || (truncation ?? 'disabled') !== 'disabled' || Boolean(transforms);
}
