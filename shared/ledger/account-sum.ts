import { timeOfId } from '../uuid-time.ts';
import { type Account, windowOf } from './account.ts';
import type { Charge } from './charge.ts';
import { auditDueMs, epochOf, epochsIn, heldAttribute, settledAttribute } from './epoch.ts';

/** A figure of an account that isn't what it adds up to, in nano-dollars. */
export interface AccountDifference {
  figure: 'spent' | 'held' | 'available';
  kept: number;
  charged: number;
}

/**
 * Compares an account, as it was read, with the charges of its window, as they are read afterwards. What was audited never
 * changes. In an epoch that was not audited yet, calls may be under way: its charges are not added, and the account's own
 * sum of it stands on both sides.
 */
export class AccountSum {
  private readonly account: Account;
  private readonly now: number;
  /** The epochs that were not audited yet. */
  readonly openEpochs: ReadonlySet<number>;
  private closedNanoUsd = 0;

  constructor(account: Account, now = Date.now()) {
    this.account = account;
    this.now = now;
    this.openEpochs = new Set(epochsIn(account));
  }

  add(charge: Charge): void {
    const epoch = epochOf(timeOfId(charge.entry));
    const isOpen = auditDueMs(epoch) > this.now || this.openEpochs.has(epoch);
    if (isOpen || charge.window !== windowOf(this.account)) return;
    this.closedNanoUsd += charge.cost ?? 0;
  }

  /** The figures that differ. */
  differences(): AccountDifference[] {
    const { ceiling, available, held, spent } = this.account;
    const figures: AccountDifference[] = [
      { figure: 'spent', kept: spent, charged: this.closedNanoUsd + this.openNanoUsd() },
      { figure: 'held', kept: held, charged: this.sum((epoch) => heldAttribute(epoch)) },
      { figure: 'available', kept: available, charged: ceiling - held - spent },
    ];
    return figures.filter(({ kept, charged }) => kept !== charged);
  }

  /** What the calls of the epochs that were not audited have cost so far. */
  private openNanoUsd(): number {
    const window = windowOf(this.account);
    return this.sum((epoch) => settledAttribute(epoch, window));
  }

  private sum(attribute: (epoch: number) => keyof Account): number {
    return [...this.openEpochs].reduce(
      (total, epoch) => total + Number(this.account[attribute(epoch)] ?? 0),
      0,
    );
  }
}
