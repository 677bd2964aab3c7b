import { PutCommand, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { dynamodb, getItem, unlessConditionFails } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { NotFoundError } from '../http/errors.ts';
import { changeAccountLimits, openAccount } from '../ledger/account.ts';
import type { KeyLimits } from './key-limits.ts';
import { hashSecret, newSecret } from './secret.ts';

/** An API key as the table holds it, without its secret. */
export interface ApiKey extends KeyLimits {
  id: string;
  name: string;
  state: 'active' | 'revoked';
  created_at: string;
  /** Hash of the current secret; rotated ones live on in items of their own until their grace ends. */
  secret_hash: string;
}

/** A key with its secret, which is seen only when it is issued or rotated. */
export type IssuedKey = ApiKey & { api_key: string };

/** Issues a key. The key is written before its secret, so that a secret always leads to a key. */
export async function issueKey(
  name: string,
  limits: KeyLimits,
  secret = newSecret(),
): Promise<IssuedKey> {
  const key: ApiKey = {
    id: `key_${uuidv7()}`,
    name,
    state: 'active',
    ...limits,
    created_at: new Date().toISOString(),
    secret_hash: hashSecret(secret),
  };
  await put(key);
  await openAccount(key.id, key.created_at, key);
  await put(secretItem(key.secret_hash, key.id));
  return { ...key, api_key: secret };
}

/** Finds the key that a secret opens; undefined if it is unknown, past its grace, or its key expired or revoked. */
export async function findKeyBySecret(secret: string): Promise<ApiKey | undefined> {
  const opens = await findItem(`secret#${hashSecret(secret)}`);
  if (!opens || isPast(opens['lives_until'])) return undefined;
  const key = await findKey(String(opens['key_id']));
  return key && stateOf(key) === 'active' ? key : undefined;
}

/** Whether the key works, and if not, why. */
export function stateOf({ state, expires_at }: ApiKey): ApiKey['state'] | 'expired' {
  return state === 'active' && isPast(expires_at) ? 'expired' : state;
}

/** Finds a key by its id. */
export async function findKey(id: string): Promise<ApiKey | undefined> {
  return id.startsWith('key_') ? findItem<ApiKey>(id) : undefined;
}

/** Reads a key that must be there. */
export async function readKey(id: string): Promise<ApiKey> {
  const key = await findKey(id);
  if (!key) throw noSuchKey(id);
  return key;
}

/** Lists all keys, the oldest first. */
export async function listKeys(): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  const pages = paginateScan(
    { client: dynamodb },
    {
      TableName: setting('KEYS_TABLE'),
      FilterExpression: 'begins_with(id, :keys)',
      ExpressionAttributeValues: { ':keys': 'key_' },
    },
  );
  for await (const { Items = [] } of pages) keys.push(...(Items as ApiKey[]));
  return keys.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Changes a key's name, limits or state; throws if there is no such key. */
export async function changeKey(id: string, changes: Partial<ApiKey>): Promise<ApiKey> {
  const names = Object.keys(changes);
  const changed = await unlessConditionFails(
    dynamodb.send(
      new UpdateCommand({
        TableName: setting('KEYS_TABLE'),
        Key: { id },
        ConditionExpression: 'attribute_exists(secret_hash)',
        UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(changes).map(([name, value]) => [`:${name}`, value]),
        ),
        ReturnValues: 'ALL_NEW',
      }),
    ),
  );
  if (!changed) throw noSuchKey(id);
  const key = changed.Attributes as ApiKey;
  if (names.some((name) => accountLimits.includes(name))) await changeAccountLimits(id, key);
  return key;
}

const accountLimits = ['budget_usd', 'duration', 'requests_per_minute'];

/** Returns the item that leads from a secret to its key: for good, or until a moment after which the table forgets it. */
export function secretItem(hash: string, key_id: string, livesUntilMs?: number) {
  const until = livesUntilMs && {
    lives_until: new Date(livesUntilMs).toISOString(),
    expires_at: Math.ceil(livesUntilMs / 1000),
  };
  return { id: `secret#${hash}`, key_id, ...until };
}

const findItem = <Item = Record<string, unknown>>(id: string) =>
  getItem<Item>(setting('KEYS_TABLE'), { id });

async function put(item: object): Promise<void> {
  await dynamodb.send(new PutCommand({ TableName: setting('KEYS_TABLE'), Item: item }));
}

const noSuchKey = (id: string) => new NotFoundError(`There is no key ${id}.`);

const isPast = (at: unknown) => typeof at === 'string' && Date.parse(at) <= Date.now();
