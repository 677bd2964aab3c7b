import { type ServiceError, valueError } from '../../http/errors.ts';
import type { Model } from '../catalogue.ts';
import type { SizedRequest } from '../token-bounds.ts';
import type { Ask, SentPart, TextPart } from './ask.ts';

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

/** A request or an answer as its dialect has it. */
export type Body = Record<string, unknown>;

/** A wire protocol in which providers are asked. */
export interface Wire {
  /** Where a provider takes its requests, behind its base URL. */
  path: string;
  /** The field of a request that limits its output. */
  limitName: string;
  /** The headers that the provider at an address wants beside `Authorization`, or, by null, in its place. */
  headers?(apiKey: string, baseUrl: string): Record<string, string | null>;
  /** Leaves out of a caller's request what is not for a provider. Nothing is, unless a dialect says what. */
  sent?(body: Body): Body;
  /**
   * Describes a request as a chat completion's, to be measured and held: with all of the prompt, and the limit of its
   * output.
   */
  sized(body: Body): SizedRequest;
}

/** One in which callers ask models to answer, and that is translated into others. */
export interface Dialect extends Wire {
  /** Reads a request. Throws as `untranslatable` for what no other dialect can say. */
  readRequest(body: Body): Ask;
  /** Writes a request. Throws as `untranslatable` for what this dialect can't say. */
  writeRequest(ask: Ask, model: Model): Body;
  /** Reads an answer that isn't streamed. */
  readAnswer(answer: Body, model?: string): AnswerEvent[];
  /** Writes an answer that isn't streamed. */
  writeAnswer(events: readonly AnswerEvent[], ask: Ask): Body;
  reader(model?: string): AnswerReader;
  writer(ask: Ask): AnswerWriter;
}

/** Reads one streamed answer, event by event. */
export interface AnswerReader {
  /** Whether the answer has come to its end: a stream that ends before has broken off. */
  readonly isOver: boolean;
  /** Takes the JSON of the next event. Throws `ModelError` for one that can't come here. */
  read(event: Body): AnswerEvent[];
  /** Told that its provider says that all has come, where that is no event. */
  done?(): void;
  /** Returns what is left once nothing more comes. */
  finish(): AnswerEvent[];
}

/** Reads an answer that is passed on as it comes, and can end it in its provider's place. */
export interface EndingReader extends AnswerReader {
  /** Returns the server-sent events that end the answer here, as too long, with what it used. */
  cut(usage: Usage): string;
  /** Returns the server-sent events that tell of an error here, after which nothing comes. */
  fail(error: ServiceError): string;
}

/** A dialect whose answers can be ended in their provider's place. Those of chat completions end by `read-pieces.ts`. */
export interface EndingDialect extends Dialect {
  reader(): EndingReader;
}

/** Writes one streamed answer as server-sent events. */
export interface AnswerWriter {
  write(event: AnswerEvent): string;
  /** What keeps a silent connection open. */
  ping(): string;
}

/** A place in a request: the names and indices that lead there. */
export type Place = (string | number)[];

/** 400 or 422: what a request asks for, which the provider of its model can't be told in its own dialect. */
export const untranslatable = (place: Place, what: string) =>
  valueError(['body', ...place], `${what} is not available for this model`);

/** The texts among parts, which must be all that there is. */
export const textsOf = (parts: readonly SentPart[], place: Place): TextPart[] =>
  parts.map((part, index) => {
    if (part.is === 'text') return part;
    throw untranslatable([...place, 'content', index], `a part of the type ${part.is} here`);
  });
