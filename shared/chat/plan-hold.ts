import type { Fit, Free, HoldPlan } from '../ledger/terms/hold-plan.ts';
import type { Model } from '../models/catalogue.ts';
import { costBounds, type Known, type SizedRequest } from '../models/token-bounds.ts';

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

export interface PlanOptions {
  canWait?: boolean;
  limitName?: string;
  /** What is known of the prompt beside its bytes. */
  known?: Known | undefined;
}

/**
 * Plans a call's hold. With a limit: what that can cost. Without: what the model can write, if that is a tenth of
 * what is available; else a tenth, or what the model usually writes, at most all, and the output is limited to it. A
 * call that `canWait` waits for what running calls give back rather than being limited below the usual. `limitName`
 * is the caller's name of the limit.
 */
export function planHold(
  model: Model,
  request: SizedRequest,
  { canWait = false, limitName = 'max_tokens', known }: PlanOptions = {},
): HoldPlan<LimitedFit> {
  const bounds = costBounds(model, request, known);
  const { maxNanoUsd, maxTokens: mostTokens, affordableTokens, promptTokens } = bounds;
  const all = maxNanoUsd();
  if (request.max_tokens) {
    return {
      promptTokens,
      fit: () => ({ holdNanoUsd: all, tokens: mostTokens(request) }),
      advice: ({ available }) => limitAdvice(affordableTokens(available), limitName),
    };
  }
  const least = Math.min(
    model.reasoning ? leastReasoningTokens : leastTokens,
    model.maxOutputTokens,
  );
  const byMoney = ({ available, held }: Free): LimitedFit => {
    if (available >= plenty * all) return { holdNanoUsd: all, from: plenty * all };
    const usual = Math.min(
      model.usualOutputTokens ?? defaultUsualTokens,
      affordableTokens(canWait ? available + held : available),
    );
    const maxTokens = Math.max(least, usual, affordableTokens(available / plenty));
    const below = plenty * all;
    if (maxTokens >= model.maxOutputTokens) return { holdNanoUsd: all, below };
    return { holdNanoUsd: maxNanoUsd(maxTokens), below, maxTokens };
  };
  const choices = request.n ?? 1;
  return {
    promptTokens,
    fit(free) {
      const fit = byMoney(free);
      const tokens = mostTokens({ n: choices, max_tokens: fit.maxTokens });
      if (free.tokens === undefined || tokens <= free.tokens) return { ...fit, tokens };
      // The minute has fewer tokens left than it may write: it is limited to them.
      const room = Math.floor(
        (free.tokens - mostTokens({ n: choices, max_tokens: least })) / choices,
      );
      const maxTokens = least + Math.max(0, room);
      const holdNanoUsd = Math.min(fit.holdNanoUsd, maxNanoUsd(maxTokens));
      return {
        ...fit,
        holdNanoUsd,
        maxTokens,
        tokens: mostTokens({ n: choices, max_tokens: maxTokens }),
      };
    },
    advice: ({ available }) => limitAdvice(affordableTokens(available), limitName),
  };
}

interface Sized {
  model: Model;
  request: SizedRequest;
}

/** Plans the hold of a call that any of some models may answer: the most of all, under the lowest of their limits. */
export function planDearest(
  routes: readonly [Sized, ...Sized[]],
  options: PlanOptions,
): HoldPlan<LimitedFit> {
  const plans = routes.map(({ model, request }) => planHold(model, request, options));
  const [only] = plans;
  if (only && plans.length === 1) return only;
  return {
    fit(free) {
      const fits = plans.map((plan) => plan.fit(free));
      const maxTokens = least(fits.map((fit) => fit.maxTokens));
      const below = least(fits.map((fit) => fit.below));
      const holds = fits.map(({ holdNanoUsd }, index) => {
        const { model, request } = routes[index] as Sized;
        return maxTokens === undefined
          ? holdNanoUsd
          : Math.min(holdNanoUsd, costBounds(model, request).maxNanoUsd(maxTokens));
      });
      const holdNanoUsd = Math.max(...holds);
      const tokens = routes.map(({ model, request }) =>
        costBounds(model, request).maxTokens({
          n: request.n,
          max_tokens: maxTokens ?? request.max_tokens,
        }),
      );
      return {
        holdNanoUsd,
        tokens: Math.max(...tokens),
        from: Math.max(holdNanoUsd, ...fits.map(({ from = 0 }) => from)),
        ...(below !== undefined && { below }),
        ...(maxTokens !== undefined && { maxTokens }),
      };
    },
    advice: (free) => {
      const fits = plans.map((plan) => plan.fit(free).holdNanoUsd);
      return plans[fits.indexOf(Math.max(...fits))]?.advice?.(free);
    },
  };
}

function least(values: (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

function limitAdvice(tokens: number, limitName: string): string {
  return tokens >= 1
    ? `Set ${limitName} to ${tokens.toLocaleString('en')} or less.`
    : 'What it sends alone may cost more: send less, or use a cheaper model.';
}
