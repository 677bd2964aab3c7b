import { expect } from 'vitest';
import { queryItems } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';
import { type Account, findAccount } from '../../../shared/ledger/account.ts';
import type { Charge } from '../../../shared/ledger/charge.ts';
import { followStream, imageOf } from './stream-tail.ts';

export const usd = (nanoUsd: number) => nanoUsd / 1e9;

/** Reads an account that exists. */
export async function accountOf(keyId: string): Promise<Account> {
  const account = await findAccount(keyId);
  if (!account) throw new Error(`no account of ${keyId}`);
  return account;
}

/** Every charge of a key, the oldest first. */
export const chargesOf = (keyId: string): Promise<Charge[]> =>
  Array.fromAsync(
    queryItems<Charge>({
      TableName: setting('LEDGER_TABLE'),
      KeyConditionExpression: 'key_id = :key AND begins_with(entry, :charge)',
      ExpressionAttributeValues: { ':key': keyId, ':charge': 'charge_' },
      ConsistentRead: true,
    }),
  );

/** The numbers that an account keeps by epoch or minute, by their names. */
export const countersOf = (account: Account, prefix: 'held' | 'running' | 'requests') =>
  Object.entries(account).filter(([name]) => name.startsWith(`${prefix}_`)) as [string, number][];

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

/**
 * Follows the accounts. Each call expects every account written since the last one to be sound, after each of its
 * writes.
 */
export function followAccounts(): () => Promise<void> {
  const newRecords = followStream('LEDGER_TABLE');
  return async () => {
    for (const { dynamodb: { OldImage, NewImage } = {} } of await newRecords()) {
      const account = imageOf<Account>(NewImage);
      if (account?.entry === 'account') expectSound(imageOf<Account>(OldImage) ?? account, account);
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
