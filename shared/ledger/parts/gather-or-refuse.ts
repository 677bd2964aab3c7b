import { amountOn } from '../account/account-hold.ts';
import { leastOf, remember, type Seen } from '../account/last-seen.ts';
import { refuseLacking, refuseRequest } from '../account/refuse.ts';
import { countsTokens, isCustomers, isRequestOn } from '../terms/account-ids.ts';
import type { Fit, HoldPlan } from '../terms/hold-plan.ts';
import { gather } from './gather.ts';
import { readRenewed } from './whole.ts';

/** A hold that whole accounts allow, and the part of each that has its sum. */
export interface GatheredHold<Chosen extends Fit> {
  payers: [Seen, ...Seen[]];
  chosen: Chosen;
  fit: Fit;
}

/**
 * Asks all parts of the paying accounts before a call is refused. Throws what it lacks, with the figures of the
 * whole; else has one part of each get it. Returns undefined if another call came first.
 */
export async function gatherOrRefuse<Chosen extends Fit>(
  all: readonly Seen[],
  plan: HoldPlan<Chosen>,
  asRequest: boolean,
): Promise<GatheredHold<Chosen> | undefined> {
  const now = Date.now();
  // A customer that was not seen may have no account yet: the hold opens one.
  const asked = all.filter(({ key_id, account }) => account || !isCustomers(key_id));
  const wholes = await Promise.all(asked.map(({ key_id }) => readRenewed(key_id, now)));
  for (const { parts } of wholes) for (const part of parts) remember(part);
  const accounts = wholes.map(({ account }) => account);
  if (asRequest) for (const account of accounts) refuseRequest(account, now);
  const ofTokens = accounts.filter(({ key_id }) => countsTokens(key_id));
  const ofMoney = accounts.filter(({ key_id }) => !countsTokens(key_id));
  const least = {
    ...leastOf(ofMoney),
    ...(ofTokens.length > 0 && { tokens: leastOf(ofTokens).available }),
  };
  const chosen = plan.fit(least);
  const { holdNanoUsd, from = 0, tokens } = chosen;
  const nanoUsd = holdNanoUsd || from;
  refuseLacking(accounts, chosen, plan.advice?.(least));
  const found = await Promise.all(
    wholes.map((whole) => {
      const id = whole.account.key_id;
      const need = { nanoUsd: amountOn(id, { nanoUsd, tokens }) };
      return gather(whole, { ...need, asRequest: asRequest && isRequestOn(id) }, now);
    }),
  );
  const payers = found.filter((seen) => seen !== undefined);
  const [key, ...others] = payers;
  if (!key || payers.length < asked.length) return undefined;
  return {
    payers: [key, ...others],
    chosen,
    fit: { holdNanoUsd, from: nanoUsd, ...(tokens !== undefined && { tokens }) },
  };
}
