import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { windowOf } from '../../shared/ledger/account/account.ts';
import { costOn } from '../../shared/ledger/account/account-hold.ts';
import { furtherAccounts } from '../../shared/ledger/owner-limits.ts';
import { grow } from '../../shared/ledger/parts/grow.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import { ownerOf } from '../../shared/ledger/terms/account-ids.ts';
import {
  BudgetExceededError,
  ConcurrencyError,
  RequestsPerMinuteError,
} from '../../shared/ledger/terms/limit-errors.ts';
import { isStoreFault } from '../support/worlds/interleave.ts';
import { chargesOf, expectAtRest, partsOf, sum, usd } from '../support/worlds/ledger-world.ts';
import { type Accounts, type Call, linesWritten, productsOf } from './ledger-actions.ts';

/** Which part a call asks is drawn by chance: the same one in each run of a history. */
export function drawBy(seed: number): void {
  let drawn = (seed % 2_147_483_646) + 1;
  vi.spyOn(Math, 'random').mockImplementation(() => {
    drawn = (drawn * 48_271) % 2_147_483_647;
    return drawn / 2_147_483_647;
  });
}

/** Opens an account with a budget in nano-dollars. */
export async function newAccount(
  of: 'key' | 'team',
  budget = 1000,
  duration = '7m',
  requests: number | null = null,
  atOnce: number | null = null,
): Promise<string> {
  const id = `${of}_${randomUUID()}`;
  await openAccount(id, new Date().toISOString(), {
    budget_usd: usd(budget),
    duration,
    requests_per_minute: requests,
    max_concurrent: atOnce,
  });
  return id;
}

/** Two keys that may spend more than their team, whose budget lasts longer; and a team of nobody yet. */
export async function twoOfATeam(times = 1): Promise<Accounts> {
  const keyIds = [await newAccount('key', times * 1000), await newAccount('key', times * 1000)];
  const teamIds = [
    await newAccount('team', times * 1200, '11m'),
    await newAccount('team', times * 300),
  ];
  for (const keyId of keyIds) await putInTeam(keyId, teamIds[0] ?? null);
  return { keyIds, teamIds };
}

/** Gives an account so many parts. */
export async function inParts(id: string, parts: number): Promise<string> {
  for (let open = 1; open < parts; open *= 2) expect(await grow(id)).toBe(true);
  return id;
}

/** The same with a key in parts, and its team. */
export async function twoInParts(times = 1): Promise<Accounts> {
  const accounts = await twoOfATeam(times);
  const [key = ''] = accounts.keyIds;
  const [team = ''] = accounts.teamIds;
  await inParts(key, 2);
  await inParts(team, 4);
  return { ...accounts, limitsRequests: true };
}

const limits = [BudgetExceededError, RequestsPerMinuteError, ConcurrencyError];

/** Expects of what a process came to that the store was at fault, or a limit. So few processes make no account busy. */
export function expectRefusal(reason: unknown): void {
  for (const error of reason instanceof AggregateError ? reason.errors : [reason]) {
    if (!limits.some((limit) => error instanceof limit) && !isStoreFault(error)) throw error;
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
  for (const account of (await Promise.all(keyIds.map(partsOf))).flat()) {
    const own = charges.filter(
      ({ key_id, window }) => key_id === account.key_id && window === windowOf(account),
    );
    expectAtRest(account);
    expect(account.spent).toBe(sum(own.map(({ cost = 0 }) => cost)));
  }
  for (const account of (await Promise.all(teamIds.map(partsOf))).flat()) {
    const its = charges.filter(
      ({ team, team_window }) => team === account.key_id && team_window === windowOf(account),
    );
    expectAtRest(account);
    expect(account.spent).toBe(sum(its.map(({ cost = 0 }) => cost)));
  }
  const open = await Promise.all(
    [...keyIds, ...teamIds].map((id) => Array.fromAsync(furtherAccounts(id))),
  );
  const held = charges.flatMap(({ further = {} }) => Object.keys(further).map(ownerOf));
  const further = [...new Set([...open.flat(), ...held])];
  for (const account of (await Promise.all(further.map(partsOf))).flat()) {
    const { key_id } = account;
    const its = charges.filter((charge) => charge.further?.[key_id] === windowOf(account));
    expectAtRest(account);
    expect(account.spent, key_id).toBe(sum(its.map((charge) => costOn(key_id, charge))));
  }
  const entries = charges.map(({ entry }) => entry);
  expect(new Set(entries).size).toBe(entries.length);
  const settled = charges.filter(({ status }) => status === 'settled').map(({ entry }) => entry);
  const partIds = (await Promise.all(keyIds.map(partsOf))).flat().map(({ key_id }) => key_id);
  const produced = (await Promise.all(partIds.map(productsOf))).flat().map(({ of }) => of);
  expect(settled, 'charges of products').toEqual(expect.arrayContaining(produced));
  expect(new Set(produced).size, 'products of charges').toBe(produced.length);
  for (const { hold, isKept } of calls) {
    if (isKept === undefined) continue;
    expect(produced.includes(hold.charge.entry)).toBe(isKept);
    expect(settled.includes(hold.charge.entry)).toBe(isKept);
  }
  for (const { hold, notes = [], isNoted } of calls) {
    if (!isNoted) continue;
    const charge = charges.find(({ entry }) => entry === hold.charge.entry);
    expect(charge, 'the charge of a noted call').toBeDefined();
    if (!hold.isEnded) expect(notes, 'what was noted').toContain(charge?.cost);
  }
  // A call whose caller has died after the hold is not among `calls`, and it has no charge.
  const ofCalls = charges.filter(({ request }) => request).map(({ entry }) => entry);
  expect(calls.map(({ hold }) => hold.charge.entry)).toEqual(expect.arrayContaining(ofCalls));
  const lines = (await Promise.all(keyIds.map(linesWritten))).reduce((all, each) => all + each, 0);
  expect(charges.length - ofCalls.length, 'charges of lines').toBe(lines);
}
