import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { unlimitedRequests } from '../../shared/ledger/account/account.ts';
import { changeAccountLimits } from '../../shared/ledger/change-limits.ts';
import { readSummed } from '../../shared/ledger/compare-account.ts';
import { furtherAccounts, setFurtherLimits } from '../../shared/ledger/owner-limits.ts';
import { findWhole, readRenewed } from '../../shared/ledger/parts/whole.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import { cases } from '../support/run/cases.ts';
import { expectWithin } from '../support/run/expect-within.ts';
import { dayMs, minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { interleave, type Process } from '../support/worlds/interleave.ts';
import { chargesOf, followAccounts, usd } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';
import {
  drawBy,
  expectRefusal,
  expectSpentAsCharged,
  inParts,
  newAccount,
  twoInParts,
  twoOfATeam,
} from './exact-accounts.ts';
import {
  type Accounts,
  aFurtherLimit,
  aGrowth,
  aHistory,
  aLostCredit,
  aLostStart,
  aMove,
  aNewWindow,
  aNotedCall,
  anOverrun,
  aRush,
  aStandingHold,
  type Batch,
  bookAll,
  type Call,
  endAllStanding,
  forgetHandedOver,
  furtherLimits,
  perform,
} from './ledger-actions.ts';

await useStore({ queues: true });

useStoppedClock();

const expectSoundAccounts = followAccounts();

const histories = {
  'any history': aHistory,
  'sweeps beside callers who are late, and new ones': aLostStart,
  'a window that ends under running calls': aNewWindow,
  'calls that cost more than they hold': anOverrun,
  'noted calls that die': aNotedCall,
  'credits that are lost, and recounted': aLostCredit,
  'parts that come and go': aGrowth,
  'calls that want more than a part has': aRush,
  'sums that stand for hours': aStandingHold,
};

it.each([
  ['any history', cases(1, 20)],
  ['sweeps beside callers who are late, and new ones', cases(2, 30)],
  ['a window that ends under running calls', cases(2, 20)],
  ['noted calls that die', cases(2, 60)],
  ['calls that cost more than they hold', cases(2, 30)],
  ['credits that are lost, and recounted', cases(2, 100)],
  ['sums that stand for hours', cases(3, 100)],
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
  ['noted calls that die', cases(2, 60)],
  ['calls that cost more than they hold', cases(2, 30)],
  ['keys that go from team to team', cases(2, 30)],
  ['credits that are lost, and recounted', cases(2, 60)],
  ['sums that stand for hours', cases(2, 80)],
] as const)(
  'keeps keys and their teams within their ceilings, and each spends what was charged to it: %s',
  (what, numRuns) =>
    expectExact({ ...histories, 'keys that go from team to team': aMove }[what], numRuns, () =>
      twoOfATeam(),
    ),
);

function expectExact(
  histories: fc.Arbitrary<Batch[]>,
  numRuns: number,
  newAccounts: () => Promise<Accounts>,
): Promise<void> {
  return expectWithin(
    12_000,
    fc.asyncProperty(histories, fc.nat(10 * minuteMs), async (history, offsetMs) => {
      vi.setSystemTime(Math.ceil(Date.now() / dayMs) * dayMs + offsetMs);
      drawBy(offsetMs);
      const accounts = await newAccounts();
      const calls: Call[] = [];
      const limits = await limitsOf(accounts);
      forgetHandedOver();

      for (const batch of history) await happen(accounts, calls, batch);

      await expectHeldAsStanding(accounts);
      await endAllStanding(accounts.keyIds);
      pass(27 * minuteMs);
      await sweepLedger();
      const late = await bookAll();
      await expectSoundAccounts();
      await expectSpentAsCharged(accounts, calls);
      await expectLimits(accounts, [limits, ...limitsIn(history)]);
      const entries = (await Promise.all(accounts.keyIds.map(chargesOf))).flat();
      expect(entries.map(({ entry }) => entry)).toEqual(expect.arrayContaining(late));
    }),
    numRuns,
  );
}

it.each([
  ['any history', cases(2, 40)],
  ['sweeps beside callers who are late, and new ones', cases(2, 20)],
  ['a window that ends under running calls', cases(2, 30)],
  ['noted calls that die', cases(2, 60)],
  ['calls that cost more than they hold', cases(2, 30)],
  ['credits that are lost, and recounted', cases(2, 60)],
  ['parts that come and go', cases(2, 200)],
  ['calls that want more than a part has', cases(2, 200)],
  ['sums that stand for hours', cases(2, 100)],
] as const)(
  'keeps a key in parts within its limits, and spends what its charges cost: %s',
  (what, numRuns) =>
    expectExact(histories[what], numRuns, async () => {
      const keyIds = [await inParts(await newAccount('key', 1000, '7m', 20, 8), 4)];
      return { keyIds, teamIds: [], limitsRequests: true };
    }),
);

it.each([
  ['any history', cases(2, 40)],
  ['keys that go from team to team', cases(2, 30)],
  ['noted calls that die', cases(2, 60)],
  ['calls that cost more than they hold', cases(2, 30)],
  ['credits that are lost, and recounted', cases(2, 60)],
  ['parts that come and go', cases(2, 200)],
  ['calls that want more than a part has', cases(2, 200)],
  ['sums that stand for hours', cases(2, 100)],
] as const)(
  'keeps keys and teams in parts within their limits, and each spends what was charged to it: %s',
  (what, numRuns) =>
    expectExact({ ...histories, 'keys that go from team to team': aMove }[what], numRuns, () =>
      twoInParts(),
    ),
);

it.each([
  ['any history', cases(2, 40)],
  ['a window that ends under running calls', cases(2, 30)],
  ['keys that go from team to team', cases(2, 30)],
  ['noted calls that die', cases(2, 60)],
  ['parts that come and go', cases(2, 100)],
  ['sums that stand for hours', cases(2, 60)],
] as const)('keeps budgets exact that renew by the calendar: %s', (what, numRuns) =>
  expectExact(
    { ...histories, 'keys that go from team to team': aMove }[what],
    numRuns,
    async () => {
      // Midnight comes as their first calls run.
      vi.setSystemTime(Math.ceil(Date.now() / dayMs) * dayMs - 4 * minuteMs);
      const keyIds = [
        await newAccount('key', 1000, 'day, UTC'),
        await newAccount('key', 1000, '7m'),
      ];
      const teamIds = [await newAccount('team', 1200, 'day, UTC')];
      for (const keyId of keyIds) await putInTeam(keyId, teamIds[0] ?? null);
      for (const id of [...keyIds, ...teamIds]) {
        const limits = { budget_usd: usd(1000), duration: 'day, UTC', extra_usd: usd(700) };
        await changeAccountLimits(id, {
          ...limits,
          requests_per_minute: null,
          max_concurrent: null,
        });
        await inParts(id, 2);
      }
      return { keyIds, teamIds };
    },
  ),
);

it.each([
  ['alone', cases(2, 300), false, 1],
  ['in a team with limits of its own', cases(2, 200), true, 1],
  ['in parts, in a team in parts', cases(2, 200), true, 2],
] as const)('keeps every further limit of keys %s', (_what, numRuns, hasTeam, parts) =>
  expectExact(aFurtherLimit, numRuns, async () => {
    const accounts = hasTeam
      ? await twoOfATeam()
      : { keyIds: [await newAccount('key')], teamIds: [] };
    for (const id of [...accounts.keyIds, ...accounts.teamIds]) {
      await setFurtherLimits(id, furtherLimits(800, 20, 0));
      await inParts(id, parts);
      if (parts > 1) for await (const further of furtherAccounts(id)) await inParts(further, parts);
    }
    return { ...accounts, hasFurther: true, limitsRequests: true };
  }),
);

it('keeps exact what all keys spend in a day', () => {
  vi.stubEnv('DAY_CEILING_USD', String(usd(1_500)));
  // Each history has a day of its own.
  const any = fc.oneof(aHistory, aNotedCall, aGrowth, aStandingHold);
  return expectExact(any, cases(3, 150), () => twoInParts()).finally(() =>
    vi.stubEnv('DAY_CEILING_USD', undefined),
  );
});

/** After all calls and their audits an account holds what stands on it, and no more. */
async function expectHeldAsStanding({ keyIds, teamIds }: Accounts): Promise<void> {
  for (const id of [...keyIds, ...teamIds]) {
    const sum = await readSummed(id);
    expect(sum?.differences(), 'held').not.toContainEqual(
      expect.objectContaining({ figure: 'held' }),
    );
  }
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

type Limits = Record<'ceilings' | 'requests' | 'atOnce', number[]>;

/** What the parts of accounts may spend and make together. */
async function limitsOf({ keyIds, teamIds }: Accounts): Promise<Limits> {
  const wholes = await Promise.all([...keyIds, ...teamIds].map(findWhole));
  const of = (name: 'requests_per_minute' | 'max_concurrent') =>
    wholes.flatMap((whole) => whole?.[name] ?? []);
  return {
    ceilings: wholes.flatMap((whole) => (whole ? whole.ceiling - (whole.extra ?? 0) : [])),
    requests: of('requests_per_minute'),
    atOnce: of('max_concurrent'),
  };
}

/** The limits that a history may have given to accounts. */
const limitsIn = (history: Batch[]): Limits[] =>
  history
    .flatMap(({ actions }) => actions.filter(({ kind }) => kind === 'change'))
    .map(({ budget, requests, atOnce }) => ({
      ceilings: [budget],
      requests: [requests ?? unlimitedRequests],
      atOnce: [atOnce ?? unlimitedRequests],
    }));

/** Parts have together what their account was once given, whatever moved between them; an extra goes with its window. */
async function expectLimits(accounts: Accounts, given: Limits[]): Promise<void> {
  for (const id of [...accounts.keyIds, ...accounts.teamIds]) {
    const { account } = await readRenewed(id, Date.now() + 40 * dayMs);
    if (account.duration) expect(account.extra ?? 0, 'extra').toBe(0);
  }
  const limits = await limitsOf(accounts);
  for (const name of ['ceilings', 'requests', 'atOnce'] as const) {
    // A team limits no requests, and neither does a key without parts here.
    const allowed = [...given.flatMap((each) => each[name]), unlimitedRequests];
    for (const each of limits[name]) expect(allowed, name).toContain(each);
  }
}
