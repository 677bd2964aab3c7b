import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { ServiceError } from '../../shared/http/errors.ts';
import { openAccount, windowOf } from '../../shared/ledger/account.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import { isStoreFault } from '../support/worlds/interleave.ts';
import { accountOf, chargesOf, expectAtRest, sum, usd } from '../support/worlds/ledger-world.ts';
import { type Accounts, type Call, linesWritten, productsOf } from './ledger-actions.ts';

/** Opens an account with a budget in nano-dollars. */
export async function newAccount(
  of: 'key' | 'team',
  budget = 1000,
  duration = '7m',
): Promise<string> {
  const id = `${of}_${randomUUID()}`;
  await openAccount(id, new Date().toISOString(), {
    budget_usd: usd(budget),
    duration,
    requests_per_minute: null,
    max_concurrent: null,
  });
  return id;
}

/** Two keys that may spend more than their team, whose budget lasts longer; and a team of nobody yet. */
export async function twoOfATeam(): Promise<Accounts> {
  const keyIds = [await newAccount('key'), await newAccount('key')];
  const teamIds = [await newAccount('team', 1200, '11m'), await newAccount('team', 300)];
  for (const keyId of keyIds) await putInTeam(keyId, teamIds[0] ?? null);
  return { keyIds, teamIds };
}

/** Expects of what a process came to that the store was at fault, or a limit. */
export function expectRefusal(reason: unknown): void {
  for (const error of reason instanceof AggregateError ? reason.errors : [reason]) {
    if (!(error instanceof ServiceError || isStoreFault(error))) throw error;
  }
}

/**
 * An account at rest has spent, to the nano-dollar, what the charges of its window cost, of whichever keys; each call
 * has one at most.
 */
export async function expectSpentAsCharged(
  { keyIds, teamIds }: Accounts,
  calls: Call[],
): Promise<void> {
  const charges = (await Promise.all(keyIds.map(chargesOf))).flat();
  for (const keyId of keyIds) {
    const account = await accountOf(keyId);
    const own = charges.filter(
      ({ key_id, window }) => key_id === keyId && window === windowOf(account),
    );
    expectAtRest(account);
    expect(account.spent).toBe(sum(own.map(({ cost = 0 }) => cost)));
  }
  for (const teamId of teamIds) {
    const account = await accountOf(teamId);
    const its = charges.filter(
      ({ team, team_window }) => team === teamId && team_window === windowOf(account),
    );
    expectAtRest(account);
    expect(account.spent).toBe(sum(its.map(({ cost = 0 }) => cost)));
  }
  const entries = charges.map(({ entry }) => entry);
  expect(new Set(entries).size).toBe(entries.length);
  const settled = charges.filter(({ status }) => status === 'settled').map(({ entry }) => entry);
  const produced = (await Promise.all(keyIds.map(productsOf))).flat().map(({ of }) => of);
  expect(settled, 'charges of products').toEqual(expect.arrayContaining(produced));
  expect(new Set(produced).size, 'products of charges').toBe(produced.length);
  for (const { hold, isKept } of calls) {
    if (isKept === undefined) continue;
    expect(produced.includes(hold.charge.entry)).toBe(isKept);
    expect(settled.includes(hold.charge.entry)).toBe(isKept);
  }
  // A call whose caller has died after the hold is not among `calls`, and it has no charge.
  const ofCalls = charges.filter(({ request }) => request).map(({ entry }) => entry);
  expect(calls.map(({ hold }) => hold.charge.entry)).toEqual(expect.arrayContaining(ofCalls));
  const lines = (await Promise.all(keyIds.map(linesWritten))).reduce((all, each) => all + each, 0);
  expect(charges.length - ofCalls.length, 'charges of lines').toBe(lines);
}
