import { isThrottled } from '../aws/outage.ts';
import { type TransactWriteItem, writeTransaction } from '../aws/transact.ts';
import { log } from '../log.ts';
import { measure } from '../metrics.ts';
import { timeOfId } from '../uuid-time.ts';
import type { Account } from './account/account.ts';
import { type AccountHold, costOn, holdsOfCharge } from './account/account-hold.ts';
import { type Credited, credit, refund } from './account/credit.ts';
import { epochOf, settleUntilMs } from './account/epoch.ts';
import { longestWriteMs, persist } from './account/persist.ts';
import { chargePut, putCharge } from './account/put-charge.ts';
import { handOver, orHandOver } from './audit/late-call.ts';
import type { Leases } from './leases/lease-set.ts';
import type { Hold } from './reserve.ts';
import type { Accuracy, Charge, HeldCharge } from './terms/charge.ts';
import { toUsd } from './terms/nano-usd.ts';

/** What a call used and cost. */
export interface Outcome {
  /** The model that answered, if it isn't the one that the call was held for. */
  model?: string;
  costNanoUsd: number;
  figures: Accuracy;
  promptTokens: number;
  completionTokens: number;
  /** Pages read by OCR. */
  images?: number;
  /** The hash of a prompt with a told number of tokens, if later calls may want it. */
  promptHash?: string;
}

/** A call's charge could not be written, or nobody knows. No advice to try again: the audit finds out what is paid. */
export class UnsettledError extends Error {
  constructor(cause: unknown) {
    super('A call could not be settled', { cause });
  }
}

/** The attributes with which a charge ends. */
type Ending = Pick<Charge, 'status' | 'cost' | 'figures' | 'failed'> &
  Pick<Charge, 'prompt_tokens' | 'completion_tokens' | 'images' | 'prompt_hash'> & {
    model?: string;
  };

export const endingOf = (outcome: Outcome): Ending => ({
  status: 'settled',
  cost: outcome.costNanoUsd,
  figures: outcome.figures,
  prompt_tokens: outcome.promptTokens,
  completion_tokens: outcome.completionTokens,
  ...(outcome.images !== undefined && { images: outcome.images }),
  ...(outcome.model !== undefined && { model: outcome.model }),
  ...(outcome.promptHash !== undefined && { prompt_hash: outcome.promptHash }),
});

/**
 * Writes the charge of an ended call, and moves its hold to spent on each account. Returns the key's account;
 * undefined if the call had ended, or the account could not be written. What fails is handed over to be booked late;
 * if that fails, it throws `UnsettledError`, and the audit decides.
 */
export function settle(hold: Hold, outcome: Outcome): Promise<Account | undefined> {
  return end(hold, endingOf(outcome));
}

/** Ends a call without a cost, and gives its hold back. Returns what `settle` does. */
export function release(hold: Hold): Promise<Account | undefined> {
  return end(hold, { status: 'released', failed: true });
}

/** The writes of what a call produced, and those to make instead where a condition of theirs fails. */
export interface Products {
  writes: TransactWriteItem[];
  fallback?: TransactWriteItem[];
}

/** Which writes of a call's products were made, if any. */
export type Kept = 'writes' | 'fallback' | undefined;

/**
 * Settles a call with its charge and the writes of its product in one transaction. Returns undefined if the product
 * was there: the hold is given back. Throws if the outcome is unknown. The accounts stay outside, as DynamoDB refuses
 * plain updates of an item that a transaction holds.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
 */
export async function settleWith(hold: Hold, outcome: Outcome, products: Products): Promise<Kept> {
  if (!beginEnd(hold)) throw new Error('The call had ended before it was settled');
  const ending = endingOf(outcome);
  const parts = holdsOf(hold);
  const charged = chargeOf(hold, ending);
  const leases = leasesOf(hold);
  const [written, credited] = await Promise.allSettled([
    writeCharge(charged, products, Math.min(longestWriteMs, leftMsOf(hold))),
    // Together with others' it comes once the cost is known: nothing has to be taken back.
    leases ? [] : creditAll(parts, ending),
  ]);
  if (written.status === 'rejected') {
    measure({ UnsettledCalls: 1 });
    throw written.reason;
  }
  const { kept, isThere } = written.value;
  const credits = credited.status === 'fulfilled' ? credited.value : [];
  if (kept) {
    measureUse(charged);
    if (leases) void creditWithOthers(leases, charged);
    if (!areCertain(credits)) await handOver({ charge: charged, lacksCredit: true });
    return kept;
  }
  const released = chargeOf(hold, { status: 'released', failed: true });
  await Promise.all([
    ...parts.map(
      (part, index) => credits[index]?.account && refund(part, costOn(part.key_id, ending)),
    ),
    putCharge(released),
  ]);
  if (leases) void creditWithOthers(leases, released);
  if (!areCertain(credits)) await handOver({ charge: released, lacksCredit: true });
  if (isThere) throw new Error('The charge was there before its call had ended');
  return undefined;
}

/** Writes a charge with its products, or with their fallback. `isThere` says that the charge was written before. */
async function writeCharge(
  charge: Charge,
  { writes, fallback }: Products,
  forMs: number,
): Promise<{ kept: Kept; isThere: boolean }> {
  const put = { Put: chargePut(charge) };
  let failed = await writeInTurn([put, ...writes], forMs);
  if (!failed) return { kept: 'writes', isThere: false };
  if (fallback && !failed.includes(0)) {
    failed = await writeInTurn([put, ...fallback], forMs);
    if (!failed) return { kept: 'fallback', isThere: false };
  }
  return { kept: undefined, isThere: failed.includes(0) };
}

/** Tries a transaction again where it certainly did nothing: if it may have happened, its own charge would be in the way. */
const writeInTurn = (items: TransactWriteItem[], forMs: number) =>
  persist(() => writeTransaction(items), isThrottled, forMs);

async function end(hold: Hold, ending: Ending): Promise<Account | undefined> {
  if (!beginEnd(hold)) return undefined;
  const leases = leasesOf(hold);
  if (leases) return endWithOthers(leases, hold, ending);
  const cutOff = cutOffOf(hold);
  const charge = chargeOf(hold, ending);
  const [{ written, isHandedOver }, credits] = await Promise.all([
    orHandOver(
      (signal) => putCharge(charge, cutOff ? AbortSignal.any([cutOff, signal]) : signal),
      charge,
    ),
    creditAll(holdsOf(hold), ending, cutOff),
  ]);
  if (written.status === 'rejected') tellUnsettled(ending, written.reason, isHandedOver);
  else if (!areCertain(credits)) await handOver({ charge, lacksCredit: true });
  measureUse(charge);
  return credits[0]?.account;
}

/** Ends a call whose writes go with others'. It waits for its charge; a lost credit is made up from the charges. */
async function endWithOthers(
  leases: Leases,
  hold: Hold,
  ending: Ending,
): Promise<Account | undefined> {
  const charge = chargeOf(hold, ending);
  const writing = orHandOver((signal) => leases.charges.put(charge, signal), charge);
  const isWritten = writing.then(({ written }) => written.status === 'fulfilled');
  void creditWithOthers(leases, charge, isWritten);
  const { written, isHandedOver } = await writing;
  if (written.status === 'rejected') tellUnsettled(ending, written.reason, isHandedOver);
  measureUse(charge);
  return hold.account;
}

/** Credits accounts with others' calls; a call with a charge is handed over where that is uncertain. */
async function creditWithOthers(
  { credits }: Leases,
  charge: Charge & HeldCharge,
  isWritten: Promise<boolean> | true = true,
): Promise<void> {
  const parts = holdsOfCharge(charge);
  const credited = await Promise.all(
    parts.map((part) => credits.add(part, costOn(part.key_id, charge))),
  );
  if (areCertain(credited) || !(await isWritten)) return;
  await handOver({ charge, lacksCredit: true });
}

/** The leases whose groups end a call; undefined where it ends by itself, as there may be little time left. */
const leasesOf = (hold: Hold) => (leftMsOf(hold) > 2 * longestWriteMs ? hold.leases : undefined);

/** Throws if a call's charge could not be written, and nobody else will. */
function tellUnsettled({ status }: Ending, reason: unknown, isHandedOver: boolean): void {
  if (status === 'settled') measure({ UnsettledCalls: 1 });
  if (!isHandedOver) throw status === 'settled' ? new UnsettledError(reason) : reason;
}

/** Credits each account that holds a part of a call, the key's first. */
const creditAll = (parts: AccountHold[], ending: Ending, abortSignal?: AbortSignal) =>
  Promise.all(parts.map((part) => credit(part, costOn(part.key_id, ending), abortSignal)));

const areCertain = (credits: Credited[]) => credits.every(({ isCertain }) => isCertain);

/** What each account holds of a call. */
export const holdsOf = ({ charge }: Hold): AccountHold[] => holdsOfCharge(charge);

/** Whether a call may be ended: once, and before its epoch is audited, as its charges are final then. */
function beginEnd(hold: Hold): boolean {
  if (hold.isEnded) return false;
  hold.isEnded = true;
  const { key_id, entry } = hold.charge;
  const isLate = leftMsOf(hold) < 0;
  if (isLate) log('error', 'call ended too late to be settled', { key_id, charge_id: entry });
  return !isLate;
}

/** How long a call may still begin to settle, in ms. */
export const leftMsOf = ({ charge }: Hold) =>
  settleUntilMs(epochOf(timeOfId(charge.entry))) - Date.now();

/** Ends the tries of a write before its epoch is audited. Returns undefined where there is plenty of time, as for most. */
function cutOffOf(hold: Hold): AbortSignal | undefined {
  const leftMs = leftMsOf(hold) + 30_000;
  return leftMs < longestWriteMs ? AbortSignal.timeout(leftMs) : undefined;
}

export const chargeOf = ({ charge }: Hold, ending: Ending): Charge => ({
  ...charge,
  ...ending,
  ended_at: new Date().toISOString(),
});

/** Measures what a call used that costs something. */
export function measureUse({ status, model, cost = 0, ...used }: Charge): void {
  if (status !== 'settled') return;
  const { prompt_tokens = 0, completion_tokens = 0 } = used;
  const tokens = { PromptTokens: prompt_tokens, CompletionTokens: completion_tokens };
  measure({ ...tokens, SpendUsd: toUsd(cost) }, { model });
}
