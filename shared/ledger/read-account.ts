import { dynamodb, getItems } from '../aws/dynamodb.ts';
import { requireSchema, schemaItem } from '../aws/schema.ts';
import { newItem, putItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import {
  type Account,
  type AccountLimits,
  accountKey,
  newAccount,
  windowOf,
} from './account/account.ts';
import { findWhole } from './parts/whole.ts';
import { idsOf } from './terms/account-ids.ts';
import type { Budgeted } from './terms/window.ts';

/** The figures of an account as it was read, in nano-dollars. An ended window is renewed by the next hold alone. */
export interface AccountReading extends Budgeted {
  team?: string;
  created_at: string;
  window: number;
  window_starts_at: string;
  /** The keys of the table that its charges lie under. */
  charges_under: readonly string[];
}

/** Opens the account of a key or a team, with its whole budget. Does nothing if there is one. `name` is a team's. */
export async function openAccount(
  keyId: string,
  createdAt: string,
  limits: AccountLimits,
  name?: string,
): Promise<void> {
  const TableName = setting('LEDGER_TABLE');
  const isStamped = await putItem(newItem(TableName, schemaItem));
  if (!isStamped) await requireSchema(dynamodb);
  await putItem(newItem(TableName, newAccount(keyId, createdAt, limits, name)));
}

/** Reads the account of a key or a team as it is now; undefined if it has none. */
export async function readAccount(id: string): Promise<AccountReading | undefined> {
  const account = await findWhole(id);
  return account && readingOf(account);
}

/** Reads the accounts that some keys have, a hundred at a time, by their ids. */
export async function readAccounts(ids: readonly string[]): Promise<Map<string, AccountReading>> {
  const readings = new Map<string, AccountReading>();
  const keys = ids.map(accountKey);
  for await (const account of getItems<Account>(setting('LEDGER_TABLE'), keys)) {
    const { key_id, parts } = account;
    // Those in parts are few.
    const reading = parts === undefined ? readingOf(account) : await readAccount(key_id);
    if (reading) readings.set(key_id, reading);
  }
  return readings;
}

/** The figures of an account. */
export function readingOf(account: Account): AccountReading {
  const { key_id, name, team, ceiling, spent, held, available } = account;
  const { extra = 0, created_at, duration, window_starts_at, window_ends_at } = account;
  return {
    key_id,
    ceiling,
    extra,
    spent,
    held,
    available,
    created_at,
    duration,
    window: windowOf(account),
    window_starts_at,
    window_ends_at,
    charges_under: idsOf(account),
    ...(name !== undefined && { name }),
    ...(team !== undefined && { team }),
  };
}
