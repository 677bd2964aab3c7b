import { type Account, requestsAttribute, windowOf } from '../account/account.ts';
import type { AccountHold, HeldOn } from '../account/account-hold.ts';
import { undoHold } from '../account/credit.ts';
import { lastSeen } from '../account/last-seen.ts';

const minuteOf = (ms: number) => Math.floor(ms / 60_000);

/** What a lease has left for calls that begin. */
export interface Left {
  nanoUsd: number;
  requests: number;
}

/** Money and requests that a key's accounts hold for calls of this process to come, which take from it in memory. */
export class Lease {
  private readonly account: Account;
  private readonly team: Account | undefined;
  private readonly heldAtMs: number;
  private readonly untilMs: number;
  readonly left: Left;

  /** The accounts are as the hold left them. */
  constructor({ account, team }: HeldOn, held: Left, heldAtMs: number, untilMs: number) {
    this.account = account;
    this.team = team;
    this.left = { ...held };
    this.heldAtMs = heldAtMs;
    this.untilMs = untilMs;
  }

  /** Whether a call may begin within it: in its minute, which lies in its epoch, and in the windows of its accounts. */
  isOpen(now: number): boolean {
    const ends = [this.account, this.team].map((each) => Date.parse(each?.window_ends_at ?? ''));
    return (
      minuteOf(now) === minuteOf(this.heldAtMs) &&
      now < this.untilMs &&
      !ends.some((end) => end <= now)
    );
  }

  /** Takes what a call holds. Returns false, and takes nothing, if there isn't so much. */
  take({ nanoUsd, requests }: Left): boolean {
    const { left } = this;
    if (nanoUsd > left.nanoUsd || requests > left.requests) return false;
    left.nanoUsd -= nanoUsd;
    left.requests -= requests;
    return true;
  }

  /** The key's account and its team's, as they were seen last, without what leases have left. */
  payers(left: Left): [Account, ...Account[]] {
    const { account, team } = this;
    const requests = requestsAttribute(this.heldAtMs);
    const own = {
      ...without(account, left),
      [requests]: (account[requests] ?? 0) - left.requests,
      running: (account.running ?? 0) - left.requests,
    };
    return team ? [own, without(team, left)] : [own];
  }

  /** Gives back what is left. Nothing can be taken from it any more. */
  async close(): Promise<void> {
    const { account, team, heldAtMs, left } = this;
    const { nanoUsd: holdNanoUsd, requests } = left;
    if (holdNanoUsd === 0 && requests === 0) return;
    left.nanoUsd = 0;
    left.requests = 0;
    const part = { key_id: account.key_id, holdNanoUsd, heldAtMs, window: windowOf(account) };
    const parts: AccountHold[] = [{ ...part, isRequest: requests > 0, requests }];
    if (team && holdNanoUsd > 0) {
      const { key_id } = team;
      parts.push({ ...part, key_id, window: windowOf(team), isRequest: false });
    }
    await Promise.all(parts.map(undoHold));
  }
}

function without(account: Account, { nanoUsd }: Left): Account {
  const seen = lastSeen(account.key_id);
  const { available, held } = Number.isFinite(seen.available) ? seen : account;
  return { ...account, available: available + nanoUsd, held: held - nanoUsd };
}
