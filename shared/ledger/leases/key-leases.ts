import { errorFields, log } from '../../log.ts';
import type { Account } from '../account/account.ts';
import type { HeldOn } from '../account/account-hold.ts';
import type { RequestsAhead } from '../account/hold-account.ts';
import { leastOf, type Seen } from '../account/last-seen.ts';
import { growIfBusy } from '../parts/grow.ts';
import { holdJointly } from '../parts/hold-jointly.ts';
import { payersOf } from '../parts/payers.ts';
import type { Fit, HoldPlan } from '../terms/hold-plan.ts';
import { Lease, type Left } from './lease.ts';

/** When leases begin, and how large they are. */
export interface LeaseOptions {
  busyCalls: number;
  /** How long calls may begin within a lease. */
  ms: number;
  /** A lease has at most 1 / `share` of the money that is available, and 1 / `shareOfLimits` of the limits of requests. */
  share: number;
  shareOfLimits: number;
  /** The fewest calls that are worth a lease, and the most that one is for. */
  fewest: number;
  most: number;
  /** How long the credits of an account gather. */
  pauseMs: number;
  /** Has something done later. */
  after(ms: number, run: () => Promise<void>): void;
}

/** A call that holds what it took of a lease, and the accounts as it left them. */
export interface Taken<Chosen extends Fit> extends Omit<HeldOn, 'further'> {
  chosen: Chosen;
  heldAtMs: number;
}

/** The leases of one key in this process: a new one begins before the last is used up. */
export class KeyLeases {
  private readonly keyId: string;
  private readonly options: LeaseOptions;
  private open: Lease[] = [];
  private beginning: Promise<void> | undefined;
  /** A lease that was refused isn't asked for again before. */
  private notBeforeMs = 0;
  /** The number of calls that the last lease was for. */
  private size = 0;
  /** The second in which calls are counted, and how many began in it and in the one before. */
  private second = 0;
  private calls = 0;
  private callsBefore = 0;

  constructor(keyId: string, options: LeaseOptions) {
    this.keyId = keyId;
    this.options = options;
  }

  /** Whether nothing is lost if it is forgotten. */
  get isIdle(): boolean {
    return this.open.length === 0 && !this.beginning;
  }

  /** Holds a call within a lease, if that is certain to be right for its plan. */
  take<Chosen extends Fit>(
    plan: HoldPlan<Chosen>,
    isRequest: boolean,
    now: number,
  ): Taken<Chosen> | undefined {
    const open = this.open.filter((lease) => lease.isOpen(now));
    const [first] = open;
    if (!first) return undefined;
    const left = sumOf(open.map((lease) => lease.left));
    const least = leastOf(first.payers(left));
    const chosen = plan.fit(least);
    const { holdNanoUsd, from = holdNanoUsd, below } = chosen;
    // One that is fitted to what is left is fitted to the account itself.
    if (below !== undefined || from > least.available) return undefined;
    const wanted = { nanoUsd: holdNanoUsd, requests: isRequest ? 1 : 0 };
    const lease = open.find((each) => each.take(wanted));
    if (!lease) return undefined;
    this.count(now);
    const rest = sumOf(open.map((each) => each.left));
    const [account, team] = lease.payers(rest);
    if (rest.requests < this.size / 2) this.begin(account, holdNanoUsd, now);
    return { account, ...(team && { team }), chosen, heldAtMs: now };
  }

  /** Resolves once the lease is there, or refused, that is being held; undefined if none is. */
  get next(): Promise<void> | undefined {
    return this.open.length > 0 ? this.beginning : undefined;
  }

  /** Takes note of a call that was held by itself, and begins a lease where many are. */
  note(account: Account, holdNanoUsd: number, now: number): void {
    this.count(now);
    if (this.recent >= this.options.busyCalls) this.begin(account, holdNanoUsd, now);
  }

  /** Gives back what leases have left, and begins none for a while. Returns whether there was any. */
  async giveBack(now: number): Promise<boolean> {
    this.notBeforeMs = now + this.options.ms;
    await this.beginning;
    const open = this.open.splice(0);
    await Promise.all(open.map((lease) => lease.close()));
    return open.length > 0;
  }

  private count(now: number): void {
    const second = Math.floor(now / 1000);
    if (second !== this.second) {
      this.callsBefore = second === this.second + 1 ? this.calls : 0;
      this.calls = 0;
      this.second = second;
    }
    this.calls += 1;
  }

  /** How many calls began in this second or the one before, whichever has more. */
  private get recent(): number {
    return Math.max(this.calls, this.callsBefore);
  }

  private begin(account: Account, holdNanoUsd: number, now: number): void {
    if (this.beginning || now < this.notBeforeMs || holdNanoUsd === 0) return;
    const { share, shareOfLimits, fewest, most } = this.options;
    const payers = payersOf(this.keyId);
    const affordable = Math.floor(leastOf(payers).available / share / holdNanoUsd);
    const { requests_per_minute, max_concurrent } = payers[0].account ?? account;
    const count = Math.min(
      Math.max(fewest, this.recent),
      most,
      affordable,
      Math.floor(Math.min(requests_per_minute, max_concurrent) / shareOfLimits),
    );
    if (count < fewest) return;
    const requests = { count, requests_per_minute, max_concurrent };
    this.size = count;
    this.beginning = this.hold(payers, requests, count * holdNanoUsd, now)
      .catch((error: unknown) => {
        this.notBeforeMs = now + this.options.ms;
        log('warn', 'no lease', { key_id: this.keyId, ...errorFields(error) });
      })
      .finally(() => {
        this.beginning = undefined;
      });
  }

  private async hold(
    payers: [Seen, ...Seen[]],
    requests: RequestsAhead,
    nanoUsd: number,
    heldAtMs: number,
  ): Promise<void> {
    const { ms, share } = this.options;
    const fit = { holdNanoUsd: nanoUsd, from: share * nanoUsd, requests };
    const { held } = await holdJointly(payers, fit, heldAtMs, true);
    if (!held) {
      this.notBeforeMs = heldAtMs + ms;
      return;
    }
    const just = { now: heldAtMs, holdNanoUsd: nanoUsd, requests: requests.count };
    growIfBusy(held, { ...just, isLeasing: true });
    const left = { nanoUsd, requests: requests.count };
    const lease = new Lease(held, left, heldAtMs, Date.now() + ms);
    this.open.push(lease);
    this.options.after(ms, () => this.end(lease));
  }

  private async end(lease: Lease): Promise<void> {
    this.open = this.open.filter((each) => each !== lease);
    await lease.close();
  }
}

const sumOf = (lefts: Left[]): Left => ({
  nanoUsd: lefts.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0),
  requests: lefts.reduce((sum, { requests }) => sum + requests, 0),
});
