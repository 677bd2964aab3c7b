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
import { isCertainlyTooLong, mostNanoUsd, type SizedRequest } from '../models/token-bounds.ts';
import { type CompletionBody, openCompletion } from '../models/upstream.ts';

/** One model call: what is asked, who pays, what it is for, and when time is up. */
export interface ModelCall {
  keyId: string;
  model: Model;
  body: CompletionBody & SizedRequest;
  subject: Omit<ChargeSubject, 'model'>;
  signal: AbortSignal;
  /** Pages that the call reads, to be counted with it. */
  images?: number;
}

/** A call that is held in the ledger and under way; whoever reads the response ends it. */
export interface MeteredCall {
  response: Response;
  meter: CompletionMeter;
  account: Account;
  idleTimeoutMs: number;
  /** Aborts when time is up. */
  signal: AbortSignal;
  /** Settles, once, by what the meter saw; what produced nothing costs nothing. */
  end(): Promise<void>;
  /** The same, together with the write of what the call produced; false if that is there already. */
  endWith(product: TransactWriteItem): Promise<boolean>;
}

/** Holds the most the call can cost, then makes it: nothing is asked of a model that isn't paid for. */
export async function openMeteredCall(call: ModelCall): Promise<MeteredCall> {
  const { keyId, model, body, subject, signal } = call;
  if (isCertainlyTooLong(model, body)) {
    throw contextLengthExceeded(
      `The messages are longer than the ${model.contextWindow} tokens that ${model.id} takes.`,
    );
  }
  const wantedAt = performance.now();
  const hold = await reserve(keyId, mostNanoUsd(model, body), { model: model.id, ...subject });
  const meter = new CompletionMeter(model, body);
  measure({ AddedMs: Math.round(performance.now() - wantedAt) });
  try {
    const { response, idleTimeoutMs } = await openCompletion(model, body, signal);
    const ends = enders(hold, () => outcomeOf(meter, call), signal);
    return { response, idleTimeoutMs, signal, meter, account: hold.account, ...ends };
  } catch (error) {
    await release(hold);
    throw error;
  }
}

/** What a call came to; undefined where it produced nothing. */
function outcomeOf(meter: CompletionMeter, { images }: ModelCall): Outcome | undefined {
  if (!meter.sawAnything) return undefined;
  return { ...meter.outcome(), ...(images !== undefined && { images }) };
}

/** When time is up the call ends by itself: a reader who doesn't read keeps the rest from being read. */
function enders(
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

/** Reads a response that comes as a whole. */
export async function readCompletion(call: MeteredCall): Promise<string> {
  const { response, meter, idleTimeoutMs, signal } = call;
  const parts: Uint8Array[] = [];
  for await (const part of withIdleTimeout(response.body, idleTimeoutMs, signal)) parts.push(part);
  const text = Buffer.concat(parts).toString();
  meter.observe(JSON.parse(text) as Metered | null);
  return text;
}
