import { leastOf, remember, type Seen } from '../account/last-seen.ts';
import { refuseBudget, refuseRequest } from '../account/refuse.ts';
import type { Fit, HoldPlan } from '../terms/hold-plan.ts';
import { gather } from './gather.ts';
import { readRenewed } from './whole.ts';

/** What a call holds by what whole accounts have, and the part of each that has it. */
export interface Word<Chosen extends Fit> {
  payers: [Seen, ...Seen[]];
  chosen: Chosen;
  fit: Fit;
}

/**
 * Asks all parts of the paying accounts before a call is refused. Throws what it lacks, with the figures of the
 * whole; else has one part of each get it. Returns undefined if another call came first.
 */
export async function lastWord<Chosen extends Fit>(
  asked: readonly Seen[],
  plan: HoldPlan<Chosen>,
  asRequest: boolean,
): Promise<Word<Chosen> | undefined> {
  const now = Date.now();
  const wholes = await Promise.all(asked.map(({ key_id }) => readRenewed(key_id, now)));
  for (const { parts } of wholes) for (const part of parts) remember(part);
  const accounts = wholes.map(({ account }) => account);
  const [own] = accounts;
  if (own && asRequest) refuseRequest(own, now);
  const least = leastOf(accounts);
  const chosen = plan.fit(least);
  const { holdNanoUsd, from = 0 } = chosen;
  const nanoUsd = holdNanoUsd || from;
  const lacking = accounts.filter(({ available }) => nanoUsd > available);
  refuseBudget(lacking, nanoUsd, plan.advice?.(least));
  const found = await Promise.all(
    wholes.map((whole, index) =>
      gather(whole, { nanoUsd, asRequest: asRequest && index === 0 }, now),
    ),
  );
  const payers = found.filter((seen) => seen !== undefined);
  const [key, ...others] = payers;
  if (!key || payers.length < asked.length) return undefined;
  return { payers: [key, ...others], chosen, fit: { holdNanoUsd, from: nanoUsd } };
}
