import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { openAccount, windowOf } from '../../shared/ledger/account.ts';
import { BudgetExceededError } from '../../shared/ledger/errors.ts';
import { dayMs, minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { interleave, isStoreFault, type Process } from '../support/worlds/interleave.ts';
import {
  accountOf,
  chargesOf,
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
  perform,
} from './ledger-actions.ts';

await useStore();

useStoppedClock();

it.each([
  ['any history', aHistory, 20],
  ['sweeps beside callers who are late, and new ones', aLostStart, 30],
  ['a window that ends under running calls', aNewWindow, 20],
])(
  'keeps within the ceiling, and spends what its charges cost: %s',
  async (_, histories, numRuns) => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(10 * minuteMs), async (history, offsetMs) => {
        vi.setSystemTime(Math.ceil(Date.now() / dayMs) * dayMs + offsetMs);
        const keyId = await newAccount();
        const calls: Call[] = [];

        for (const batch of history) await happen(keyId, calls, batch);

        await expectSpentAsCharged(keyId, calls);
      }),
      { numRuns, interruptAfterTimeLimit: 40_000 },
    );
  },
);

async function newAccount(): Promise<string> {
  const keyId = `key_${randomUUID()}`;
  await openAccount(keyId, new Date().toISOString(), {
    budget_usd: usd(1000),
    duration: '7m',
    requests_per_minute: null,
    max_concurrent: null,
  });
  return keyId;
}

/** Lets a batch happen, and expects the account to be sound after each request to the store. */
async function happen(
  keyId: string,
  calls: Call[],
  { afterMs, actions, order }: Batch,
): Promise<void> {
  pass(afterMs);
  let account = await accountOf(keyId);
  let picks = 0;
  const processes = actions.map<Process<void>>((action) => ({
    run: () => perform(keyId, calls, action),
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
}

function expectRefusal(reason: unknown): void {
  for (const error of reason instanceof AggregateError ? reason.errors : [reason]) {
    if (!(error instanceof BudgetExceededError || isStoreFault(error))) throw error;
  }
}

/** An account at rest has spent, to the nano-dollar, what the charges of its window cost; each call has one at most. */
async function expectSpentAsCharged(keyId: string, calls: Call[]): Promise<void> {
  const account = await accountOf(keyId);
  const charges = await chargesOf(keyId);
  const ofThisWindow = charges.filter(({ window }) => window === windowOf(account));

  expectAtRest(account);
  expect(account.spent).toBe(sum(ofThisWindow.map(({ cost = 0 }) => cost)));
  const entries = charges.map(({ entry }) => entry);
  expect(new Set(entries).size).toBe(entries.length);
  // A call whose caller has died after the hold is not among `calls`, and it has no charge.
  expect(calls.map(({ hold }) => hold.charge.entry)).toEqual(expect.arrayContaining(entries));
}
