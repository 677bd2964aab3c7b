import type { Room } from '../http/byte-budget.ts';
import { type Hold, isAlike, reserveByPlan } from '../ledger/reserve.ts';
import type { Outcome } from '../ledger/settle.ts';
import type { ChargeSubject } from '../ledger/terms/charge.ts';
import type { HoldPlan } from '../ledger/terms/hold-plan.ts';
import { measure } from '../metrics.ts';
import { isOfModel } from '../models/beginnings.ts';
import type { Model } from '../models/catalogue.ts';
import type { DialectName } from '../models/dialect-names.ts';
import { contextLengthExceeded } from '../models/errors.ts';
import { readCircuits } from '../models/shared-circuits.ts';
import { textTokens } from '../models/text-tokens.ts';
import {
  costBounds,
  isCertainlyTooLong,
  type Known,
  type SizedRequest,
} from '../models/token-bounds.ts';
import type { ModelRequest } from '../models/upstreams/model-request.ts';
import { wires } from '../models/upstreams/wires.ts';
import { type LimitedFit, leastOfOwnLimit, planDearest } from './plan-hold.ts';
import { knownOf } from './told-prompt.ts';
import { userOf } from './user-of.ts';

/** A model and its request. */
export interface Route extends Omit<ModelRequest, 'dialect'> {
  model: Model;
}

/** One model call: the request, the key that pays, and the subject of its charge. */
export interface ModelCall extends Route {
  keyId: string;
  /** The models that are asked in the same dialect, in order, if this one doesn't answer. */
  fallbacks?: readonly Route[];
  /** The dialect of the body and of the response; chat completions by default. */
  dialect?: DialectName;
  subject: Omit<ChargeSubject, 'model'>;
  /** Aborts when the call's time is up: its function's, its research's, or its job's lease. */
  signal: AbortSignal;
  /** The pages that the call reads, to be counted on its charge. */
  images?: number;
  /** Whether it counts against the key's requests per minute; yes unless it says no. */
  asRequest?: boolean;
  /** Whether the caller's own limit of the output may be lowered where the key has little left. */
  mayBeShorter?: boolean;
  /** Whether the caller can limit the output; yes unless it says no. */
  isLimitable?: boolean;
  /** Where its answer is counted, if that is in memory for longer than the call. */
  room?: Room;
  /** The most bytes that its answer may have, if more than usual. */
  answerBytes?: number | undefined;
  /** Gets the call's use once it is settled. */
  onSettled?: (outcome: Outcome) => void;
}

/** A call that is held in the ledger and not made yet. */
export interface HeldCall {
  call: ModelCall;
  hold: Hold;
  /** The most tokens that the model may write, if the key has too little for all that it can. */
  maxTokens?: number | undefined;
  /** The cost by the prompt's bytes, if the hold counts the tokens that an upstream told for its beginning. */
  mostNanoUsd?: number | undefined;
}

/** A route with its request as it is measured. */
interface SizedRoute extends Route {
  request: SizedRequest;
}

/**
 * Holds the most that a call can cost with any of its models, or limits its output if the key has less. Throws `BudgetExceededError` or
 * `RequestsPerMinuteError`, and `ModelError` for a prompt that is too long.
 */
export async function holdCall(call: ModelCall): Promise<HeldCall> {
  const { keyId, subject, asRequest = true } = call;
  const dialect = dialectOf(call);
  const [first, ...others] = routesOf(call);
  if (!first) {
    const { id, contextWindow } = call.model;
    throw contextLengthExceeded(
      `The messages are longer than the ${contextWindow} tokens that ${id} takes.`,
    );
  }
  const wantedAt = performance.now();
  const known: Known = {};
  const plan = planOf(call, [first, ...others], known);
  const chargeSubject = { model: first.model.id, ...subject };
  const [{ hold, chosen }] = await Promise.all([
    reserveByPlan(keyId, plan, chargeSubject, { asRequest, user: userOf(call.body, dialect) }),
    readCircuits(),
  ]);
  measure({ AddedMs: Math.round(performance.now() - wantedAt) });
  const { maxTokens } = chosen;
  const isKnown = known.told !== undefined || known.tokensOf !== undefined;
  const mostNanoUsd = isKnown
    ? costBounds(first.model, first.request).maxNanoUsd(maxTokens)
    : undefined;
  const limited = ({ request, ...route }: SizedRoute): Route => {
    if (maxTokens === undefined) return route;
    const limit = Math.min(maxTokens, request.max_tokens || route.model.maxOutputTokens);
    return { ...route, body: { ...route.body, [wires[dialect].limitName]: limit } };
  };
  // A limit of another model has no hold for this call, so that model is not asked.
  const alike = others.filter(({ model }) => isAlike(hold, model.id));
  const held = { ...call, ...limited(first), fallbacks: alike.map(limited) };
  return { call: held, hold, mostNanoUsd, ...(maxTokens !== undefined && { maxTokens }) };
}

/** The dialect of a call. */
export const dialectOf = ({ dialect = 'chat' }: ModelCall): DialectName => dialect;

/** A call's request as it is measured. */
export const sizedRequest = (call: ModelCall): SizedRequest =>
  wires[dialectOf(call)].sized(call.body);

/** The models that may answer a call. One that takes no prompt so long is passed over. */
const routesOf = (call: ModelCall): SizedRoute[] =>
  [call, ...(call.fallbacks ?? [])]
    .map(({ model, body, headers, temperature }) => {
      const request = wires[dialectOf(call)].sized(body);
      return { model, body, headers, temperature, request };
    })
    .filter(({ model, request }) => !isCertainlyTooLong(model, request));

/** A shorter prompt isn't worth the tables of a tokenizer. */
const leastCounted = 8_000;

/** The facts that are learnt of a call if its hold is tight: less than `plenty` times the hold is free. */
interface Lesson {
  plenty: number;
  learn(): Promise<void>;
}

/**
 * Plans a call's hold by its bytes. Where that is tight, it is planned again by what the key's last calls tell, and then by the
 * tokens of its texts; what is learnt is noted in `known`.
 */
function planOf(
  call: ModelCall,
  routes: readonly [SizedRoute, ...SizedRoute[]],
  known: Known,
): HoldPlan<LimitedFit> {
  const [first, ...others] = routes;
  const dialect = dialectOf(call);
  const { mayBeShorter, isLimitable = true } = call;
  const canWait = call.subject.job_id !== undefined;
  const limitName = isLimitable ? wires[dialect].limitName : null;
  const planKnown = () => planDearest(routes, { canWait, mayBeShorter, limitName, known });
  const closing = (plan: HoldPlan<LimitedFit>, [next, ...later]: Lesson[]): typeof plan => {
    if (!next) return plan;
    const closer = async () => {
      await next.learn();
      return closing(planKnown(), later);
    };
    return { ...plan, plenty: next.plenty, closer };
  };
  const wide = planKnown();
  const lessons: Lesson[] = [];
  // Another model's tokens of the prompt are not known.
  const isAlone = others.length === 0;
  const goesOn = isAlone && first.request.messages.some(isOfModel);
  const { max_tokens: own } = first.request;
  if (goesOn || !own || (mayBeShorter && own > leastOfOwnLimit)) {
    const learn = async () => {
      const { written, told } = await knownOf(call.keyId, { ...first, dialect });
      Object.assign(known, isAlone ? { written, told } : { written });
    };
    lessons.push({ plenty: goesOn ? 100 : 10, learn });
  }
  // A call in the Messages dialect is translated for these models, and the translation may join texts.
  const isCounted = first.model.vocabulary && dialect !== 'messages';
  if (isAlone && isCounted && (wide.promptTokens ?? 0) > leastCounted) {
    const learn = async () => {
      known.tokensOf = await textTokens(first.model);
    };
    lessons.push({ plenty: 10, learn });
  }
  return closing(wide, lessons);
}
