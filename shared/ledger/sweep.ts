import { setTimeout } from 'node:timers/promises';
import pLimit from 'p-limit';
import { getItems } from '../aws/dynamodb.ts';
import { isThrottled } from '../aws/outage.ts';
import { setting } from '../config.ts';
import { log } from '../log.ts';
import { type Account, accountKey } from './account/account.ts';
import { allLanes, dueIn } from './account/audit-lane.ts';
import { auditAccount, isTeamInParts } from './audit/audit-account.ts';
import { ownerOf } from './terms/account-ids.ts';

/** One of the sweeps of a minute, counted from 0, and how many there are: each has its own lanes. */
export interface SweepShare {
  sweep: number;
  of: number;
}

/** How many accounts are audited at once: each asks for one thing after another. */
const accountsAtOnce = 50;

/** The sweep's function runs for a minute, and what it has begun is to end within it. */
const beginWithinMs = 45_000;

/** Accounts of a lane that are read together, and how long they take at least: 400 a second leave room for holds. */
const pageSize = 100;
const leastPageMs = 250;

/**
 * Audits every account that is due, the longest due first. Holds of lost callers are given back. A failed audit stops
 * no other; failures are thrown at the end as one `AggregateError`. What isn't reached stays due.
 */
export async function sweepLedger(share: SweepShare = { sweep: 0, of: 1 }): Promise<void> {
  const failures: unknown[] = [];
  const untilMs = Date.now() + beginWithinMs;
  let leavesSome = false;
  /** Asked where there is more to do. */
  const isOver = () => {
    const over = Date.now() > untilMs;
    leavesSome ||= over;
    return over;
  };
  const limit = pLimit(accountsAtOnce);
  /** The teams in parts whose audit has begun: one audit serves all parts. */
  const teams = new Set<string>();
  const audit = (account: Account) =>
    limit(async () => {
      if (isOver()) return;
      if (isTeamInParts(account)) {
        const teamId = ownerOf(account.key_id);
        if (teams.has(teamId)) return;
        teams.add(teamId);
      }
      await auditAccount(account).catch((error: unknown) => {
        // It stays due, and this minute's calls come first.
        if (isThrottled(error))
          log('warn', 'account left due', { key_id: ownerOf(account.key_id) });
        else failures.push(error);
      });
    });
  await Promise.all(
    lanesOf(share).map((lane) =>
      sweepLane(lane, audit, isOver).catch((error: unknown) => failures.push(error)),
    ),
  );
  if (leavesSome) log('warn', 'accounts left due', { sweep: share.sweep, of: share.of });
  if (failures.length > 0) throw new AggregateError(failures, 'Some accounts were not audited');
}

/** The lanes of one sweep. */
export const lanesOf = ({ sweep, of }: SweepShare) =>
  allLanes.filter((_, index) => index % of === sweep);

/** Audits the accounts of a lane that are due, page after page; the next one is read meanwhile. */
async function sweepLane(
  lane: string,
  audit: (account: Account) => Promise<void>,
  isOver: () => boolean,
): Promise<void> {
  const pages = dueAccounts(lane);
  for (let page = await pages.next(); !page.done && !isOver(); ) {
    const next = pages.next();
    next.catch(() => {});
    const isFull = page.value.length >= pageSize;
    // One account with many charges delays only its own lane.
    await Promise.all([...page.value.map(audit), isFull && setTimeout(leastPageMs)]);
    page = await next;
  }
}

async function* dueAccounts(lane: string): AsyncGenerator<Account[], undefined> {
  for await (const { items } of dueIn(lane, pageSize)) {
    const keys = items.map(({ key_id }) => accountKey(key_id));
    yield await Array.fromAsync(getItems<Account>(setting('LEDGER_TABLE'), keys));
  }
}
