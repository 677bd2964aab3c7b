import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { openAccount, windowOf } from '../../shared/ledger/account.ts';
import { readSummed } from '../../shared/ledger/account-sum.ts';
import { sweepLedger } from '../../shared/ledger/audit.ts';
import { BudgetExceededError } from '../../shared/ledger/limit-errors.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import { cases } from '../support/run/cases.ts';
import { dayMs, minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { interleave, isStoreFault, type Process } from '../support/worlds/interleave.ts';
import {
  accountOf,
  chargesOf,
  expectAtRest,
  followAccounts,
  sum,
  usd,
} from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';
import {
  type Accounts,
  aHistory,
  aLostCredit,
  aLostStart,
  aMove,
  aNewWindow,
  anOverrun,
  aStandingHold,
  type Batch,
  bookAll,
  type Call,
  endAllStanding,
  forgetHandedOver,
  linesWritten,
  perform,
  productsOf,
} from './ledger-actions.ts';

await useStore({ queues: true });

useStoppedClock();

const expectSoundAccounts = followAccounts();

const histories = {
  'any history': aHistory,
  'sweeps beside callers who are late, and new ones': aLostStart,
  'a window that ends under running calls': aNewWindow,
  'calls that cost more than they hold': anOverrun,
  'credits that are lost, and recounted': aLostCredit,
  'sums that stand for hours': aStandingHold,
};

it.each([
  ['any history', cases(1, 20)],
  ['sweeps beside callers who are late, and new ones', cases(3, 30)],
  ['a window that ends under running calls', cases(3, 20)],
  ['calls that cost more than they hold', cases(3, 30)],
  ['credits that are lost, and recounted', cases(3, 100)],
  ['sums that stand for hours', cases(6, 100)],
] as const)('keeps within the ceiling, and spends what its charges cost: %s', (what, numRuns) =>
  expectExact(histories[what], numRuns, async () => ({
    keyIds: [await newAccount('key')],
    teamIds: [],
  })),
);

it.each([
  ['any history', cases(2, 20)],
  ['sweeps beside callers who are late, and new ones', cases(2, 20)],
  ['a window that ends under running calls', cases(2, 15)],
  ['calls that cost more than they hold', cases(3, 30)],
  ['keys that go from team to team', cases(3, 30)],
  ['credits that are lost, and recounted', cases(2, 60)],
  ['sums that stand for hours', cases(5, 80)],
] as const)(
  'keeps keys and their teams within their ceilings, and each spends what was charged to it: %s',
  (what, numRuns) =>
    expectExact(
      { ...histories, 'keys that go from team to team': aMove }[what],
      numRuns,
      twoOfATeam,
    ),
);

function expectExact(
  histories: fc.Arbitrary<Batch[]>,
  numRuns: number,
  newAccounts: () => Promise<Accounts>,
): Promise<void> {
  return fc.assert(
    fc.asyncProperty(histories, fc.nat(10 * minuteMs), async (history, offsetMs) => {
      vi.setSystemTime(Math.ceil(Date.now() / dayMs) * dayMs + offsetMs);
      const accounts = await newAccounts();
      const calls: Call[] = [];
      forgetHandedOver();

      for (const batch of history) await happen(accounts, calls, batch);

      await expectHeldAsStanding(accounts);
      await endAllStanding(accounts.keyIds);
      pass(27 * minuteMs);
      await sweepLedger();
      const late = await bookAll();
      await expectSoundAccounts();
      await expectSpentAsCharged(accounts, calls);
      const entries = (await Promise.all(accounts.keyIds.map(chargesOf))).flat();
      expect(entries.map(({ entry }) => entry)).toEqual(expect.arrayContaining(late));
    }),
    { numRuns, interruptAfterTimeLimit: 40_000 },
  );
}

/** After all calls and their audits an account holds what stands on it, and no more. */
async function expectHeldAsStanding({ keyIds, teamIds }: Accounts): Promise<void> {
  for (const id of [...keyIds, ...teamIds]) {
    const sum = await readSummed(id);
    expect(sum?.differences(), 'held').not.toContainEqual(
      expect.objectContaining({ figure: 'held' }),
    );
  }
}

async function newAccount(of: 'key' | 'team', budget = 1000, duration = '7m'): Promise<string> {
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
async function twoOfATeam(): Promise<Accounts> {
  const keyIds = [await newAccount('key'), await newAccount('key')];
  const teamIds = [await newAccount('team', 1200, '11m'), await newAccount('team', 300)];
  for (const keyId of keyIds) await putInTeam(keyId, teamIds[0] ?? null);
  return { keyIds, teamIds };
}

/** Lets a batch happen, and expects each account to be sound after each of its writes. */
async function happen(
  accounts: Accounts,
  calls: Call[],
  { afterMs, actions, order }: Batch,
): Promise<void> {
  pass(afterMs);
  let picks = 0;
  const processes = actions.map<Process<void>>((action) => ({
    run: () => perform(accounts, calls, action),
    fault: action.fault,
  }));

  const exits = await interleave(processes, () => order[picks++ % order.length] ?? 0);

  await expectSoundAccounts();
  for (const exit of exits) if (exit?.status === 'rejected') expectRefusal(exit.reason);
}

function expectRefusal(reason: unknown): void {
  for (const error of reason instanceof AggregateError ? reason.errors : [reason]) {
    if (!(error instanceof BudgetExceededError || isStoreFault(error))) throw error;
  }
}

/**
 * An account at rest has spent, to the nano-dollar, what the charges of its window cost, of whichever keys; each call
 * has one at most.
 */
async function expectSpentAsCharged({ keyIds, teamIds }: Accounts, calls: Call[]): Promise<void> {
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
