import type { TransactWriteItem } from '../aws/transact.ts';
import type { Account } from '../ledger/account.ts';
import type { ChargeSubject } from '../ledger/charge.ts';
import { type Hold, reserve } from '../ledger/reserve.ts';
import { type Outcome, release, settle, settleWith } from '../ledger/settle.ts';
import { errorFields, log } from '../log.ts';
import { measure } from '../metrics.ts';
import type { Model } from '../models/catalogue.ts';
import { CompletionMeter, type Metered } from '../models/completion-meter.ts';
import { contextLengthExceeded } from '../models/errors.ts';
import { withIdleTimeout } from '../models/idle-timeout.ts';
import { isCertainlyTooLong, maxCostNanoUsd, type SizedRequest } from '../models/token-bounds.ts';
import { type CompletionBody, openCompletion } from '../models/upstream.ts';

/** One model call: the request, the key that pays, and what the call is counted as. */
export interface ModelCall {
  keyId: string;
  model: Model;
  body: CompletionBody & SizedRequest;
  subject: Omit<ChargeSubject, 'model'>;
  /** Aborts when the function's time is up. */
  signal: AbortSignal;
  /** The pages that the call reads, to be counted on its charge. */
  images?: number;
}

/** A call that is held in the ledger and under way. Whoever reads the response must end it. */
export interface MeteredCall {
  response: Response;
  meter: CompletionMeter;
  /** The account as the hold left it. */
  account: Account;
  idleTimeoutMs: number;
  /** Aborts when the function's time is up. */
  signal: AbortSignal;
  /** Settles the call by what the meter saw, or releases it if that is nothing. Later calls do nothing more. */
  end(): Promise<void>;
  /**
   * Settles the call in one transaction with the write of what it produced. Returns false if that write's
   * condition failed, and then the call costs nothing. Throws if the call has ended or produced nothing.
   */
  endWith(product: TransactWriteItem): Promise<boolean>;
}

/**
 * Holds the most that the call can cost, then makes it, so that no model is asked for what can't be paid.
 * Releases the hold if the call fails.
 *
 * Throws `BudgetExceededError` or `RequestsPerMinuteError` if the key can't pay, and `ModelError` if the prompt
 * is too long or no upstream takes it.
 */
export async function openMeteredCall(call: ModelCall): Promise<MeteredCall> {
  const { keyId, model, body, subject, signal } = call;
  if (isCertainlyTooLong(model, body)) {
    throw contextLengthExceeded(
      `The messages are longer than the ${model.contextWindow} tokens that ${model.id} takes.`,
    );
  }
  const wantedAt = performance.now();
  const hold = await reserve(keyId, maxCostNanoUsd(model, body), { model: model.id, ...subject });
  const meter = new CompletionMeter(model, body);
  measure({ AddedMs: Math.round(performance.now() - wantedAt) });
  try {
    const { response, idleTimeoutMs } = await openCompletion(model, body, signal);
    const settlement = settlementOf(hold, () => outcomeOf(meter, call), signal);
    return { response, idleTimeoutMs, signal, meter, account: hold.account, ...settlement };
  } catch (error) {
    await release(hold);
    throw error;
  }
}

/** What a call used and cost; undefined if it produced nothing. */
function outcomeOf(meter: CompletionMeter, { images }: ModelCall): Outcome | undefined {
  if (!meter.sawAnything) return undefined;
  return { ...meter.outcome(), ...(images !== undefined && { images }) };
}

/**
 * Makes the functions that end a call, of which only the first that is called has an effect. The call also ends
 * by itself when time is up: a caller who has stopped reading stops the reading of the response too, and then
 * nobody else would end it.
 */
function settlementOf(
  hold: Hold,
  outcome: () => Outcome | undefined,
  timeIsUp: AbortSignal,
): Pick<MeteredCall, 'end' | 'endWith'> {
  let ended: Promise<unknown> | undefined;
  const once = (ending: () => Promise<unknown>) => {
    timeIsUp.removeEventListener('abort', onTimeIsUp);
    ended ??= ending();
    return ended;
  };
  const end = async () => {
    await once(() => {
      const reached = outcome();
      return reached ? settle(hold, reached) : release(hold);
    });
  };
  const endWith = async (product: TransactWriteItem) => {
    const reached = outcome();
    if (!reached || ended) throw new Error('A call that has ended can produce nothing more');
    return (await once(() => settleWith(hold, reached, product))) === true;
  };
  const onTimeIsUp = () => {
    end().catch((error: unknown) => log('error', 'call not settled', errorFields(error)));
  };
  timeIsUp.addEventListener('abort', onTimeIsUp);
  return { end, endWith };
}

/** Reads and meters a response that isn't streamed. Throws `ModelError` on silence, `SyntaxError` for no JSON. */
export async function readCompletion(call: MeteredCall): Promise<string> {
  const { response, meter, idleTimeoutMs, signal } = call;
  const parts: Uint8Array[] = [];
  for await (const part of withIdleTimeout(response.body, idleTimeoutMs, signal)) parts.push(part);
  const text = Buffer.concat(parts).toString();
  meter.observe(JSON.parse(text) as Metered | null);
  return text;
}
