import { valueError } from '../../http/errors.ts';
import type { Model } from '../catalogue.ts';

/**
 * A model's request in no wire dialect, through which dialects are translated. What a dialect can't say it refuses by
 * name.
 */
export interface Ask {
  model: string;
  messages: AskMessage[];
  tools?: Tool[];
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  /** The most tokens of output, thoughts among them. */
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  stop?: string[];
  /** The form of the answer; plain text if absent. */
  format?: Format;
  reasoning?: Reasoning;
  /** How long an answer is to be: `low`, `medium` or `high`. */
  verbosity?: string;
  stream: boolean;
  /** When its provider was asked, in ms. */
  askedAtMs?: number;
  /** An opaque id of the end user, for a provider's own bookkeeping. */
  user?: string;
  promptCacheKey?: string;
  /** The caller's own tags. No provider is told; answers repeat them where their dialect does. */
  metadata?: Record<string, string>;
}

/** When the answer began, in seconds, as OpenAI's answers tell it. */
export const createdOf = ({ askedAtMs = Date.now() }: Ask): number => Math.floor(askedAtMs / 1000);

export type Format =
  | { is: 'json' }
  | { is: 'schema'; name: string; schema: object; strict?: boolean; description?: string };

/** How much a model thinks first. */
export interface Reasoning {
  /** `none`, `minimal`, `low`, `medium`, `high` or what a provider has beside these. */
  effort?: string;
  budgetTokens?: number;
  /** Whether thoughts, or a summary of them, are to come with the answer. */
  isShown?: boolean;
}

/** A message in its place. A tool's result is a message of its own. */
export type AskMessage =
  | { role: 'system' | 'developer'; parts: TextPart[] }
  | { role: 'user'; parts: SentPart[]; name?: string }
  | { role: 'assistant'; parts: AssistantPart[]; name?: string }
  | { role: 'tool'; callId: string; parts: SentPart[]; isError?: boolean };

/** What a user says, or a tool returns. */
export type SentPart = TextPart | ImagePart | FilePart;

export type AssistantPart = TextPart | ThoughtPart | RefusalPart | ToolCallPart;

/** How long a provider is to keep the prompt up to this part: Anthropic's `cache_control`. */
export type CacheLifetime = '5m' | '1h';

export interface TextPart {
  is: 'text';
  text: string;
  cache?: CacheLifetime;
}

/** An image by its data URL or its address. */
export interface ImagePart {
  is: 'image';
  url: string;
  detail?: string;
  cache?: CacheLifetime;
}

/** A file by its data URL, or its address. */
export interface FilePart {
  is: 'file';
  url: string;
  name?: string;
  cache?: CacheLifetime;
}

/** A thought of an earlier answer, which its provider may want back as it was. */
export interface ThoughtPart {
  is: 'thought';
  text: string;
  /** What proves it to be the provider's own. */
  signature?: string;
  /** A thought that its provider alone can read. */
  encrypted?: string;
  id?: string;
}

/** What begins the seals that are no provider's of Messages, as callers of all dialects send them back. */
export const sealMarks = { chat: 'chat:', responses: 'responses:' } as const;

export interface RefusalPart {
  is: 'refusal';
  text: string;
}

export interface ToolCallPart {
  is: 'toolCall';
  id: string;
  name: string;
  /** JSON of a function's arguments; the input of a custom tool as it is. */
  input: string;
  isCustom?: boolean;
  /** The group of tools that its name is of. */
  namespace?: string;
  /** Whether it looks for further tools. */
  isSearch?: boolean;
  cache?: CacheLifetime;
}

/** A tool that the caller runs: a function with a JSON schema, or a custom one that takes a text. */
export type Tool =
  | {
      is: 'function';
      name: string;
      description?: string;
      schema?: object;
      strict?: boolean;
      cache?: CacheLifetime;
      namespace?: string;
      isSearch?: boolean;
    }
  | { is: 'custom'; name: string; description?: string; format?: object; namespace?: string };

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string; namespace?: string };

/** Returns the tool that is chosen by its name, as OpenAI's dialects name one; a choice that names none as it is. */
export function choiceOf(choice: ToolChoice, tools: readonly Tool[]) {
  if (typeof choice === 'string') return choice;
  const { name } = choice;
  const isCustom = tools.some((tool) => tool.is === 'custom' && tool.name === name);
  return { type: isCustom ? 'custom' : 'function', name };
}

const idsIn = ({ parts }: AskMessage) =>
  (parts as AssistantPart[]).flatMap((part) => (part.is === 'toolCall' ? [part.id] : []));

/**
 * Puts tools' outputs right after the turn that called them, as all providers but Responses' need it. Throws
 * `UnprocessableEntityError` for an output of no call.
 */
export function inTurns(messages: readonly AskMessage[]): AskMessage[] {
  const ordered: AskMessage[] = [];
  const placed = new Set<AskMessage>();
  for (const [at, message] of messages.entries()) {
    if (placed.has(message)) continue;
    if (message.role === 'tool') throw withoutCall(message.callId);
    ordered.push(message);
    const waiting = new Set(idsIn(message));
    for (const later of waiting.size > 0 ? messages.slice(at + 1) : []) {
      // A later call may have the same id.
      for (const id of idsIn(later)) waiting.delete(id);
      if (later.role !== 'tool' || placed.has(later) || !waiting.has(later.callId)) continue;
      ordered.push(later);
      placed.add(later);
    }
  }
  return ordered;
}

const withoutCall = (id: string) =>
  valueError(['body'], `the output of the call ${id.slice(0, 100)} has no call before it`);

/** Budgets of thoughts, below which each effort is what they stand for. */
const efforts = [
  [4_096, 'low'],
  [16_384, 'medium'],
  [Number.POSITIVE_INFINITY, 'high'],
] as const;

/** How hard a model is to think, in words: as asked, or for a reasoning model what a budget of thoughts stands for. */
export function effortOf({ reasoning }: Ask, model: Model): string | undefined {
  const { effort, budgetTokens } = reasoning ?? {};
  return model.reasoning ? (effort ?? effortFor(budgetTokens)) : effort;
}

/** The effort for a number of tokens of thoughts, where a model knows efforts alone. */
export const effortFor = (budgetTokens: number | undefined) =>
  efforts.find(([below]) => budgetTokens !== undefined && budgetTokens < below)?.[1];

/** Says in words that a tool failed, where the dialect has no field for it. */
export function toldAsError(
  { isError }: AskMessage & { role: 'tool' },
  texts: TextPart[],
): TextPart[] {
  const [first] = texts;
  if (!isError || /^\s*\W?error/i.test(first?.text ?? '')) return texts;
  return [{ is: 'text', text: `Error: ${first?.text ?? 'the tool failed'}` }, ...texts.slice(1)];
}
