import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import { dynamodb, queryItems } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';
import { type Account, findAccount } from '../../../shared/ledger/account/account.ts';
import { epochOf } from '../../../shared/ledger/account/epoch.ts';
import { wholeOf } from '../../../shared/ledger/parts/whole.ts';
import { idsOf, ownerOf } from '../../../shared/ledger/terms/account-ids.ts';
import type { Charge } from '../../../shared/ledger/terms/charge.ts';
import { followStream, imageOf } from './stream-tail.ts';

export const usd = (nanoUsd: number) => nanoUsd / 1e9;

/** Reads an account that exists. */
export async function accountOf(keyId: string): Promise<Account> {
  const account = await findAccount(keyId);
  if (!account) throw new Error(`no account of ${keyId}`);
  return account;
}

/** The accounts that a test has set itself, which need not be sound. */
const setByTests = new Set<string>();

/** Sets attributes of an account, and removes those without a value, as another function might have. */
export async function setOn(key_id: string, attributes: Record<string, unknown>): Promise<void> {
  setByTests.add(key_id);
  for (const [name, value] of Object.entries(attributes)) {
    await dynamodb.send(
      new UpdateCommand({
        TableName: setting('LEDGER_TABLE'),
        Key: { key_id, entry: 'account' },
        UpdateExpression: value === undefined ? 'REMOVE #name' : 'SET #name = :value',
        ExpressionAttributeNames: { '#name': name },
        ...(value !== undefined && { ExpressionAttributeValues: { ':value': value } }),
      }),
    );
  }
}

/** Every charge of a key, part by part, the oldest first. */
export async function chargesOf(keyId: string): Promise<Charge[]> {
  const account = await findAccount(keyId);
  const ids = account ? idsOf(account) : [keyId];
  return (await Promise.all(ids.map(chargesIn))).flat();
}

const chargesIn = (keyId: string): Promise<Charge[]> =>
  Array.fromAsync(
    queryItems<Charge>({
      TableName: setting('LEDGER_TABLE'),
      KeyConditionExpression: 'key_id = :key AND begins_with(entry, :charge)',
      FilterExpression: 'attribute_exists(ended_at)',
      ExpressionAttributeValues: { ':key': keyId, ':charge': 'charge_' },
      ConsistentRead: true,
    }),
  );

/** The numbers that an account keeps by epoch or minute, by their names. */
export const countersOf = (account: Account, prefix: 'held' | 'running' | 'requests') =>
  Object.entries(account).filter(([name]) => namesOf[prefix].test(name)) as [string, number][];

const namesOf = { held: /^(held_|h)\d/, running: /^(running_|r)\d/, requests: /^requests_/ };

/** Whether the input of a request changes what an epoch's calls have cost, as a credit of a call with a cost does. */
export const isCredit = (input: unknown) => /\b(settled_|s)\d+_\d+ = /.test(JSON.stringify(input));

export const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

/** Expects of an account what holds at every moment, whatever happened just before. */
export function expectSound(before: Account, account: Account): void {
  const { ceiling, available, held, spent } = account;
  expect(available, 'available').toBe(ceiling - held - spent);
  const standing = held - sum(countersOf(account, 'held').map(([, each]) => each));
  expect(standing, 'what stands').toBeGreaterThanOrEqual(0);
  expect(account.running ?? 0, 'running').toBe(
    sum(countersOf(account, 'running').map(([, each]) => each)),
  );
  for (const [name, each] of [...countersOf(account, 'held'), ...countersOf(account, 'running')]) {
    expect(each, name).toBeGreaterThanOrEqual(0);
  }
  expect(spent, 'spent').toBeGreaterThanOrEqual(0);
  expect(held + spent, 'held and spent').toBeLessThanOrEqual(
    Math.max(ceiling, before.held + before.spent),
  );
}

/** The accounts of all parts of an account. */
export async function partsOf(id: string): Promise<Account[]> {
  return Promise.all(idsOf(await accountOf(id)).map(accountOf));
}

/** What the parts of an account add up to, as far as they were followed. */
function wholeIn(parts: Map<string, Account>, id: string): Account | undefined {
  const own = parts.get(ownerOf(id));
  const [first, ...others] = own ? idsOf(own).flatMap((each) => parts.get(each) ?? []) : [];
  return first && wholeOf([first, ...others]);
}

/**
 * By how much a part lacks, in its account's window, what calls of an earlier window still hold, since its extra has
 * gone. They cost this window nothing, so other parts need not make up for it.
 */
function owedByEarlier(part: Account, own: Account): number {
  const { ceiling, extra = 0, held } = part;
  const isIn = part.window_ends_at === own.window_ends_at;
  const available = isIn ? part.available : ceiling - extra - held;
  const began = epochOf(Date.parse(own.window_starts_at));
  const later = countersOf(part, 'held').filter(
    ([name]) => Number(name.replace(/\D+/, '')) >= began,
  );
  return Math.min(Math.max(0, -available), held - sum(later.map(([, each]) => each)));
}

/** Expects of an account's parts together, right after one of them has held more, that all have it. */
function expectWithin(
  id: string,
  parts: Map<string, Account>,
  now: Account,
  before: Account,
): void {
  if (now.held <= before.held || now.ceiling !== before.ceiling) return;
  const whole = wholeIn(parts, id);
  if (!whole) return;
  const own = parts.get(ownerOf(id)) ?? now;
  const others = idsOf(own).filter((each) => each !== id);
  const owed = sum(
    others.flatMap((each) => parts.get(each) ?? []).map((each) => owedByEarlier(each, own)),
  );
  expect(whole.available + owed, 'available').toBeGreaterThanOrEqual(0);
}

/**
 * Expects that a request which a part has just counted is within what the account allows in that minute and at once.
 */
function expectAllowed(
  id: string,
  parts: Map<string, Account>,
  now: Account,
  before: Account,
): void {
  if ((now.running ?? 0) <= (before.running ?? 0)) return;
  const whole = wholeIn(parts, id);
  if (!whole) return;
  expect(whole.running, 'running').toBeLessThanOrEqual(whole.max_concurrent);
  for (const [name, count] of countersOf(now, 'requests')) {
    if (count <= (before[name as `requests_${number}`] ?? 0)) continue;
    const all = whole[name as `requests_${number}`];
    expect(all, 'requests').toBeLessThanOrEqual(whole.requests_per_minute);
  }
}

/**
 * Follows the accounts. Each call expects every account written since the last one to be sound, after each of its
 * writes.
 */
export function followAccounts(): () => Promise<void> {
  const newRecords = followStream('LEDGER_TABLE');
  const latest = new Map<string, Account>();
  return async () => {
    for (const { dynamodb: { OldImage, NewImage } = {} } of await newRecords()) {
      const account = imageOf<Account>(NewImage);
      if (account?.entry !== 'account' || setByTests.has(account.key_id)) continue;
      const before = imageOf<Account>(OldImage) ?? account;
      latest.set(account.key_id, account);
      expectSound(before, account);
      if (account.moves !== before.moves && account.ceiling < before.ceiling) {
        expect(account.available, 'what a gift leaves').toBeGreaterThanOrEqual(0);
      }
      expectWithin(account.key_id, latest, account, before);
      expectAllowed(account.key_id, latest, account, before);
    }
  };
}

/** Expects of an account what holds once all its calls are over and audited. */
export function expectAtRest(account: Account): void {
  expect(account).toMatchObject({ held: 0, available: account.ceiling - account.spent });
  expect(account.running ?? 0).toBe(0);
  const left = Object.keys(account).filter((name) => /_\d+$|^audit_at$/.test(name));
  expect(left).toEqual([]);
}
