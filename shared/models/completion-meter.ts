import type { Outcome } from '../ledger/settle.ts';
import type { Model } from './catalogue.ts';
import { costNanoUsd, type TokenUsage } from './price.ts';
import {
  likelyPromptTokens,
  likelyTokens,
  mostCompletionTokens,
  type SizedRequest,
} from './token-bounds.ts';

interface Choice {
  finish_reason?: string | null;
  delta?: Record<string, unknown>;
  message?: Record<string, unknown>;
}

/** A completion, or a chunk of one, as far as it is read here. */
export interface Metered {
  choices?: (Choice | null)[] | null;
  usage?: TokenUsage | null;
  error?: unknown;
}

/** Reads in passing what a completion used. */
export class CompletionMeter {
  private readonly model: Model;
  private readonly request: SizedRequest;
  private usage: TokenUsage | undefined;
  private outputTokens = 0;
  /** Whether the provider said that it was done. */
  finished = false;

  constructor(model: Model, request: SizedRequest) {
    this.model = model;
    this.request = request;
  }

  /** Whether anything was produced that is to be paid for. */
  get sawAnything(): boolean {
    return this.finished || this.outputTokens > 0 || this.usage !== undefined;
  }

  /** What comes is a provider's JSON, and may be anything. */
  observe(seen: Metered | null): void {
    const { choices, usage } = seen ?? {};
    if (isUsage(usage)) this.usage = usage;
    for (const choice of Array.isArray(choices) ? choices : []) {
      const { finish_reason, delta, message } = choice ?? {};
      if (finish_reason) this.finished = true;
      this.outputTokens += tokensIn(delta ?? message ?? {});
    }
  }

  /** The cost by the provider's usage; else counted: of the whole, or of what came before it broke. */
  outcome(): Outcome {
    const figures = this.finished ? (this.usage ? 'exact' : 'estimated') : 'partial';
    const usage = this.usage ?? {
      prompt_tokens: likelyPromptTokens(this.model, this.request),
      // A guess must not cost more than the call could.
      completion_tokens: Math.min(
        this.outputTokens,
        mostCompletionTokens(this.model, this.request),
      ),
    };
    return {
      cost: costNanoUsd(this.model, usage),
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

/** What says whose words follow, or names them, and was not made by the model. */
const labels = new Set(['role', 'id', 'type', 'index', 'format']);

/** Text, reasoning and tool arguments alike are output, however deep they lie. */
function tokensIn(part: unknown): number {
  if (typeof part === 'string') return likelyTokens(part);
  if (typeof part !== 'object' || part === null) return 0;
  let tokens = 0;
  for (const [key, value] of Object.entries(part)) if (!labels.has(key)) tokens += tokensIn(value);
  return tokens;
}
