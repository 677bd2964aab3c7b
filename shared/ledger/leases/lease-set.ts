import { setting } from '../../config.ts';
import type { Account } from '../account/account.ts';
import { idsOf, maxParts, ownerOf } from '../terms/account-ids.ts';
import type { Fit, HoldPlan } from '../terms/hold-plan.ts';
import { ChargeGroup } from './charge-group.ts';
import { CreditGroups } from './credit-groups.ts';
import { KeyLeases, type LeaseOptions, type Taken } from './key-leases.ts';

const usual: LeaseOptions = {
  busyCalls: 8,
  ms: 1_000,
  share: 20,
  shareOfLimits: 8,
  fewest: 4,
  most: 500,
  pauseMs: 20,
  after: (ms, run) => void setTimeout(run, ms).unref(),
};

const maxKeys = 1_000;

/** How many leases a call waits for that may be too large for them. */
const maxWaits = 3;

/** The leases of a process, and the groups in which the calls that were held within them end. */
export class Leases {
  readonly charges = new ChargeGroup();
  readonly credits: CreditGroups;
  private readonly options: LeaseOptions;
  private readonly keys = new Map<string, KeyLeases>();

  constructor(options: Partial<LeaseOptions> = {}) {
    this.options = { ...usual, ...options };
    this.credits = new CreditGroups(this.options.pauseMs);
  }

  /** Holds a call within a lease of its key; undefined if it needs a hold of its own. It waits for a lease on its way. */
  async take<Chosen extends Fit>(
    keyId: string,
    plan: HoldPlan<Chosen>,
    isRequest: boolean,
  ): Promise<Taken<Chosen> | undefined> {
    const leases = this.keys.get(keyId);
    for (let waits = 0; ; waits += 1) {
      const taken = leases?.take(plan, isRequest, Date.now());
      if (taken || !leases?.next || waits === maxWaits) return taken;
      await leases.next;
    }
  }

  /** Whether calls of a key share holds now. */
  has(keyId: string): boolean {
    return this.keys.get(keyId)?.isIdle === false;
  }

  /** Takes note of a call that was held by itself. */
  note(account: Account, holdNanoUsd: number): void {
    this.of(ownerOf(account.key_id)).note(account, holdNanoUsd, Date.now());
  }

  /** Gives back what a key's leases have left before a call is refused. Returns whether there was anything. */
  async giveBack(keyId: string, teamId: string | undefined): Promise<boolean> {
    const gave = (await this.keys.get(keyId)?.giveBack(Date.now())) ?? false;
    const accountIds = [keyId, ...(teamId ? [ownerOf(teamId)] : [])];
    const partIds = accountIds.flatMap((key_id) => idsOf({ key_id, parts: maxParts }));
    const credited = await Promise.all(partIds.map((id) => this.credits.flush(id)));
    return gave || credited.includes(true);
  }

  /** Gives back what all leases have left, and writes all credits that wait: the process is about to end. */
  async close(): Promise<void> {
    const open = [...this.keys.values()];
    await Promise.all(open.map((leases) => leases.giveBack(Number.POSITIVE_INFINITY)));
    await this.credits.flushAll();
  }

  private of(keyId: string): KeyLeases {
    const known = this.keys.get(keyId) ?? new KeyLeases(keyId, this.options);
    // The key that was asked for last is the last one.
    this.keys.delete(keyId);
    this.keys.set(keyId, known);
    const [oldest] = this.keys;
    if (this.keys.size > maxKeys && oldest?.[1].isIdle) this.keys.delete(oldest[0]);
    return known;
  }
}

let own: Leases | undefined;
let isRead = false;

/** The leases of this process; undefined where it serves one call at a time, or they are turned off. */
export function processLeases(): Leases | undefined {
  if (!isRead && setting('LEASES') === 'on') own = begin();
  isRead = true;
  return own;
}

/** A process that is told to end leaves nothing to the audit. */
function begin(): Leases {
  const begun = new Leases();
  process.once('SIGTERM', () => {
    begun.close().finally(() => process.exit());
  });
  return begun;
}
