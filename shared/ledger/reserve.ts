import { setTimeout } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { isThrottled } from '../aws/outage.ts';
import { ServiceError } from '../http/errors.ts';
import { fullJitterMs } from '../jitter.ts';
import { findAccount } from './account/account.ts';
import { type HeldOn, windowsOf } from './account/account-hold.ts';
import { remember, type Seen } from './account/last-seen.ts';
import { type CallUse, ceilings, countsAlike, namingCustomer } from './account/limit-list.ts';
import { maxRounds, refuseLacking, refuseRequest } from './account/refuse.ts';
import { type Leases, processLeases } from './leases/lease-set.ts';
import { type GatheredHold, gatherOrRefuse } from './parts/gather-or-refuse.ts';
import { growIfBusy } from './parts/grow.ts';
import { holdJointly } from './parts/hold-jointly.ts';
import { freeOf, isInParts, payersOf } from './parts/payers.ts';
import { renewPart } from './parts/whole.ts';
import { ownerOf } from './terms/account-ids.ts';
import { type ChargeSubject, chargeRetentionSeconds, type HeldCharge } from './terms/charge.ts';
import { canBeCloser, closest, type Fit, type HoldPlan, unlessTight } from './terms/hold-plan.ts';
import { BusyAccountError } from './terms/limit-errors.ts';
import { hasWindowEnded } from './terms/window.ts';

/** A hold, with its accounts as they were right after it. It is ended once, by `settle` or `release`. */
export interface Hold extends HeldOn {
  /** What the charge will say of the call. */
  charge: HeldCharge;
  /** Whether it has ended, in this process. */
  isEnded: boolean;
  /** The leases that it was held within; absent if it was held by itself. */
  leases?: Leases;
}

export interface ReserveOptions {
  /** Whether the hold counts against the key's requests per minute and at once. A document's pages don't. */
  asRequest?: boolean;
  /** The leases of the process, if it has any. */
  leases?: Leases | undefined;
  /** The user that the request names, for limits of each user. */
  user?: string | undefined;
}

/**
 * Holds the most that a call can cost, in nano-dollars, on the key's account and its team's, and counts the request,
 * by one conditional update each. Throws `BudgetExceededError`, `RequestsPerMinuteError` or `ConcurrencyError`, all
 * 429, or `BusyAccountError`, a 503.
 */
export async function reserve(
  keyId: string,
  holdNanoUsd: number,
  subject: ChargeSubject,
  options: ReserveOptions = {},
): Promise<Hold> {
  const { hold } = await reserveByPlan(keyId, { fit: () => ({ holdNanoUsd }) }, subject, options);
  return hold;
}

/** How often a hold is tried again that was throttled, and the pauses before. */
const maxThrottles = 6;
const firstPauseMs = 250;
const longestPauseMs = 2_000;

/** Reserves a hold that is chosen by what the accounts have: first as they were seen last, then as the refusal shows them. */
export async function reserveByPlan<Chosen extends Fit>(
  keyId: string,
  plan: HoldPlan<Chosen>,
  subject: ChargeSubject,
  options: ReserveOptions = {},
): Promise<{ hold: Hold; chosen: Chosen }> {
  const { asRequest = true, leases = processLeases(), user } = options;
  const use = { ...subject, user };
  const taken = await leases?.take(keyId, plan, asRequest);
  if (taken) {
    const hold = holdOf(taken, subject, asRequest);
    return { hold: { ...hold, ...(leases && { leases }) }, chosen: taken.chosen };
  }
  const held = await holdByPlan(keyId, plan, asRequest, use, leases);
  // What limits a call by its model or customer is no lease's to know.
  const isLimited = [held.account, held.team].some((each) => each?.limits !== undefined);
  if (!isLimited && ceilings().length === 0) leases?.note(held.account, held.chosen.holdNanoUsd);
  const named = { ...subject, ...namingCustomer([held.account, held.team], use) };
  return { hold: holdOf(held, named, asRequest), chosen: held.chosen };
}

/** Whether a hold covers the limits of another model, as that has none of its own. */
export const isAlike = ({ account, team, charge }: Hold, model: string): boolean =>
  model === charge.model || countsAlike([account, team], model);

/** The accounts as a hold left them, what was held, and when, in ms since 1970. */
interface Held<Chosen extends Fit> extends HeldOn {
  chosen: Chosen;
  heldAtMs: number;
}

/** Holds as `reserveByPlan` does by itself, for what ends without a charge too. */
export async function holdByPlan<Chosen extends Fit>(
  keyId: string,
  plan: HoldPlan<Chosen>,
  asRequest: boolean,
  use: CallUse,
  leases = processLeases(),
): Promise<Held<Chosen>> {
  try {
    return await fitAndHold(keyId, plan, asRequest, use, leases);
  } catch (error) {
    // What a lease of this process has left, no call uses: it must not be why one is refused.
    const isRefused = error instanceof ServiceError && leases;
    if (!isRefused || !(await leases.giveBack(keyId, payersOf(keyId)[1]?.key_id))) throw error;
    return await fitAndHold(keyId, plan, asRequest, use, leases);
  }
}

async function fitAndHold<Chosen extends Fit>(
  keyId: string,
  first: HoldPlan<Chosen>,
  asRequest: boolean,
  use: CallUse,
  leases: Leases | undefined,
): Promise<Held<Chosen>> {
  let plan = first;
  let payers = payersOf(keyId, use);
  let word: GatheredHold<Chosen> | undefined;
  let throttles = 0;
  for (let rounds = 1; rounds <= maxRounds; rounds += 1) {
    const now = Date.now();
    // A part alone has less than its account, and is no measure of what a call may write.
    const free = freeOf(payers, now);
    plan = await closest(plan, free);
    const chosen = word?.chosen ?? plan.fit(free);
    const asked = word?.fit ?? unlessTight(plan, chosen);
    const joint = await holdJointly(payers, asked, now, asRequest, use).catch((error: unknown) => {
      if (!isThrottled(error) || throttles === maxThrottles) throw error;
    });
    if (!joint) {
      throttles += 1;
      payers = await payersElsewhere(keyId, use, payers, throttles);
      word = undefined;
      continue;
    }
    if (joint.held) {
      growIfBusy(joint.held, {
        now,
        holdNanoUsd: chosen.holdNanoUsd,
        isLeasing: leases?.has(keyId) ?? false,
        wasThrottled: throttles > 0,
      });
      return { ...joint.held, chosen, heldAtMs: now };
    }
    const { refusedBy } = joint;
    const ended = refusedBy.filter((account) => hasWindowEnded(account, now));
    if (ended.length > 0) {
      await Promise.all(ended.map((account) => renewPart(account, now)));
      continue;
    }
    payers = joint.payers;
    word = undefined;
    if (refusedBy.some(({ closed }) => closed)) {
      await Promise.all(refusedBy.map(({ key_id }) => lookAgain(ownerOf(key_id))));
      payers = payersOf(keyId, use);
      continue;
    }
    if (refusedBy.some(({ key_id }) => isInParts(key_id))) {
      plan = await closest(plan);
      word = await gatherOrRefuse(payers, plan, asRequest);
      payers = word?.payers ?? payers;
      continue;
    }
    if (asRequest) for (const account of refusedBy) refuseRequest(account, now);
    const least = freeOf(payers, now);
    if (canBeCloser(plan, least)) continue;
    refuseLacking(refusedBy, plan.fit(least), plan.advice?.(least));
  }
  throw new BusyAccountError(keyId);
}

/**
 * Waits after a throttled hold. Returns what pays then, on other parts by chance. The key is asked first, so that
 * little is undone.
 */
async function payersElsewhere(
  keyId: string,
  use: CallUse,
  [, ...others]: readonly Seen[],
  throttles: number,
): Promise<[Seen, ...Seen[]]> {
  if (throttles % 2 === 1) {
    for (const id of [keyId, ...others.map(({ key_id }) => ownerOf(key_id))])
      lookAgain(id).catch(() => {});
  }
  await setTimeout(fullJitterMs(firstPauseMs, throttles - 1, longestPauseMs));
  const [own, ...beside] = payersOf(keyId, use);
  return [{ ...own, refuses: true }, ...beside];
}

/** Sees how many parts an account has now. */
async function lookAgain(ownerId: string): Promise<void> {
  const account = await findAccount(ownerId);
  if (account) remember(account);
}

function holdOf(
  { chosen, heldAtMs, ...accounts }: Held<Fit>,
  subject: ChargeSubject,
  isRequest: boolean,
): Hold {
  const { account, further = [] } = accounts;
  const charge = {
    key_id: account.key_id,
    // The id carries the moment of the hold, so that settling finds the epoch that the account held it in.
    entry: `charge_${uuidv7({ msecs: heldAtMs })}`,
    hold: chosen.holdNanoUsd,
    ...windowsOf(accounts),
    ...(further.length > 0 && chosen.tokens !== undefined && { hold_tokens: chosen.tokens }),
    request: isRequest,
    created_at: new Date(heldAtMs).toISOString(),
    expires_at: Math.floor(heldAtMs / 1000) + chargeRetentionSeconds,
    ...subject,
  };
  return { charge, ...accounts, further, isEnded: false };
}
