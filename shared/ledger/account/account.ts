import { getItem } from '../../aws/dynamodb.ts';
import {
  type Clauses,
  expressUpdate,
  type PlaceName,
  type PlaceValue,
} from '../../aws/express-update.ts';
import { setting } from '../../config.ts';
import { maxBudgetNanoUsd, toNanoUsd } from '../terms/nano-usd.ts';
import { type Budgeted, windowAt } from '../terms/window.ts';
import { type AuditLane, auditLaneOf } from './audit-lane.ts';

/**
 * What a key or team may spend and has spent, in nano-dollars: always `available = ceiling − held − spent`. Until an
 * epoch is audited there are `h<epoch>`, `r…`, `s<epoch>_<window>`, `e…`, `d…`, `booked_…` and `recount_<epoch>`, see
 * `epoch.ts`; `requests_<minute>` counts a minute's requests. Instants are ISO 8601 strings.
 */
export interface Account extends Budgeted {
  /** The key's id, or the team's; on a part `#` and its number follow. */
  key_id: string;
  entry: 'account';
  created_at: string;
  window_starts_at: string;
  /** Since when `spent` counts; absent if no limit was changed in this window, so that it is the window's start. */
  spent_since?: string;
  /** How often the budget has been renewed; absent for never. */
  window_number?: number;
  requests_per_minute: number;
  max_concurrent: number;
  /** Requests under way; absent for none yet. */
  running?: number;
  /** When the sweep audits it; absent while no epoch is left to audit. */
  audit_at?: string;
  /** The latest epoch that was audited: it takes no holds of that or of earlier ones. Absent for none yet. */
  audited?: number;
  /** The partition of the index `audits`, which is sorted by `audit_at`. */
  audit_lane: AuditLane;
  /** The id of the key's team, whose account pays too. */
  team?: string;
  /** The version of its further limits that it goes by; absent if it never had one. */
  limits?: number;
  /** Whether a webhook is told of its budget; absent if not. */
  watched?: boolean;
  /** How many parts it has or ever had, itself among them; absent for one. It never falls, as charges lie with their part. */
  parts?: number;
  /** How many of its parts take holds: the first ones. Absent for one. */
  open_parts?: number;
  /** When it last got more parts. */
  grown_at?: string;
  /** How often it has given or taken a share; absent for never. */
  moves?: number;
  /** On a part: whether it takes no more holds. */
  closed?: boolean;
  [
    sum: `${'held' | 'running' | 'requests' | 'ended' | 'done' | 'recount' | 'booked'}_${number}`
  ]: number;
  [settled: `${'settled_' | 's'}${number}_${number}`]: number;
  [short: `${'h' | 'r' | 'e' | 'd'}${number}`]: number;
}

/** The limits that an account holds its key to; null is no limit, and for `duration` no renewal. */
export interface AccountLimits {
  budget_usd: number | null;
  /** How long a budget lasts until it renews, such as `30d`, or a calendar, as `month, Europe/Berlin`. */
  duration: string | null;
  requests_per_minute: number | null;
  max_concurrent: number | null;
  /** What this window alone has beside the budget. */
  extra_usd?: number | undefined;
}

/** A limit of requests that is none. */
export const unlimitedRequests = 1_000_000_000;

/** The attributes of an account that its limits make. */
export const limitAttributes = ({
  budget_usd,
  duration,
  requests_per_minute,
  max_concurrent,
}: AccountLimits) => ({
  ceiling: budget_usd === null ? maxBudgetNanoUsd : toNanoUsd(budget_usd),
  duration,
  requests_per_minute: requests_per_minute ?? unlimitedRequests,
  max_concurrent: max_concurrent ?? unlimitedRequests,
});

/** A new account, with its whole budget. `name` is a team's, or a further limit's. */
export function newAccount(
  id: string,
  createdAt: string,
  limits: AccountLimits,
  name?: string,
): Account {
  const { startsAt, endsAt } = windowAt(createdAt, limits.duration, Date.now());
  const attributes = limitAttributes(limits);
  return {
    ...accountKey(id),
    ...attributes,
    available: attributes.ceiling,
    held: 0,
    spent: 0,
    created_at: createdAt,
    window_starts_at: startsAt,
    window_ends_at: endsAt,
    audit_lane: auditLaneOf(id),
    ...(name !== undefined && { name }),
  };
}

/** The number of the window that an account is in. */
export const windowOf = ({ window_number = 0 }: Account) => window_number;

/** The earliest moment from which `spent` may count charges. */
export const spentSince = (account: Account) =>
  windowOf(account) === 0 ? account.created_at : (account.spent_since ?? account.window_starts_at);

/** The condition that an account is in a window. One that was never renewed may lack the attribute. */
export const inWindow = (window: number, value: PlaceValue) =>
  window === 0
    ? `(attribute_not_exists(window_number) OR window_number = ${value(window)})`
    : `window_number = ${value(window)}`;

/** Whether an account has a limit of requests per minute. */
export const limitsRequests = (account: Account) => account.requests_per_minute < unlimitedRequests;

/** The account's attribute that counts the requests in the minute of an instant. */
export const requestsAttribute = (ms: number) => `requests_${Math.floor(ms / 60_000)}` as const;

/** The primary key of an account's item. */
export const accountKey = (keyId: string) => ({ key_id: keyId, entry: 'account' }) as const;

/** Expresses an update of an account. */
export const accountUpdate = (id: string, write: (value: PlaceValue, name: PlaceName) => Clauses) =>
  expressUpdate(setting('LEDGER_TABLE'), accountKey(id), write);

/** Reads the account of a key or a team as it is now; undefined if it has none. */
export const findAccount = (keyId: string) =>
  getItem<Account>(setting('LEDGER_TABLE'), accountKey(keyId));

/** Reads an account as it is now. Throws if there is none. */
export async function requireAccount(id: string): Promise<Account> {
  const account = await findAccount(id);
  if (!account) throw new Error(`${id} has no account`);
  return account;
}
