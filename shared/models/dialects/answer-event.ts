/**
 * A piece of a model's answer in no wire dialect. Successive pieces of a kind are one block; tool calls have an
 * index. `start` is the first, `end` or `error` the last.
 */
export type AnswerEvent =
  | { is: 'start'; id?: string; model?: string }
  | { is: 'text'; text: string }
  | { is: 'thought'; text: string }
  /** What its provider wants back with the thought before it, or in its place. */
  | { is: 'signature'; signature?: string; encrypted?: string }
  | { is: 'refusal'; text: string }
  | ({ is: 'toolCall'; index: number; id: string; name: string } & CallKind)
  | { is: 'toolInput'; index: number; text: string }
  /** The counts of the answer so far, with its prompt; later ones replace earlier ones. `serviceTier` decides the price. */
  | { is: 'usage'; usage: Usage; serviceTier?: string }
  | { is: 'end'; reason: EndReason; stopSequence?: string }
  | { is: 'error'; message: string; code?: string };

/** What kind of tool is called, and the group of tools that its name is of. */
interface CallKind {
  isCustom?: boolean;
  isSearch?: boolean;
  namespace?: string;
}

export type EndReason = 'stop' | 'length' | 'toolCalls' | 'contentFilter';

/** Tokens of an answer. They are a provider's own counts, so any may be malformed. */
export interface Usage {
  /** The whole prompt: what was read from a cache, or written to it, is part of it. */
  promptTokens: number;
  /** The whole output: thoughts are part of it. */
  outputTokens: number;
  cachedTokens?: number | undefined;
  /** What was written to a cache, for five minutes or unasked. */
  cacheWriteTokens?: number | undefined;
  /** What was written to it for an hour. */
  cacheWrite1hTokens?: number | undefined;
  thoughtTokens?: number | undefined;
}
