import { Group } from '../../group.ts';
import type { AccountHold } from '../account/account-hold.ts';
import { type Credited, credit } from '../account/credit.ts';
import { epochOf } from '../account/epoch.ts';

interface Ended {
  part: AccountHold;
  costNanoUsd: number;
}

/** Credits accounts with calls that end at about the same time: one update for each account, epoch and window. */
export class CreditGroups {
  private readonly groups = new Map<string, Group<Ended, Credited>>();
  private readonly pauseMs: number;

  constructor(pauseMs: number) {
    this.pauseMs = pauseMs;
  }

  /** Credits as `credit` does, which it is for one call. */
  async add(part: AccountHold, costNanoUsd: number): Promise<Credited> {
    const { key_id } = part;
    const group = this.groups.get(key_id) ?? new Group(creditAll, { pauseMs: this.pauseMs });
    this.groups.set(key_id, group);
    return await group.add({ part, costNanoUsd });
  }

  /** Credits all accounts at once with all that waits. */
  async flushAll(): Promise<void> {
    await Promise.all([...this.groups.keys()].map((accountId) => this.flush(accountId)));
  }

  async flush(accountId: string): Promise<boolean> {
    const group = this.groups.get(accountId);
    if (!group) return false;
    const waited = !group.isIdle;
    await group.flush();
    if (group.isIdle) this.groups.delete(accountId);
    return waited;
  }
}

/** Credits of one epoch and window are one: what they add up to, and all or none, as a recount reads them. */
async function creditAll(ended: Ended[]): Promise<Credited[]> {
  const merged = Map.groupBy(
    ended,
    ({ part: { heldAtMs, window } }) => `${epochOf(heldAtMs)} ${window}`,
  );
  const results = new Map<Ended, Credited>();
  await Promise.all(
    merged.values().map(async (calls) => {
      const credited = await credit(
        sumOf(calls),
        sum(calls, ({ costNanoUsd }) => costNanoUsd),
      );
      for (const call of calls) results.set(call, credited);
    }),
  );
  return ended.map((call) => results.get(call) as Credited);
}

function sumOf(calls: Ended[]): AccountHold {
  const [{ part }] = calls as [Ended];
  const requests = calls.filter(({ part: { isRequest } }) => isRequest).length;
  return {
    ...part,
    holdNanoUsd: sum(calls, ({ part: { holdNanoUsd } }) => holdNanoUsd),
    isRequest: requests > 0,
    requests,
  };
}

const sum = (calls: Ended[], of: (call: Ended) => number) =>
  calls.reduce((total, call) => total + of(call), 0);
