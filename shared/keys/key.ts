import { v7 as uuidv7 } from 'uuid';
import { getItem } from '../aws/dynamodb.ts';
import { writeTransaction } from '../aws/transact.ts';
import { putItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import type { Caller } from '../http/caller.ts';
import { NotFoundError } from '../http/errors.ts';
import { changeAccountLimits } from '../ledger/change-limits.ts';
import { customerBudgets, raiseCustomer, setFurtherLimits } from '../ledger/owner-limits.ts';
import { openAccount, readAccount } from '../ledger/read-account.ts';
import { putInTeam } from '../ledger/team.ts';
import { toUsd } from '../ledger/terms/nano-usd.ts';
import { asRenewed } from '../ledger/terms/window.ts';
import {
  type Changes,
  changeFields,
  differencesOf,
  followChanges,
  historyPut,
  itemPages,
  type KeyChange,
} from './history.ts';
import { type KeyLimits, limitsOfKey } from './key-limits.ts';
import { hashSecret, newSecret } from './secret.ts';

/** An API key as the table holds it, without its secret. Instants are ISO 8601 strings. */
export interface ApiKey extends KeyLimits, Changes {
  id: string;
  name: string;
  state: 'active' | 'revoked';
  created_at: string;
  /** The hash of the current secret. The item of a rotated secret stays until its grace ends. */
  secret_hash: string;
}

/** A key with its secret, which is known only when the key is issued or rotated. */
export type IssuedKey = ApiKey & { api_key: string };

/** Issues a key, and opens its account. The secret is written last, so that it always leads to a key. */
export async function issueKey(
  name: string,
  limits: KeyLimits,
  secret = newSecret(),
  by: KeyChange['by'] = null,
): Promise<IssuedKey> {
  const id = `key_${uuidv7()}`;
  const key: ApiKey = {
    id,
    name,
    state: 'active',
    ...limits,
    created_at: new Date().toISOString(),
    secret_hash: hashSecret(secret),
    changes: 1,
  };
  await writeTransaction([
    { Put: { TableName: setting('KEYS_TABLE'), Item: key } },
    historyPut({ id, changes: 0 }, { by, action: 'created', fields: differencesOf({}, key) }),
  ]);
  await openAccount(key.id, key.created_at, key);
  if (key.team) await putInTeam(key.id, key.team);
  if (key.limits.length > 0) await setFurtherLimits(key.id, key.limits);
  const Item = secretItem(key.secret_hash, key.id);
  await putItem({ TableName: setting('KEYS_TABLE'), Item });
  return { ...key, api_key: secret };
}

/** What a secret opens: an active key, or none for a reason, with the key that it belongs to. */
export type Admission =
  | { key: ApiKey; refused?: undefined }
  | { key?: ApiKey | undefined; refused: 'unknown' | 'rotated' | 'expired' | 'revoked' };

/** Finds the key of a secret, and says why it is refused if it is. */
export async function admit(secret: string): Promise<Admission> {
  const item = await findItem(`secret#${hashSecret(secret)}`);
  const key = item && (await findKey(String(item['key_id'])));
  if (!key) return { refused: 'unknown' };
  if (isPast(item['lives_until'])) return { key, refused: 'rotated' };
  const state = stateOf(key);
  return state === 'active' ? { key } : { key, refused: state };
}

/** Finds the active key of a secret; undefined for an unknown or old secret, and an expired or revoked key. */
export async function findKeyBySecret(secret: string): Promise<ApiKey | undefined> {
  const { key, refused } = await admit(secret);
  return refused ? undefined : key;
}

/** The caller that a key's requests have, with its limits. */
export const callerOfKey = (key: ApiKey): Caller => ({
  keyId: key.id,
  keyName: key.name,
  limits: JSON.stringify(limitsOfKey(key)),
});

/** Returns whether a key is active, expired or revoked now. */
export function stateOf({ state, expires_at }: ApiKey): ApiKey['state'] | 'expired' {
  return state === 'active' && isPast(expires_at) ? 'expired' : state;
}

/** Finds a key by its id; undefined if there is none. */
export async function findKey(id: string): Promise<ApiKey | undefined> {
  return id.startsWith('key_') ? findItem<ApiKey>(id) : undefined;
}

/** Reads a key by its id. Throws `NotFoundError` if there is none. */
export async function readKey(id: string): Promise<ApiKey> {
  const key = await findKey(id);
  if (!key) throw new NotFoundError(`There is no key ${id}.`);
  return key;
}

/** Lists all keys as they are now, the oldest first. */
export const listKeys = () => listItems<ApiKey>('key_');

/** Lists the items of the table whose ids begin so, the oldest first. Reads the whole table. */
export async function listItems<Item extends { id: string }>(prefix: string): Promise<Item[]> {
  const found = (await Array.fromAsync(itemPages<Item>(prefix))).flat();
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Changes a key and its account, with `by` in its history, in one transaction. Throws `NotFoundError`. */
export async function changeKey(
  id: string,
  { extra_usd, customer, ...changes }: Partial<ApiKey> & Extra,
  by: KeyChange['by'] = null,
): Promise<ApiKey> {
  const read = () => readKey(id);
  const action = changes.state === 'revoked' ? 'revoked' : 'changed';
  const beside = await extraNote(id, extra_usd, customer);
  const key = await changeFields(read, changes, { by, action, beside }, (key) => ({
    ...key,
    ...limitsOfKey(key),
  }));
  const hasLimits =
    extra_usd !== undefined || Object.keys(changes).some((name) => accountLimits.includes(name));
  const hasTeam = Object.hasOwn(changes, 'team');
  const hasFurther = changes.limits !== undefined;
  if (!hasLimits && !hasTeam && !hasFurther) return key;
  await followChanges(key, read, async (now) => {
    const ofOwn = customer === undefined ? { extra_usd } : {};
    if (hasLimits) await changeAccountLimits(id, { ...now, ...ofOwn });
    if (hasTeam) await putInTeam(id, now.team);
    if (hasFurther) await setFurtherLimits(id, now.limits ?? []);
    if (customer !== undefined) await raiseCustomer(id, customer, extra_usd);
  });
  return key;
}

/** More for the window that goes on: of the budget, or of what one customer has. */
export interface Extra {
  extra_usd?: number;
  customer?: string;
}

/** What the history notes of what a budget, or a customer, has in this window alone. */
export async function extraNote(id: string, extraUsd?: number, customer?: string) {
  if (extraUsd === undefined) return {};
  const accounts =
    customer === undefined
      ? [{ name: 'extra_usd', account: await readAccount(id) }]
      : await customerBudgets(id, customer);
  const fields = accounts.map(({ name, account }) => {
    const { extra: old = 0 } = account ? asRenewed(account, Date.now()) : {};
    return [name, { old: toUsd(old), new: extraUsd }];
  });
  return Object.fromEntries(fields) as KeyChange['fields'];
}

const accountLimits = ['budget_usd', 'duration', 'requests_per_minute', 'max_concurrent'];

/**
 * Makes the item that leads from a secret's hash to its key, valid until `livesUntilMs`; the table deletes it later.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
 */
export function secretItem(hash: string, key_id: string, livesUntilMs?: number) {
  const until = livesUntilMs && {
    lives_until: new Date(livesUntilMs).toISOString(),
    expires_at: Math.ceil(livesUntilMs / 1000),
  };
  return { id: `secret#${hash}`, key_id, ...until };
}

const findItem = <Item = Record<string, unknown>>(id: string) =>
  getItem<Item>(setting('KEYS_TABLE'), { id });

const isPast = (at: unknown) => typeof at === 'string' && Date.parse(at) <= Date.now();
