import type { Fit, Free, HoldPlan } from '../ledger/terms/hold-plan.ts';
import type { Model } from '../models/catalogue.ts';
import { costBounds, type Known, type SizedRequest } from '../models/token-bounds.ts';
import { longestPart } from './output-parameters.ts';

/** A hold for a model call, and the limit of output that makes it enough. */
export interface LimitedFit extends Fit {
  /** The most tokens that the model may write; undefined if the request's own limit, or the model's, is enough. */
  maxTokens?: number;
}

/** A key with this many times what a call can cost gets no limit. */
const plenty = 10;
/** While others run, a usual answer may take a quarter of the rest at most. */
const sharers = 4;
/** The shortest output that is worth a call. A reasoning model thinks within it. */
const leastTokens = 256;
const leastReasoningTokens = 1_024;
/** A caller's own limit is lowered to no less, so no smaller one is lowered. */
export const leastOfOwnLimit = 2_048;

/** How long a model's answers usually are: four times the longest of a key's last calls, else by the catalogue. */
export function usualTokens(
  { id, usualOutputTokens = 16_384 }: Model,
  written?: Known['written'],
): number {
  const longest = written?.get(id);
  return longest === undefined ? usualOutputTokens : Math.max(leastOfOwnLimit, 4 * longest);
}

export interface PlanOptions {
  canWait?: boolean;
  /** Whether the caller's own limit may be lowered. */
  mayBeShorter?: boolean | undefined;
  limitName?: string | null;
  /** The longest part of the output that is asked for: no limit leaves less than the least beside it. */
  part?: number;
  /** What is known of the call beside its bytes. */
  known?: Known | undefined;
}

/**
 * Plans a call's hold: the full output, if a tenth of what is available covers it. Else the output is limited to the larger
 * of what a tenth pays for and a usual answer; for that answer all of it may go, or a quarter while others run. A limit of
 * the caller's own stands, unless the call `mayBeShorter`. A call that `canWait` waits for what running calls give back
 * rather than being limited below the usual. `limitName` is the caller's name of the limit, or null.
 */
export function planHold(
  model: Model,
  request: SizedRequest,
  options: PlanOptions = {},
): HoldPlan<LimitedFit> {
  const { canWait, mayBeShorter, limitName = 'max_tokens', known } = options;
  const { part = longestPart(request) } = options;
  const bounds = costBounds(model, request, known);
  const { maxNanoUsd, maxTokens: mostTokens, affordableTokens, promptTokens } = bounds;
  const all = maxNanoUsd();
  const advice = ({ available }: Free) => limitAdvice(affordableTokens(available), limitName);
  const own = request.max_tokens;
  const most = Math.min(own || model.maxOutputTokens, model.maxOutputTokens);
  const worthACall = model.reasoning ? leastReasoningTokens : leastTokens;
  const least = part + (own ? leastOfOwnLimit : worthACall);
  if (least >= most || (own && !mayBeShorter)) {
    return { promptTokens, fit: () => ({ holdNanoUsd: all, tokens: mostTokens(request) }), advice };
  }
  const byMoney = ({ available, held }: Free): LimitedFit => {
    if (available >= plenty * all) return { holdNanoUsd: all, from: plenty * all };
    const share = held > 0 ? available / sharers : available;
    const usual = Math.min(
      usualTokens(model, known?.written),
      affordableTokens(canWait ? available + held : share),
    );
    const maxTokens = Math.max(least, usual, affordableTokens(available / plenty));
    const below = plenty * all;
    if (maxTokens >= most) return { holdNanoUsd: all, below };
    return { holdNanoUsd: maxNanoUsd(maxTokens), below, maxTokens };
  };
  const tokensOf = (max_tokens = own) => mostTokens({ n: request.n, max_tokens });
  return {
    promptTokens,
    fit(free) {
      const fit = byMoney(free);
      const tokens = tokensOf(fit.maxTokens);
      if (free.tokens === undefined || tokens <= free.tokens) return { ...fit, tokens };
      // The minute has fewer tokens left than it may write: it is limited to them.
      const room = Math.floor((free.tokens - tokensOf(least)) / (request.n ?? 1));
      const maxTokens = least + Math.max(0, room);
      const holdNanoUsd = Math.min(fit.holdNanoUsd, maxNanoUsd(maxTokens));
      return { ...fit, holdNanoUsd, maxTokens, tokens: tokensOf(maxTokens) };
    },
    advice,
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
  const part = Math.max(...routes.map(({ request }) => longestPart(request)));
  const plans = routes.map(({ model, request }) => planHold(model, request, { ...options, part }));
  const [only] = plans;
  if (only && plans.length === 1) return only;
  return {
    fit(free) {
      const fits = plans.map((plan) => plan.fit(free));
      const maxTokens = least(fits.map((fit) => fit.maxTokens));
      const below = least(fits.map((fit) => fit.below));
      const most = routes.map(({ model, request: { n, max_tokens, ...request } }) => {
        const limited = { ...request, n, max_tokens: maxTokens ?? max_tokens };
        const bounds = costBounds(model, limited);
        return { nanoUsd: bounds.maxNanoUsd(), tokens: bounds.maxTokens(limited) };
      });
      const holdNanoUsd = Math.max(...most.map(({ nanoUsd }) => nanoUsd));
      return {
        holdNanoUsd,
        tokens: Math.max(...most.map(({ tokens }) => tokens)),
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

function limitAdvice(tokens: number, limitName: string | null): string {
  if (tokens < 1) return 'What it sends alone may cost more: send less, or use a cheaper model.';
  if (limitName === null) return 'Use a cheaper model, or have the budget raised.';
  return `Set ${limitName} to ${tokens.toLocaleString('en')} or less.`;
}
