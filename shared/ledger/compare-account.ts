import { timeOfId } from '../uuid-time.ts';
import { type Account, spentSince, windowOf } from './account/account.ts';
import { type AccountHold, costOn, holdsOfCharge } from './account/account-hold.ts';
import { auditDueMs, epochOf, epochsIn, heldAttribute, settledAttribute } from './account/epoch.ts';
import { furtherAccounts } from './owner-limits.ts';
import { readWhole, type Whole } from './parts/whole.ts';
import { standingBeside, standingOf } from './standing-hold.ts';
import { isBeside, isFurther } from './terms/account-ids.ts';
import type { Charge } from './terms/charge.ts';

/** A figure of an account that isn't what it adds up to, in nano-dollars. */
export interface AccountDifference {
  /** The further limit's account that it is of; absent for the key's or team's own. */
  account?: string;
  figure: 'spent' | 'held' | 'available';
  kept: number;
  charged: number;
}

/**
 * Compares an account, as it was read, with its charges. A figure that differs on some parts is the sum of those.
 * `standing` has the open holds by the ids of their parts.
 */
function wholeSum(parts: Whole['parts'], standing: ReadonlyMap<string, number>) {
  const account = parts[0].key_id;
  const now = Date.now();
  const sums = new Map(
    parts.map((part) => [part.key_id, accountSum(part, standing.get(part.key_id) ?? 0, now)]),
  );
  return {
    /** The earliest moment from which it counts charges as spent. */
    spentSince: parts.map(spentSince).sort()[0] ?? '',
    /** How many of its epochs are not compared, as they were not audited yet. */
    underWay: sums.values().reduce((sum, { openEpochs }) => sum + openEpochs.size, 0),

    /** Adds a charge that was held on it. */
    add(charge: Charge): void {
      for (const part of holdsOfCharge(charge)) sums.get(part.key_id)?.add(charge, part);
    },

    /** The figures that differ. */
    differences(): AccountDifference[] {
      const differences = sums.values().flatMap((sum) => sum.differences());
      return [...Map.groupBy(differences, ({ figure }) => figure)].map(([figure, of]) => ({
        figure,
        ...(isFurther(account) && { account }),
        kept: of.reduce((sum, { kept }) => sum + kept, 0),
        charged: of.reduce((sum, { charged }) => sum + charged, 0),
      }));
    },
  };
}

type WholeSum = ReturnType<typeof wholeSum>;

/**
 * Compares an account with the charges of its window. Audited sums never change; an epoch that is not audited counts
 * by the account's own sum on both sides, as calls may be under way. `standingNanoUsd` stands on it, of whichever jobs.
 */
function accountSum(account: Account, standingNanoUsd: number, now: number) {
  // The epochs that were not audited yet.
  const openEpochs: ReadonlySet<number> = new Set(epochsIn(account));
  const window = windowOf(account);
  let closedNanoUsd = 0;
  const sumOf = (attribute: (epoch: number) => keyof Account) =>
    [...openEpochs].reduce((total, epoch) => total + Number(account[attribute(epoch)] ?? 0), 0);
  return {
    openEpochs,

    add(charge: Charge, { key_id, window: chargedIn }: AccountHold): void {
      const epoch = epochOf(timeOfId(charge.entry));
      const isOpen = auditDueMs(epoch) > now || openEpochs.has(epoch);
      if (!isOpen && chargedIn === window) closedNanoUsd += costOn(key_id, charge);
    },

    /** The figures that differ. */
    differences(): AccountDifference[] {
      const { ceiling, available, held, spent } = account;
      const openNanoUsd = sumOf((epoch) => settledAttribute(epoch, window));
      const heldNanoUsd = standingNanoUsd + sumOf(heldAttribute);
      const figures: AccountDifference[] = [
        { figure: 'spent', kept: spent, charged: closedNanoUsd + openNanoUsd },
        { figure: 'held', kept: held, charged: heldNanoUsd },
        { figure: 'available', kept: available, charged: ceiling - held - spent },
      ];
      return figures.filter(({ kept, charged }) => kept !== charged);
    },
  };
}

/** How often an account is read anew while its open holds change. */
const maxReads = 5;

/** Reads an account, its parts and their open holds as of one moment; undefined if there is no account. */
export async function readSummed(id: string): Promise<WholeSum | undefined> {
  let before = await standingSum(id);
  for (let reads = 1; ; reads += 1) {
    const whole = await readWhole(id);
    if (!whole) return undefined;
    const after = await standingSum(id);
    // A hold is lowered and ended, and never the same again.
    if (after.all === before.all || reads === maxReads) {
      return wholeSum(whole.parts, after.byPart);
    }
    before = after;
  }
}

/** Reads the accounts of an owner's further limits as `readSummed` does. */
export async function furtherSummed(ownerId: string): Promise<WholeSum[]> {
  const sums = await Array.fromAsync(furtherAccounts(ownerId), readSummed);
  return sums.filter((sum) => sum !== undefined);
}

async function standingSum(id: string): Promise<{ all: string; byPart: Map<string, number> }> {
  const all: string[] = [];
  const byPart = new Map<string, number>();
  for await (const standing of isBeside(id) ? standingBeside(id) : standingOf(id)) {
    const { key_id, entry, hold } = standing;
    all.push(`${key_id} ${entry} ${hold}`);
    // The account itself holds it.
    byPart.set(id, (byPart.get(id) ?? 0) + hold);
  }
  return { all: all.sort().join(), byPart };
}
