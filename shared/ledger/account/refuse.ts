import {
  BudgetExceededError,
  ConcurrencyError,
  RequestsPerMinuteError,
} from '../terms/limit-errors.ts';
import { type Account, requestsAttribute } from './account.ts';

/** How often a call asks accounts that other calls keep changing first, before they are called busy. */
export const maxRounds = 50;

/** Throws if a key that refused a hold has no requests left, in this minute or at once. */
export function refuseRequest(account: Account, now: number): void {
  const { requests_per_minute, running = 0, max_concurrent } = account;
  const requests = account[requestsAttribute(now)] ?? 0;
  if (requests >= requests_per_minute) throw new RequestsPerMinuteError(account);
  if (running >= max_concurrent) throw new ConcurrencyError(account);
}

/** Throws if an account lacks the money. If both do, the error is about the one whose budget renews later. */
export function refuseBudget(
  lacking: Account[],
  holdNanoUsd: number,
  advice: string | undefined,
): void {
  const waitOf = ({ retryAfterSeconds }: BudgetExceededError) =>
    retryAfterSeconds ?? Number.POSITIVE_INFINITY;
  const [error] = lacking
    .map((account) => new BudgetExceededError(account, holdNanoUsd, advice))
    .sort((a, b) => (waitOf(a) < waitOf(b) ? 1 : waitOf(a) > waitOf(b) ? -1 : 0));
  if (error) throw error;
}
