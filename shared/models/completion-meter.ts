import type { Outcome } from '../ledger/settle.ts';
import type { Model } from './catalogue.ts';
import { costNanoUsd, type TokenUsage } from './cost.ts';
import {
  estimatePromptTokens,
  estimateTokens,
  maxCompletionTokens,
  type SizedRequest,
} from './token-bounds.ts';

interface Choice {
  finish_reason?: string | null;
  delta?: Record<string, unknown>;
  message?: Record<string, unknown>;
}

/**
 * The fields of a completion, or of a chunk of one, that the meter reads.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export interface Metered {
  choices?: (Choice | null)[] | null;
  usage?: TokenUsage | null;
  error?: unknown;
}

/** Meters a completion while it is passed on: counts its output, and keeps the usage that the provider reports. */
export class CompletionMeter {
  private readonly model: Model;
  private readonly request: SizedRequest;
  private usage: TokenUsage | undefined;
  private outputTokens = 0;
  /** Whether a finish reason has come, so that the completion is whole. */
  finished = false;

  constructor(model: Model, request: SizedRequest) {
    this.model = model;
    this.request = request;
  }

  /** Whether the model produced anything that must be paid for. */
  get sawAnything(): boolean {
    return this.finished || this.outputTokens > 0 || this.usage !== undefined;
  }

  /** Meters a completion or a chunk. It is a provider's JSON, so any field may be malformed. */
  observe(part: Metered | null): void {
    const { choices, usage } = part ?? {};
    if (isUsage(usage)) this.usage = usage;
    for (const choice of Array.isArray(choices) ? choices : []) {
      const { finish_reason, delta, message } = choice ?? {};
      if (finish_reason) this.finished = true;
      this.outputTokens += tokensIn(delta ?? message ?? {});
    }
  }

  /**
   * Returns the cost by the provider's usage if it reported any, else by an estimate. It is `partial` for a
   * completion that broke off.
   */
  outcome(): Outcome {
    const figures = this.finished ? (this.usage ? 'exact' : 'estimated') : 'partial';
    const usage = this.usage ?? {
      prompt_tokens: estimatePromptTokens(this.model, this.request),
      // An estimate must not exceed what was held.
      completion_tokens: Math.min(this.outputTokens, maxCompletionTokens(this.model, this.request)),
    };
    return {
      costNanoUsd: costNanoUsd(this.model, usage),
      figures,
      promptTokens: usage.prompt_tokens,
      completionTokens: usage.completion_tokens,
    };
  }
}

function isUsage(usage: TokenUsage | null | undefined): usage is TokenUsage {
  return isCount(usage?.prompt_tokens) && isCount(usage?.completion_tokens);
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

/** Fields whose text is not the model's output. */
const labels = new Set(['role', 'id', 'type', 'index', 'format']);

/** Estimates the tokens of all text in a message or delta: content, reasoning and tool arguments, at any depth. */
function tokensIn(part: unknown): number {
  if (typeof part === 'string') return estimateTokens(part);
  if (typeof part !== 'object' || part === null) return 0;
  let tokens = 0;
  for (const [key, value] of Object.entries(part)) if (!labels.has(key)) tokens += tokensIn(value);
  return tokens;
}
