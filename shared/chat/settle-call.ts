import { raiseHold } from '../ledger/raise-hold.ts';
import type { Hold } from '../ledger/reserve.ts';
import {
  type Kept,
  type Outcome,
  type Products,
  release,
  settle,
  settleWith,
} from '../ledger/settle.ts';
import { errorFields, log } from '../log.ts';
import { measure } from '../metrics.ts';
import type { Model } from '../models/catalogue.ts';
import type { CompletionMeter } from '../models/completion-meter.ts';
import { dialectOf, type HeldCall, type ModelCall } from './hold-call.ts';
import { isNameOf, otherModels } from './other-models.ts';
import { promptHash } from './told-prompt.ts';
import type { UnansweredPrompts } from './unanswered-prompts.ts';
import type { noteUses } from './use-notes.ts';

/** The model that a call asks now. */
export interface Attempt {
  model: Model;
  meter: CompletionMeter;
  headers?: Record<string, string> | undefined;
  /** The upstream that has answered, and its name for the model. */
  asked?: { upstream: string; model: string };
}

/** The functions that end a call. */
export interface Settlement {
  /** The usage and cost of the whole response, undefined for none. It stays as first asked: read the response before. */
  outcome(): Promise<Outcome | undefined>;
  /** Settles the call by what the meter saw, or releases it if that is nothing. Later calls do nothing more. */
  end(): Promise<void>;
  /**
   * Settles the call in one transaction with its products' writes, and returns which; undefined if none could be
   * made, and then it is free. Throws if the call has ended or produced nothing.
   */
  endWith(products: Products): Promise<Kept>;
}

/** What a call has used so far; undefined if its model ended it without output. */
export function usedSoFar(
  { model, meter, asked }: Attempt,
  unanswered: UnansweredPrompts,
): Outcome | undefined {
  if (!meter.sawAnything && meter.ended) return undefined;
  const others = asked === undefined ? [] : otherModels(model, asked.model, meter.answeredBy);
  return unanswered.beside(meter.outcome(others));
}

/**
 * The use and cost of a call; undefined if its model ended it without output. A silent model's prompt is paid. A
 * longer output than allowed is paid as far as the key can: the hold is raised. Other reports cost no more than was
 * held.
 */
export async function outcomeOf(
  attempt: Attempt,
  { call, hold, mostNanoUsd }: HeldCall,
  outcome: Outcome | undefined,
  unanswered: UnansweredPrompts,
): Promise<Outcome | undefined> {
  const { model, meter } = attempt;
  if (!outcome) return withImages(unanswered.alone, call);
  if (model.id !== hold.charge.model) outcome.model = model.id;
  const { promptTokens, completionTokens, costNanoUsd } = outcome;
  if (mostNanoUsd !== undefined && costNanoUsd > hold.charge.hold) {
    log('warn', 'prompt longer than was told', { model: model.id, promptTokens });
    await raiseTo(hold, Math.min(costNanoUsd, unanswered.costNanoUsd + mostNanoUsd));
  }
  const isTooMuch = costNanoUsd > hold.charge.hold;
  if (meter.isUnbelievable || (isTooMuch && !meter.isBeyondLimit)) {
    log('warn', 'unbelievable usage', { model: model.id, promptTokens, completionTokens });
    measure({ UnbelievableUsage: 1 }, { model: model.id });
  }
  if (meter.isBeyondLimit) {
    log('warn', 'output beyond its limit', { model: model.id, promptTokens, completionTokens });
    measure({ OutputBeyondLimit: 1 }, { model: model.id });
    await raiseTo(hold, Math.min(costNanoUsd, unanswered.costNanoUsd + meter.outputNanoUsd()));
  }
  if (costNanoUsd > hold.charge.hold) {
    outcome.costNanoUsd = hold.charge.hold;
    if (outcome.figures === 'exact') outcome.figures = 'estimated';
  }
  if (outcome.figures === 'exact') Object.assign(outcome, foundBy(attempt, call, hold));
  return withImages(outcome, call);
}

/** The hash that finds the prompt again by its told tokens; none if another model answered in its place. */
function foundBy({ meter, headers, asked }: Attempt, call: ModelCall, hold: Hold) {
  const { request, answeredBy } = meter;
  if (!asked || (answeredBy !== undefined && !isNameOf(asked.model, answeredBy))) return {};
  const question = { dialect: dialectOf(call), headers, request };
  const hash = promptHash(hold, call.keyId, asked, question);
  return hash === undefined ? {} : { promptHash: hash };
}

const withImages = (outcome: Outcome | undefined, { images }: ModelCall) =>
  outcome && { ...outcome, ...(images !== undefined && { images }) };

/** Raises a hold to what a call cost, as far as the key has that. If the store fails, the call costs what was held. */
async function raiseTo(hold: Hold, nanoUsd: number): Promise<void> {
  const more = nanoUsd - hold.charge.hold;
  if (more <= 0) return;
  try {
    await raiseHold(hold, more, { orLess: true });
  } catch (error) {
    log('error', 'hold not raised', { key_id: hold.charge.key_id, ...errorFields(error) });
  }
}

/** Makes the functions that end a call, of which the first counts. It also ends when its time is up, as nobody else might. */
export function settlementOf(
  hold: Hold,
  notes: ReturnType<typeof noteUses>,
  reach: () => Promise<Outcome | undefined>,
  { signal: timeIsUp, onSettled }: ModelCall,
  close: () => void,
): Settlement {
  let ended: Promise<Kept> | undefined;
  let known: Promise<Outcome | undefined> | undefined;
  const outcome = () => {
    known ??= reach();
    return known;
  };
  const once = (ending: () => Promise<Kept>) => {
    timeIsUp.removeEventListener('abort', onTimeIsUp);
    notes.end();
    ended ??= ending().finally(close);
    return ended;
  };
  const end = async () => {
    await once(async () => {
      const reached = await outcome();
      await (reached ? settle(hold, reached) : release(hold));
      if (reached) onSettled?.(reached);
      return undefined;
    });
  };
  const endWith = async (products: Products) => {
    const reached = await outcome();
    if (!reached || ended) throw new Error('A call that has ended can produce nothing more');
    return once(() => settleWith(hold, reached, products));
  };
  const onTimeIsUp = () => {
    end().catch((error: unknown) => log('error', 'call not settled', errorFields(error)));
  };
  timeIsUp.addEventListener('abort', onTimeIsUp);
  return { outcome, end, endWith };
}
