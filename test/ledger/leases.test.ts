import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { Leases } from '../../shared/ledger/leases/lease-set.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { release } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { cases } from '../support/run/cases.ts';
import { expectWithin } from '../support/run/expect-within.ts';
import { dayMs, minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { interleave } from '../support/worlds/interleave.ts';
import { chargesOf, followAccounts } from '../support/worlds/ledger-world.ts';
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
  aGrowth,
  aHistory,
  aLeasedStart,
  aLostCredit,
  aMove,
  aNewWindow,
  aNotedCall,
  anOverrun,
  aStandingHold,
  type Batch,
  bookAll,
  type Call,
  endAllStanding,
  forgetHandedOver,
  perform,
  subject,
} from './ledger-actions.ts';

await useStore({ queues: true });

useStoppedClock();

const expectSoundAccounts = followAccounts();

/** How far the clock of the process that runs is from the others'. */
const skewMs = new AsyncLocalStorage<number>();

beforeEach(() => {
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + (skewMs.getStore() ?? 0));
});

const histories = {
  'any history': aHistory,
  'calls within leases that end when their time is over': aLeasedStart,
  'a window that ends under running calls': aNewWindow,
  'calls that cost more than they hold': anOverrun,
  'noted calls that die': aNotedCall,
  'credits that are lost, and recounted': aLostCredit,
  'keys that go from team to team': aMove,
};

const names = Object.keys(histories) as (keyof typeof histories)[];

it.each(names)('spends what charges cost, whichever process dies with its leases: %s', (name) =>
  expectExact(histories[name], cases(2, 60), async () => ({
    keyIds: [await newAccount('key')],
    teamIds: [],
  })),
);

it.each(names)('spends so on keys and their teams: %s', (name) =>
  expectExact(histories[name], cases(2, 40), () => twoOfATeam()),
);

const inPartsToo = [...names, 'parts that come and go', 'sums that stand for hours'] as const;
const historiesInParts = {
  ...histories,
  'parts that come and go': aGrowth,
  'sums that stand for hours': aStandingHold,
};

it.each(inPartsToo)('spends so on a key in parts: %s', (name) =>
  expectExact(historiesInParts[name], cases(2, 60), async () => ({
    keyIds: [await inParts(await newAccount('key', 4000, '7m', 400, 200), 4)],
    teamIds: [],
    limitsRequests: true,
  })),
);

it.each(inPartsToo)('spends so on keys and teams in parts: %s', (name) =>
  // A lease is a share of what one part has.
  expectExact(historiesInParts[name], cases(2, 40), () => twoInParts(8)),
);

/** A process with leases of its own, the calls that it has held, and what it will do later. */
class LeasingProcess {
  readonly calls: Call[] = [];
  readonly leases: Leases;
  private later: { atMs: number; run: () => Promise<void> }[] = [];

  constructor() {
    this.leases = new Leases({
      ...{ busyCalls: 1, ms: 4_000, share: 2, shareOfLimits: 2, fewest: 5, most: 8, pauseMs: 0 },
      after: (ms, run) => this.later.push({ atMs: Date.now() + ms, run }),
    });
  }

  /** What it had to do by now. */
  async catchUp(): Promise<void> {
    const due = this.later.filter(({ atMs }) => atMs <= Date.now());
    this.later = this.later.filter((each) => !due.includes(each));
    await Promise.all(due.map(({ run }) => run()));
  }
}

/** How many calls of all histories were held within leases. A slow machine has time for few of each. */
let leased = 0;

afterAll(() => expect(leased, 'calls held within leases in all this').toBeGreaterThan(0));

async function expectExact(
  histories: fc.Arbitrary<Batch[]>,
  numRuns: number,
  newAccounts: () => Promise<Accounts>,
): Promise<void> {
  const skews = fc.tuple(fc.integer({ min: -5_000, max: 5_000 }), fc.constant(0));
  await expectWithin(
    12_000,
    fc.asyncProperty(histories, skews, fc.nat(10 * minuteMs), async (history, skew, offsetMs) => {
      vi.setSystemTime(Math.ceil(Date.now() / dayMs) * dayMs + offsetMs);
      drawBy(offsetMs);
      const accounts = await newAccounts();
      const all: LeasingProcess[] = [];
      const begin = () => {
        const process = new LeasingProcess();
        all.push(process);
        return process;
      };
      const running = skew.map(begin);
      forgetHandedOver();

      for (const batch of history) await happen(accounts, running, skew, batch, begin);

      await endAllStanding(accounts.keyIds);
      pass(27 * minuteMs);
      await sweepLedger();
      const late = await bookAll();
      await expectSoundAccounts();
      const calls = all.flatMap((process) => process.calls);
      leased += calls.filter(({ hold }) => hold.leases).length;
      await expectSpentAsCharged(accounts, calls);
      const entries = (await Promise.all(accounts.keyIds.map(chargesOf))).flat();
      expect(entries.map(({ entry }) => entry)).toEqual(expect.arrayContaining(late));
    }),
    numRuns,
  );
}

/** Lets a batch happen in two processes, and has a new one in the place of each that dies. */
async function happen(
  accounts: Accounts,
  running: LeasingProcess[],
  skew: readonly number[],
  { afterMs, actions, order }: Batch,
  begin: () => LeasingProcess,
): Promise<void> {
  pass(afterMs);
  let picks = 0;
  const processes = running.map(({ calls, leases }, at) => {
    const own = actions.filter(({ budget = 0 }, index) => (budget + index) % running.length === at);
    const fault = own.find((action) => action.fault)?.fault;
    return {
      run: () =>
        skewMs.run(skew[at] ?? 0, async () => {
          await running[at]?.catchUp();
          // Each key has been busy, so that most of what follows is held within a lease.
          const busy = own.some(({ kind }) => kind !== 'sweep') ? accounts.keyIds : [];
          const before = busy.map((keyId) => reserve(keyId, 40, subject, { leases }));
          for (const end of await Promise.allSettled(before)) {
            if (end.status !== 'fulfilled') continue;
            calls.push({ hold: end.value });
            await release(end.value).catch(expectRefusal);
          }
          const ends = await Promise.allSettled(
            own.map((action) => perform(accounts, calls, action, leases)),
          );
          for (const end of ends) if (end.status === 'rejected') expectRefusal(end.reason);
        }),
      // What comes before takes some requests.
      fault: fault && { ...fault, at: fault.at + ((own.length + fault.at * at) % 12) },
    };
  });

  const exits = await interleave(processes, () => order[picks++ % order.length] ?? 0);

  await expectSoundAccounts();
  for (const [at, exit] of exits.entries()) {
    if (exit?.status === 'rejected') expectRefusal(exit.reason);
    if (!exit) running[at] = begin();
  }
}
