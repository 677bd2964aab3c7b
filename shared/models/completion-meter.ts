import type { Outcome } from '../ledger/settle.ts';
import { askedKinds } from './asked-kinds.ts';
import type { Model } from './catalogue.ts';
import { chatCostNanoUsd, chatTokens, type TokenUsage, withWholePrompt } from './chat-usage.ts';
import { OutputCount } from './output-count.ts';
import { possibleUsage, withReasoning } from './reported-usage.ts';
import {
  estimatePromptTokens,
  maxBilledOutputTokens,
  maxPromptTokens,
  type SizedRequest,
} from './token-bounds.ts';
import { isFree } from './token-cost.ts';

interface Choice {
  index?: unknown;
  finish_reason?: string | null;
  delta?: Record<string, unknown>;
  message?: Record<string, unknown>;
}

/** The fields of a completion, or of a chunk of one, that the meter reads. @see https://platform.openai.com/docs/api-reference/chat */
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
  private readonly mustEnd: boolean;
  private reported: TokenUsage | undefined;
  /** Whether no output came after the usage. */
  private isUsageLast = false;
  /** The tier that was told; until then the one that was asked for. */
  private serviceTier: unknown;
  private readonly output = new OutputCount();
  private readonly unfinished = new Set<number>();
  private readonly finishedChoices = new Set<number>();
  /** Whether a finish reason has come, so that the completion is whole. */
  finished = false;
  /** Whether the response has come to its end, or reported an error: what did not come will not come. */
  ended = false;
  /** The model that answered, by its upstream's name. */
  answeredBy: string | undefined;

  constructor(model: Model, request: SizedRequest) {
    this.model = model;
    this.request = request;
    this.serviceTier = request['service_tier'];
    this.maxOutputTokens = maxBilledOutputTokens(model, request);
    this.mustEnd = Boolean(request.max_tokens) || !isFree(model);
  }

  /** Whether the last usage that was reported can't be true: it is corrected, or left out of account. */
  get isUnbelievable(): boolean {
    const { usage } = this;
    return usage !== this.reported || this.saysNothingOfOutput || this.saysTooLittle;
  }

  /** Whether more came than the call allows: its upstream doesn't know the limit, or doesn't keep it. */
  get isBeyondLimit(): boolean {
    return (
      Math.max(this.output.leastTokens, this.usage?.completion_tokens ?? 0) > this.maxOutputTokens
    );
  }

  /** The numbers of choices that go on though even their fewest possible tokens are more than the call allows. */
  get overdueChoices(): number[] {
    const isOverdue = this.mustEnd && this.output.leastTokens > this.maxOutputTokens;
    return isOverdue ? [...this.unfinished] : [];
  }

  /** The last usage, as far as it can be true. */
  private get usage(): TokenUsage | undefined {
    const { reported, model, maxOutputTokens, output } = this;
    // No tokenizer makes more tokens of a text than it has bytes: an answer that is longer than was allowed may say so.
    const maxCompletion = Math.max(maxOutputTokens, output.bytes);
    return reported && possibleUsage(reported, model.contextWindow, maxCompletion);
  }

  /** Whether the usage counts nothing at all, although output came. */
  private get saysNothingOfOutput(): boolean {
    const { prompt_tokens, completion_tokens } = this.usage ?? {};
    return prompt_tokens === 0 && completion_tokens === 0 && this.output.estimatedTokens > 0;
  }

  private get saysTooLittle(): boolean {
    const { completion_tokens = Number.POSITIVE_INFINITY } = this.usage ?? {};
    return this.isOfWhole && completion_tokens < this.output.leastTokens;
  }

  /** Whether the usage is of the whole output. Some providers count along, and some begin with a guess. */
  private get isOfWhole(): boolean {
    return this.finished && this.isUsageLast;
  }

  /** Whether the model produced anything that must be paid for. */
  get sawAnything(): boolean {
    return this.finished || this.output.estimatedTokens > 0 || this.usage !== undefined;
  }

  /** Told that all has come, as some servers say without a reason. */
  done(): void {
    if (this.output.estimatedTokens > 0) this.finished = true;
  }

  /** Counts bytes that came and are not read. */
  addUnread(bytes: number): void {
    this.output.addUnread(bytes);
  }

  /** Meters a completion or a chunk. It is a provider's JSON, so any field may be malformed. */
  observe(part: Metered | null): void {
    const { choices, usage, model, service_tier, error } = part ?? {};
    if (typeof model === 'string' && model !== '') this.answeredBy = model;
    if (service_tier) this.serviceTier = service_tier;
    if (error) this.ended = true;
    for (const [position, choice] of (Array.isArray(choices) ? choices : []).entries()) {
      const { index, finish_reason, delta, message } = choice ?? {};
      const number = typeof index === 'number' ? index : position;
      const hasText = this.output.add(number, delta ?? message ?? {});
      if (hasText) {
        this.isUsageLast = false;
        this.unfinished.add(number);
      }
      // A message comes whole, also where its server gives no reason.
      if (!finish_reason && !message) continue;
      this.finished = true;
      // One that went on after its end may do so again: some servers write a reason into every chunk.
      if (!hasText || !this.finishedChoices.has(number)) this.unfinished.delete(number);
      this.finishedChoices.add(number);
    }
    if (!usage) return;
    this.reported = withReasoning(withWholePrompt(usage));
    this.isUsageLast = true;
  }

  /**
   * Returns the cost by the reported usage, else by an estimate: `partial` if it broke off, `estimated` if it wasn't
   * answered. Of `others` that may have answered the dearest counts.
   */
  outcome(others: readonly Model[] = []): Outcome {
    const broken = this.sawAnything ? 'partial' : 'estimated';
    const used = this.used();
    const { isExact } = chatTokens(this.model, used, this.serviceTier, askedKinds(this.request));
    const isTold = used === this.reported && !this.isUnbelievable && isExact;
    return {
      costNanoUsd: Math.max(...[this.model, ...others].map((model) => this.costOf(used, model))),
      figures: this.finished ? (isTold ? 'exact' : 'estimated') : broken,
      promptTokens: used.prompt_tokens,
      completionTokens: used.completion_tokens,
    };
  }

  /** What the output costs that came, with a prompt no longer than what was sent. It may be more than was held. */
  outputNanoUsd(): number {
    const used = this.used();
    const most = maxPromptTokens(this.model, this.request);
    return this.costOf({ ...used, prompt_tokens: Math.min(used.prompt_tokens, most) }, this.model);
  }

  private costOf(usage: TokenUsage, model: Model): number {
    return chatCostNanoUsd(model, usage, this.serviceTier, askedKinds(this.request));
  }

  /**
   * The usage that is paid: the reported one of the whole output, if possible; else the greater of an estimate and
   * earlier reports.
   */
  private used(): TokenUsage {
    const { usage } = this;
    const known = this.saysNothingOfOutput ? undefined : usage;
    const prompt_tokens = Math.max(
      known?.prompt_tokens ?? 0,
      known && this.isUsageLast ? 0 : estimatePromptTokens(this.model, this.request),
    );
    const completion_tokens = Math.max(
      known?.completion_tokens ?? 0,
      known && this.isOfWhole ? this.output.leastTokens : this.countedTokens(),
    );
    const isAsTold =
      prompt_tokens === known?.prompt_tokens && completion_tokens === known.completion_tokens;
    return isAsTold ? known : { ...known, prompt_tokens, completion_tokens };
  }

  /** Estimates the output's tokens: within the call's limit, unless it is certainly longer. */
  private countedTokens(): number {
    const { maxOutputTokens } = this;
    const { estimatedTokens, leastTokens } = this.output;
    if (leastTokens > maxOutputTokens) return Math.max(leastTokens, estimatedTokens);
    return Math.max(leastTokens, Math.min(estimatedTokens, maxOutputTokens));
  }
}
