import type { Fit } from '../ledger/hold-account.ts';
import type { HoldPlan } from '../ledger/reserve.ts';
import type { Model } from '../models/catalogue.ts';
import { costBounds, type SizedRequest } from '../models/token-bounds.ts';

/** A hold for a model call, and the limit of output that makes it enough. */
export interface LimitedFit extends Fit {
  /** The most tokens that the model may write; undefined if the request's own limit, or the model's, is enough. */
  maxTokens?: number;
}

/** A key with this many times what a call can cost gets no limit. */
const plenty = 10;
/** The shortest output that is worth a call. A reasoning model thinks within it. */
const leastTokens = 256;
const leastReasoningTokens = 1_024;
const defaultUsualTokens = 16_384;

/**
 * Plans the hold of a model call. A call with a limit of its own holds what that can cost. One without holds all
 * that the model can write, if that is at most a tenth of what is available. Else it holds a tenth, or what the model
 * usually writes if that is more, or all that is available if that is less; and its output is limited to that.
 *
 * A call that `canWait` gets no limit below what the model usually writes, if that fits once running calls give back what
 * they hold: it waits for them.
 */
export function planHold(
  model: Model,
  request: SizedRequest,
  { canWait = false } = {},
): HoldPlan<LimitedFit> {
  const { maxNanoUsd, affordableTokens } = costBounds(model, request);
  const all = maxNanoUsd();
  if (hasOwnLimit(request)) {
    return {
      fit: () => ({ holdNanoUsd: all }),
      advice: ({ available }) => limitAdvice(affordableTokens(available)),
    };
  }
  const least = Math.min(
    model.reasoning ? leastReasoningTokens : leastTokens,
    model.maxOutputTokens,
  );
  return {
    fit({ available, held }) {
      if (available >= plenty * all) return { holdNanoUsd: all, from: plenty * all };
      const usual = Math.min(
        model.usualOutputTokens ?? defaultUsualTokens,
        affordableTokens(canWait ? available + held : available),
      );
      const maxTokens = Math.max(least, usual, affordableTokens(available / plenty));
      const below = plenty * all;
      if (maxTokens >= model.maxOutputTokens) return { holdNanoUsd: all, below };
      return {
        holdNanoUsd: maxNanoUsd(maxTokens),
        below,
        maxTokens,
      };
    },
    advice: ({ available }) => limitAdvice(affordableTokens(available)),
  };
}

/** Returns a request with a limit of output, by the name that the model takes. */
export function limited<Request extends SizedRequest>(
  { reasoning }: Model,
  request: Request,
  maxTokens: number,
): Request {
  const { max_tokens: _, max_completion_tokens: __, ...rest } = request;
  return { ...rest, [reasoning ? 'max_completion_tokens' : 'max_tokens']: maxTokens } as Request;
}

const hasOwnLimit = ({ max_tokens, max_completion_tokens }: SizedRequest) =>
  Boolean(max_tokens || max_completion_tokens);

function limitAdvice(tokens: number): string {
  return tokens >= 1
    ? `Set max_tokens to ${tokens.toLocaleString('en')} or less.`
    : 'What it sends alone may cost more: send less, or use a cheaper model.';
}
