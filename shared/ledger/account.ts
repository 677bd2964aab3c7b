import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, getItem, unlessConditionFails } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { maxBudgetNanoUsd, toNanoUsd } from './nano-usd.ts';
import { windowAt } from './window.ts';

/**
 * What a key may spend and has spent, in whole nano-dollars. Every write keeps
 * `available = ceiling − held − spent`. Beside the totals there are `held_<epoch>` and `settled_<epoch>` until
 * that epoch is audited, and `requests_<minute>`, the number of requests in that minute. Instants are ISO 8601
 * strings.
 */
export interface Account {
  key_id: string;
  entry: 'account';
  ceiling: number;
  available: number;
  held: number;
  spent: number;
  created_at: string;
  duration: string | null;
  window_starts_at: string;
  window_ends_at: string;
  requests_per_minute: number;
  /** When the sweep audits it; absent while no epoch is left to audit. */
  audit_at?: string;
  /** The partition of the index `audits`, which is sorted by `audit_at`. */
  audit_lane: 'accounts';
  [sum: `held_${number}` | `settled_${number}` | `requests_${number}`]: number;
}

/** The limits that an account holds its key to; null is no limit, and for `duration` no renewal. */
export interface AccountLimits {
  budget_usd: number | null;
  /** How long a budget lasts until it renews, such as `30d`. */
  duration: string | null;
  requests_per_minute: number | null;
}

const unlimitedRequests = 1_000_000_000;

const limitAttributes = ({ budget_usd, duration, requests_per_minute }: AccountLimits) => ({
  ceiling: budget_usd === null ? maxBudgetNanoUsd : toNanoUsd(budget_usd),
  duration,
  requests_per_minute: requests_per_minute ?? unlimitedRequests,
});

/** Whether an account has a limit of requests per minute. */
export const limitsRequests = (account: Account) => account.requests_per_minute < unlimitedRequests;

/** The account's attribute that counts the requests in the minute of an instant. */
export const requestsAttribute = (ms: number) => `requests_${Math.floor(ms / 60_000)}` as const;

/** The primary key of an account's item. */
export const accountKey = (keyId: string) => ({ key_id: keyId, entry: 'account' });

/** Opens a key's account with its whole budget available. Does nothing if the key has one. */
export async function openAccount(
  keyId: string,
  createdAt: string,
  limits: AccountLimits,
): Promise<void> {
  const { startsAt, endsAt } = windowAt(createdAt, limits.duration, Date.now());
  const attributes = limitAttributes(limits);
  const account: Account = {
    ...(accountKey(keyId) as Pick<Account, 'key_id' | 'entry'>),
    ...attributes,
    available: attributes.ceiling,
    held: 0,
    spent: 0,
    created_at: createdAt,
    window_starts_at: startsAt,
    window_ends_at: endsAt,
    audit_lane: 'accounts',
  };
  await unlessConditionFails(
    dynamodb.send(
      new PutCommand({
        TableName: setting('LEDGER_TABLE'),
        Item: account,
        ConditionExpression: 'attribute_not_exists(entry)',
      }),
    ),
  );
}

/** Reads a key's account as it is now; undefined if it has none. */
export const findAccount = (keyId: string) =>
  getItem<Account>(setting('LEDGER_TABLE'), accountKey(keyId));

/** Whether an account's window has ended, and nobody has begun the next. */
export const hasWindowEnded = ({ window_ends_at }: Account, now: number) =>
  window_ends_at <= new Date(now).toISOString();

/**
 * Begins the window that holds `now`: nothing is spent in it, and what is held stays held. Does nothing if
 * another has begun it since `account` was read.
 */
export async function renewWindow(account: Account, now: number): Promise<void> {
  const { startsAt, endsAt } = windowAt(account.created_at, account.duration, now);
  await unlessConditionFails(
    dynamodb.send(
      new UpdateCommand({
        TableName: setting('LEDGER_TABLE'),
        Key: accountKey(account.key_id),
        ConditionExpression: 'window_ends_at = :oldEnd',
        UpdateExpression:
          'SET available = available + spent, spent = :zero, window_starts_at = :starts, window_ends_at = :ends',
        ExpressionAttributeValues: {
          ':oldEnd': account.window_ends_at,
          ':zero': 0,
          ':starts': startsAt,
          ':ends': endsAt,
        },
      }),
    ),
  );
}

/**
 * Changes an account's limits at once. What is spent and held stays, and may exceed a lower ceiling:
 * `available` is negative then. Throws if the key has no account.
 */
export async function changeAccountLimits(keyId: string, limits: AccountLimits): Promise<void> {
  for (;;) {
    const account = await findAccount(keyId);
    if (!account) throw new Error(`The key ${keyId} has no account`);
    const now = Date.now();
    if (hasWindowEnded(account, now)) {
      await renewWindow(account, now);
      continue;
    }
    const attributes = limitAttributes(limits);
    const { startsAt, endsAt } = windowAt(account.created_at, limits.duration, now);
    const changed = await unlessConditionFails(
      dynamodb.send(
        new UpdateCommand({
          TableName: setting('LEDGER_TABLE'),
          Key: accountKey(keyId),
          ConditionExpression: 'ceiling = :oldCeiling AND window_ends_at = :oldEnd',
          UpdateExpression:
            'SET ceiling = :ceiling, available = available + :raise, #duration = :duration, window_starts_at = :starts, window_ends_at = :ends, requests_per_minute = :rpm',
          ExpressionAttributeNames: { '#duration': 'duration' },
          ExpressionAttributeValues: {
            ':oldCeiling': account.ceiling,
            ':oldEnd': account.window_ends_at,
            ':ceiling': attributes.ceiling,
            ':raise': attributes.ceiling - account.ceiling,
            ':duration': attributes.duration,
            ':starts': startsAt,
            ':ends': endsAt,
            ':rpm': attributes.requests_per_minute,
          },
        }),
      ),
    );
    if (changed) return;
  }
}
