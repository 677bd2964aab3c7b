import type { Outcome } from '../ledger/settle.ts';
import { askedKinds } from './asked-kinds.ts';
import type { Model } from './catalogue.ts';
import {
  cachedTokens,
  chatCostNanoUsd,
  chatTokens,
  isCount,
  type TokenUsage,
  withWholePrompt,
} from './chat-usage.ts';
import {
  estimatePromptTokens,
  estimateTokens,
  maxBilledOutputTokens,
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
  /** The model that answers, by its upstream's name. */
  model?: unknown;
  service_tier?: unknown;
  error?: unknown;
}

/** Meters a completion while it is passed on: counts its output, and keeps the usage that the provider reports. */
export class CompletionMeter {
  private readonly model: Model;
  readonly request: SizedRequest;
  private readonly maxOutputTokens: number;
  private usage: TokenUsage | undefined;
  private isCorrected = false;
  private serviceTier: unknown;
  private outputTokens = 0;
  /** Whether a finish reason has come, so that the completion is whole. */
  finished = false;
  /** Whether the response has come to its end, or reported an error: what did not come will not come. */
  ended = false;
  /** The model that answered, by its upstream's name. */
  answeredBy: string | undefined;

  constructor(model: Model, request: SizedRequest) {
    this.model = model;
    this.request = request;
    this.maxOutputTokens = maxBilledOutputTokens(model, request);
  }

  /** Whether the last usage that was reported can't be true: it is corrected, or left out of account. */
  get isUnbelievable(): boolean {
    return this.isCorrected || this.saysNothingOfOutput;
  }

  /** Whether the usage counts nothing at all, although output came. */
  private get saysNothingOfOutput(): boolean {
    const { prompt_tokens, completion_tokens } = this.usage ?? {};
    return prompt_tokens === 0 && completion_tokens === 0 && this.outputTokens > 0;
  }

  /** Whether the model produced anything that must be paid for. */
  get sawAnything(): boolean {
    return this.finished || this.outputTokens > 0 || this.usage !== undefined;
  }

  /** Meters a completion or a chunk. It is a provider's JSON, so any field may be malformed. */
  observe(part: Metered | null): void {
    const { choices, usage, model, service_tier, error } = part ?? {};
    if (usage) this.observeUsage(usage);
    if (typeof model === 'string') this.answeredBy = model;
    if (service_tier) this.serviceTier = service_tier;
    if (error) this.ended = true;
    for (const choice of Array.isArray(choices) ? choices : []) {
      const { finish_reason, delta, message } = choice ?? {};
      if (finish_reason) this.finished = true;
      this.outputTokens += tokensIn(delta ?? message ?? {});
    }
  }

  private observeUsage(usage: TokenUsage): void {
    const whole = withReasoning(withWholePrompt(usage));
    this.usage = possibleUsage(whole, this.model.contextWindow, this.maxOutputTokens);
    this.isCorrected = this.usage !== whole;
  }

  /**
   * Returns the cost by the provider's usage if it reported any, else by an estimate. It is `partial` for a
   * completion that broke off, and `estimated` for a prompt that was taken and not answered. `others` are models
   * that may have answered instead: the dearest counts.
   */
  outcome(others: readonly Model[] = []): Outcome {
    const broken = this.sawAnything ? 'partial' : 'estimated';
    const reported = this.saysNothingOfOutput ? undefined : this.usage;
    const usage = reported ?? {
      prompt_tokens: estimatePromptTokens(this.model, this.request),
      // An estimate must not exceed what was held.
      completion_tokens: Math.min(this.outputTokens, this.maxOutputTokens),
    };
    const asked = askedKinds(this.request);
    const costs = [this.model, ...others].map((model) =>
      chatCostNanoUsd(model, usage, this.serviceTier, asked),
    );
    const { isExact } = chatTokens(this.model, usage, this.serviceTier, asked);
    const isTold = this.usage !== undefined && !this.isUnbelievable && isExact;
    const figures = this.finished ? (isTold ? 'exact' : 'estimated') : broken;
    return {
      costNanoUsd: Math.max(...costs),
      figures,
      promptTokens: usage.prompt_tokens,
      completionTokens: usage.completion_tokens,
    };
  }
}

/**
 * Counts the tokens of a model's thoughts as output. Most providers do. xAI and Google count them beside it: xAI names
 * them, Google has them in the total alone.
 *
 * @see https://docs.x.ai/docs/key-information/consumption-and-rate-limits
 * @see https://discuss.ai.google.dev/t/127400
 */
function withReasoning(usage: TokenUsage): TokenUsage {
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  const beside = Number(total_tokens) - prompt_tokens - completion_tokens;
  const unnamed = prompt_tokens + completion_tokens === 0 ? 0 : beside;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? unnamed;
  const counts = [prompt_tokens, completion_tokens, beside];
  if (beside === 0 || beside !== reasoning) return usage;
  if (!counts.every(isCount)) return usage;
  return { ...usage, completion_tokens: completion_tokens + beside };
}

/**
 * Returns a usage as far as it can be true: the same if it can, cut to what the model takes and the request allows if
 * it is more, and undefined if it has no counts. So a usage that is too high is never cheaper than one at the limit.
 * More cached tokens than the prompt has count as none.
 */
function possibleUsage(
  usage: TokenUsage,
  maxPromptTokens: number,
  maxOutputTokens: number,
): TokenUsage | undefined {
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage;
  const cached = cachedTokens(usage);
  if (![prompt_tokens, completion_tokens, cached].every(isCount)) return undefined;
  const prompt = Math.min(prompt_tokens, maxPromptTokens);
  const completion = Math.min(completion_tokens, maxOutputTokens);
  if (prompt === prompt_tokens && completion === completion_tokens && cached <= prompt)
    return usage;
  return {
    ...usage,
    prompt_tokens: prompt,
    completion_tokens: completion,
    prompt_tokens_details: {
      ...prompt_tokens_details,
      cached_tokens: cached <= prompt ? cached : 0,
    },
  };
}

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
