import type { DialectName } from '../dialect-names.ts';

/** A chat-completions request. Parameters that aren't named here pass through untouched. */
export interface CompletionBody extends RequestBody {
  model: string;
  messages: unknown[];
  /** The limit of its output. Each upstream gets it under the name that it knows. */
  max_tokens?: number | null | undefined;
  [parameter: string]: unknown;
}

/** A request in any dialect. */
export interface RequestBody {
  model: string;
  stream?: boolean | null | undefined;
  [parameter: string]: unknown;
}

/** A request, and the dialect that it is in. */
export interface ModelRequest {
  dialect: DialectName;
  body: RequestBody;
  /** The caller's own headers, for an upstream that speaks the dialect. */
  headers?: Record<string, string> | undefined;
  /** Ours, where the caller gave none: it is left out for an upstream that refuses it. */
  temperature?: number | undefined;
}

/** What becomes of prompts that upstreams took without an answer: their providers may bill them. */
export interface TakenPrompts {
  /**
   * Told of each upstream that got the whole request and didn't answer: it was silent until its time was up, or its
   * connection broke. It may have read the prompt.
   */
  onTaken(how: 'silent' | 'broken'): void;
  /** Returns whether the call can pay for another upstream beside those that took the prompt. */
  coverNext(): Promise<boolean>;
}
