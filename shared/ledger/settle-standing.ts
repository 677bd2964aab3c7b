import { v7 as uuidv7 } from 'uuid';
import { addTo, expressUpdate } from '../aws/express-update.ts';
import { type TransactWriteItem, writeTransaction } from '../aws/transact.ts';
import { setting } from '../config.ts';
import {
  type Account,
  accountUpdate,
  inWindow,
  requireAccount,
  windowOf,
} from './account/account.ts';
import {
  auditAt,
  endedAttribute,
  epochOf,
  heldAttribute,
  recountAttribute,
  settledAttribute,
  takesHolds,
} from './account/epoch.ts';
import { chargePut } from './account/put-charge.ts';
import { endingOf, measureUse, type Outcome } from './settle.ts';
import { findStanding, type StandingHold } from './standing-hold.ts';
import { type Charge, type ChargeSubject, chargeRetentionSeconds } from './terms/charge.ts';
import { BusyAccountError } from './terms/limit-errors.ts';

/** A call that ends, of those that a standing hold is for. */
export interface StandingCall {
  subject: ChargeSubject;
  /** The part of the hold that was for it. */
  holdNanoUsd: number;
  /** What it cost; undefined if nothing. */
  outcome?: Outcome | undefined;
  /** What it produced: written with its charge, or neither is. One write at least is refused where it is repeated. */
  writes: [TransactWriteItem, ...TransactWriteItem[]];
}

/** How many calls one transaction settles, with a write each: it has a hundred items, one for the hold, and one for each account. */
export const callsAtOnce = 40;

const maxTries = 10;

/**
 * Settles calls in one transaction: charges and products are written, cost moves from held to spent, and the standing
 * hold is lowered; `ends` gives back its rest. Returns false if a call was settled before, or the hold has ended.
 * Charges count in this epoch, and in the window of the hold.
 */
export async function settleStanding(
  keyId: string,
  id: string,
  calls: readonly StandingCall[],
  ends?: { writes: TransactWriteItem[] },
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const standing = await findStanding(keyId, id);
    if (!standing) return false;
    const now = Date.now();
    const charges = chargesOf(standing, calls, now);
    const held = ends ? standing.hold : sumOf(charges.map(({ hold }) => hold));
    const change = { held, chargedHold: sumOf(charges.map(({ hold }) => hold)), now };
    const cost = sumOf(charges.map(({ cost = 0 }) => cost));
    const updates = await creditsOf(standing, { ...change, cost });
    const own = [standingWrite(standing, held, ends !== undefined), ...updates];
    const failed = await writeTransaction([
      ...own,
      ...charges.map((charge) => ({ Put: chargePut(charge) })),
      ...calls.flatMap(({ writes }) => writes),
      ...(ends?.writes ?? []),
    ]);
    if (!failed) {
      for (const charge of charges) measureUse(charge);
      return true;
    }
    if (failed.some((index) => index >= own.length)) return false;
    if (tries === maxTries) throw new BusyAccountError(keyId);
  }
}

/** Ends a standing hold, and gives back all that is left of it, with `writes`. False if it has ended before. */
export const endStanding = (keyId: string, id: string, writes: TransactWriteItem[] = []) =>
  settleStanding(keyId, id, [], { writes });

/** The charges of calls. None holds, or costs, more than is left of the hold for all. */
function chargesOf(
  standing: StandingHold,
  calls: readonly StandingCall[],
  now: number,
): (Charge & { hold: number })[] {
  let left = standing.hold;
  return calls.map(({ subject, holdNanoUsd, outcome }) => {
    const hold = Math.min(holdNanoUsd, left);
    left -= hold;
    const isCut = outcome !== undefined && outcome.costNanoUsd > hold;
    const costing = outcome && { ...outcome, costNanoUsd: Math.min(outcome.costNanoUsd, hold) };
    if (isCut && costing?.figures === 'exact') costing.figures = 'estimated';
    return {
      key_id: standing.key_id,
      entry: `charge_${uuidv7({ msecs: now })}`,
      hold,
      window: standing.window,
      request: false,
      created_at: standing.created_at,
      ...(standing.team && { team: standing.team, team_window: standing.team_window ?? 0 }),
      ...(standing.further && { further: standing.further }),
      ...subject,
      ...(costing ? endingOf(costing) : { status: 'released' as const, failed: true }),
      ended_at: new Date(now).toISOString(),
      expires_at: Math.floor(now / 1000) + chargeRetentionSeconds,
    };
  });
}

/** The write of what is left of a hold, on the condition that it is as it was read. */
function standingWrite(
  { key_id, entry, hold }: StandingHold,
  held: number,
  ends: boolean,
): TransactWriteItem {
  const { UpdateExpression, ...asRead } = expressUpdate(
    setting('LEDGER_TABLE'),
    { key_id, entry },
    (value, name) => ({
      when: [`${name('hold')} = ${value(hold)}`],
      set: [!ends && `${name('hold')} = ${value(hold - held)}`],
    }),
  );
  return ends ? { Delete: asRead } : { Update: { ...asRead, UpdateExpression } };
}

interface Change {
  /** The amount that is no longer held, and the part of it that the charges held. */
  held: number;
  chargedHold: number;
  cost: number;
  now: number;
}

async function creditsOf(standing: StandingHold, change: Change): Promise<TransactWriteItem[]> {
  const { key_id, window, team, team_window = 0, further = {} } = standing;
  const windows = { [key_id]: window, ...(team && { [team]: team_window }), ...further };
  const credits = Object.entries(windows).map(async ([id, number]) => ({
    Update: creditOf(await requireAccount(id), number, change),
  }));
  return Promise.all(credits);
}

/** Moves a hold to what was spent. A cost counts if the account is still in the window of the hold. */
function creditOf(account: Account, window: number, { held, chargedHold, cost, now }: Change) {
  const current = windowOf(account);
  const counted = current === window ? cost : 0;
  const epoch = epochOf(now);
  return accountUpdate(account.key_id, (value) => ({
    // An epoch that is recounted takes no credits, nor one that was audited meanwhile: the next one does.
    when: [
      `attribute_not_exists(${recountAttribute(epoch)})`,
      takesHolds(epoch, value),
      inWindow(current, value),
    ],
    set: [
      `held = held - ${value(held)}`,
      `spent = spent + ${value(counted)}`,
      `available = available + ${value(held - counted)}`,
      addTo(heldAttribute(epoch), 0, value),
      addTo(endedAttribute(epoch), chargedHold, value),
      addTo(settledAttribute(epoch, current), counted, value),
      `audit_at = if_not_exists(audit_at, ${value(auditAt(epoch))})`,
    ],
  }));
}

const sumOf = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
