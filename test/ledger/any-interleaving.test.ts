import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { openAccount } from '../../shared/ledger/account.ts';
import { BudgetExceededError } from '../../shared/ledger/errors.ts';
import { dayMs, minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { interleave, type Process, StoreFault } from '../support/worlds/interleave.ts';
import {
  accountOf,
  chargesOf,
  countersOf,
  expectAtRest,
  expectSound,
  sum,
  usd,
} from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';
import {
  aHistory,
  aLostStart,
  aNewWindow,
  type Batch,
  type Call,
  learnAudited,
  perform,
} from './ledger-actions.ts';

await useStore();

useStoppedClock();

it.each([
  ['any history', aHistory, 20],
  ['sweeps beside callers who are late, and new ones', aLostStart, 30],
  ['a window that ends under running calls', aNewWindow, 20],
])('keeps within the ceiling, and counts each cost once: %s', async (_, histories, numRuns) => {
  await fc.assert(
    fc.asyncProperty(histories, fc.nat(10 * minuteMs), async (history, offsetMs) => {
      vi.setSystemTime(Math.ceil(Date.now() / dayMs) * dayMs + offsetMs);
      const keyId = await newAccount();
      const calls: Call[] = [];
      let reset = -1;

      for (const [index, batch] of history.entries()) {
        if (await happen(keyId, calls, index, batch)) reset = index;
      }

      await expectEachCostOnce(keyId, calls, reset);
    }),
    { numRuns, interruptAfterTimeLimit: 40_000 },
  );
});

async function newAccount(): Promise<string> {
  const keyId = `key_${randomUUID()}`;
  await openAccount(keyId, new Date().toISOString(), {
    budget_usd: usd(1000),
    duration: '7m',
    requests_per_minute: null,
  });
  return keyId;
}

/** Lets a batch happen; answers whether a new window began in it. */
async function happen(
  keyId: string,
  calls: Call[],
  index: number,
  { afterMs, actions, order }: Batch,
): Promise<boolean> {
  pass(afterMs);
  const now = new Date().toISOString();
  const before = await accountOf(keyId);
  let account = before;
  let picks = 0;
  const processes = actions.map<Process<void>>((action) => ({
    run: () => perform(keyId, calls, index, action),
    fault: action.fault,
  }));

  const exits = await interleave(
    processes,
    () => order[picks++ % order.length] ?? 0,
    async () => {
      const next = await accountOf(keyId);
      expectSound(account, next);
      account = next;
    },
  );

  for (const exit of exits) if (exit?.status === 'rejected') expectRefusal(exit.reason);
  const epochs = countersOf(account, 'held').map(([name]) => Number(name.split('_')[1]));
  learnAudited(calls, index, new Set(epochs));
  return before.window_ends_at <= now && account.window_ends_at > now;
}

function expectRefusal(reason: unknown): void {
  for (const error of reason instanceof AggregateError ? reason.errors : [reason]) {
    if (!(error instanceof BudgetExceededError || error instanceof StoreFault)) throw error;
  }
}

/** A call from the window before, settled while this one began, may have been counted in either. */
async function expectEachCostOnce(keyId: string, calls: Call[], reset: number): Promise<void> {
  const account = await accountOf(keyId);
  const charges = await chargesOf(keyId);
  const costs = charges.map(({ entry, cost = 0 }) => {
    const call = calls.find(({ hold }) => hold.charge.entry === entry);
    const { begunIn = -1, creditedFrom = -1, creditedBy = -1 } = call ?? {};
    return {
      cost,
      surely: begunIn >= reset || creditedFrom > reset,
      perhaps: creditedBy >= reset,
    };
  });

  expectAtRest(account);
  expect(charges.filter(({ status }) => status === 'held')).toEqual([]);
  expect(account.spent).toBeGreaterThanOrEqual(
    sum(costs.map(({ cost, surely }) => (surely ? cost : 0))),
  );
  expect(account.spent).toBeLessThanOrEqual(
    sum(costs.map(({ cost, perhaps }) => (perhaps ? cost : 0))),
  );
}
