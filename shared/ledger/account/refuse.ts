import { isRequestOn } from '../terms/account-ids.ts';
import type { Fit } from '../terms/hold-plan.ts';
import {
  BudgetExceededError,
  ConcurrencyError,
  RequestsPerMinuteError,
} from '../terms/limit-errors.ts';
import { type Account, requestsAttribute } from './account.ts';
import { amountOn } from './account-hold.ts';

/** How often a call asks accounts that other calls keep changing first, before they are called busy. */
export const maxRounds = 50;

/** Throws if an account that refused a hold, and counts requests, has none left, in this minute or at once. */
export function refuseRequest(account: Account, now: number): void {
  if (!isRequestOn(account.key_id)) return;
  const { requests_per_minute, running = 0, max_concurrent } = account;
  const requests = account[requestsAttribute(now)] ?? 0;
  if (requests >= requests_per_minute) throw new RequestsPerMinuteError(account);
  if (running >= max_concurrent) throw new ConcurrencyError(account);
}

/**
 * Throws if an account lacks what a call is to hold, or what must be there. If several do, the error is about the one
 * that renews last.
 */
export function refuseLacking(
  accounts: readonly Account[],
  { holdNanoUsd, from = 0, tokens = 0 }: Fit,
  advice: string | undefined,
): void {
  const needed = ({ key_id }: Account) =>
    amountOn(key_id, { nanoUsd: holdNanoUsd || from, tokens });
  const lacking = accounts.filter((account) => needed(account) > account.available);
  const waitOf = ({ retryAfterSeconds }: BudgetExceededError) =>
    retryAfterSeconds ?? Number.POSITIVE_INFINITY;
  const [error] = lacking
    .map((account) => new BudgetExceededError(account, needed(account), advice))
    .sort((a, b) => (waitOf(a) < waitOf(b) ? 1 : waitOf(a) > waitOf(b) ? -1 : 0));
  if (error) throw error;
}
