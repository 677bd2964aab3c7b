import type { Model } from './catalogue.ts';
import { chatCostNanoUsd } from './chat-usage.ts';
import {
  estimatePromptTokens,
  maxCompletionTokens,
  maxCostNanoUsd,
  type SizedRequest,
} from './token-bounds.ts';

/** What something costs in nano-dollars: at most, and likely. */
export interface CostRange {
  maxNanoUsd: number;
  likelyNanoUsd: number;
}

/** How long an answer is taken to be, thoughts included. */
export const assumedAnswerTokens = 500;

/** Returns what a call costs; likely with four bytes of its prompt for a token, and an answer of 500. */
export function callCost(model: Model, request: SizedRequest): CostRange {
  const most = maxCompletionTokens(model, request);
  const usage = {
    prompt_tokens: estimatePromptTokens(model, request),
    completion_tokens: Math.min(assumedAnswerTokens, most),
  };
  return {
    maxNanoUsd: maxCostNanoUsd(model, request),
    likelyNanoUsd: chatCostNanoUsd(model, usage),
  };
}

export const free: CostRange = { maxNanoUsd: 0, likelyNanoUsd: 0 };

/** Adds costs up. */
export const sumOf = (costs: readonly CostRange[]): CostRange =>
  costs.reduce(
    (sum, { maxNanoUsd, likelyNanoUsd }) => ({
      maxNanoUsd: sum.maxNanoUsd + maxNanoUsd,
      likelyNanoUsd: sum.likelyNanoUsd + likelyNanoUsd,
    }),
    free,
  );
