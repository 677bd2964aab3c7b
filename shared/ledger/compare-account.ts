import { timeOfId } from '../uuid-time.ts';
import { type Account, spentSince, windowOf } from './account/account.ts';
import { auditDueMs, epochOf, epochsIn, heldAttribute, settledAttribute } from './account/epoch.ts';
import { readWhole } from './parts/whole.ts';
import { standingOf, standingOnTeam } from './standing-hold.ts';
import type { Charge } from './terms/charge.ts';
import { isTeamId } from './terms/team-id.ts';

/** A figure of an account that isn't what it adds up to, in nano-dollars. */
export interface AccountDifference {
  figure: 'spent' | 'held' | 'available';
  kept: number;
  charged: number;
}

/** Compares an account, as it was read, with its charges. A figure that differs on some parts is the sum of those. */
export class WholeSum {
  private readonly sums: Map<string, ReturnType<typeof accountSum>>;
  private readonly isTeams: boolean;
  /** The earliest moment from which it counts charges as spent. */
  readonly spentSince: string;

  /** `standing` has, by the ids of parts, what stands on them. */
  constructor(parts: readonly Account[], standing: ReadonlyMap<string, number>, now = Date.now()) {
    this.isTeams = parts.some(({ key_id }) => isTeamId(key_id));
    this.spentSince = parts.map(spentSince).sort()[0] ?? '';
    this.sums = new Map(
      parts.map((part) => [part.key_id, accountSum(part, standing.get(part.key_id), now)]),
    );
  }

  /** Adds a charge that was held on it. */
  add(charge: Charge): void {
    const { key_id, window, team = '', team_window } = charge;
    if (!this.isTeams) this.sums.get(key_id)?.add(charge, window);
    else if (team_window !== undefined) this.sums.get(team)?.add(charge, team_window);
  }

  /** How many of its epochs are not compared, as they were not audited yet. */
  get underWay(): number {
    return [...this.sums.values()].reduce((sum, { openEpochs }) => sum + openEpochs.size, 0);
  }

  /** The figures that differ. */
  differences(): AccountDifference[] {
    const figures = new Map<string, AccountDifference>();
    for (const sum of this.sums.values()) {
      for (const { figure, kept, charged } of sum.differences()) {
        const before = figures.get(figure) ?? { figure, kept: 0, charged: 0 };
        figures.set(figure, {
          figure,
          kept: before.kept + kept,
          charged: before.charged + charged,
        });
      }
    }
    return [...figures.values()];
  }
}

/**
 * Compares an account with the charges of its window. Audited sums never change; an epoch that is not audited counts
 * by the account's own sum on both sides, as calls may be under way. `standingNanoUsd` stands on it, of whichever jobs.
 */
function accountSum(account: Account, standingNanoUsd = 0, now = Date.now()) {
  // The epochs that were not audited yet.
  const openEpochs: ReadonlySet<number> = new Set(epochsIn(account));
  const window = windowOf(account);
  let closedNanoUsd = 0;
  const sumOf = (attribute: (epoch: number) => keyof Account) =>
    [...openEpochs].reduce((total, epoch) => total + Number(account[attribute(epoch)] ?? 0), 0);
  return {
    openEpochs,

    add(charge: Charge, chargedIn: number): void {
      const epoch = epochOf(timeOfId(charge.entry));
      const isOpen = auditDueMs(epoch) > now || openEpochs.has(epoch);
      if (!isOpen && chargedIn === window) closedNanoUsd += charge.cost ?? 0;
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

/** How often an account is read anew while what stands on it changes. */
const maxReads = 5;

/** Reads an account and its parts together with what stands on them, as all were at one moment; undefined if there is none. */
export async function readSummed(id: string): Promise<WholeSum | undefined> {
  let before = await standingSum(id);
  for (let reads = 1; ; reads += 1) {
    const whole = await readWhole(id);
    if (!whole) return undefined;
    const after = await standingSum(id);
    // A hold is lowered and ended, and never the same again.
    if (after.all === before.all || reads === maxReads) {
      return new WholeSum(whole.parts, after.byPart);
    }
    before = after;
  }
}

async function standingSum(id: string): Promise<{ all: string; byPart: Map<string, number> }> {
  const all: string[] = [];
  const byPart = new Map<string, number>();
  for await (const standing of isTeamId(id) ? standingOnTeam(id) : standingOf(id)) {
    const { key_id, entry, hold, team = '' } = standing;
    const partId = isTeamId(id) ? team : key_id;
    all.push(`${key_id} ${entry} ${hold}`);
    byPart.set(partId, (byPart.get(partId) ?? 0) + hold);
  }
  return { all: all.sort().join(), byPart };
}
