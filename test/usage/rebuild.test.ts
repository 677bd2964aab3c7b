import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ConflictError } from '../../shared/http/errors.ts';
import { rebuildUsage } from '../../shared/usage/count.ts';
import { rollUpUsage } from '../../shared/usage/roll-up.ts';
import { cases } from '../support/run/cases.ts';
import { expectWithin } from '../support/run/expect-within.ts';
import { dayMs, pass, stopClock } from '../support/worlds/clock.ts';
import { interleave } from '../support/worlds/interleave.ts';
import { forget, loseUsage, spoil } from '../support/worlds/spoil-usage.ts';
import { useStore } from '../support/worlds/store.ts';
import {
  endedCharge,
  eventOf,
  expectUsage,
  newKeyId,
  usageOf,
} from '../support/worlds/usage-world.ts';

await useStore();

const tags = ['batch', 'batch:chat'];

const someCharges = (keyId: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      endedCharge(keyId, { model: n % 2 ? 'gpt-5' : 'gpt-5-mini', tags, cost: n + 1 }),
    ),
  );

describe('a rebuild', () => {
  it('puts right what was wrong, beside a roll-up and another rebuild', {
    tags: 'exhaustive',
  }, async () => {
    const aMoment = fc.record({
      counted: fc.nat(5),
      uncounted: fc.nat(6),
      spoiled: fc.array(fc.nat(99), { maxLength: 3 }),
      rebuilds: fc.integer({ min: 1, max: 2 }),
      order: fc.array(fc.nat(99), { minLength: 12, maxLength: 40, size: 'max' }),
    });

    await expectWithin(
      30_000,
      fc.asyncProperty(aMoment, async ({ counted, uncounted, spoiled, rebuilds, order }) => {
        const keyId = newKeyId();
        const before = await someCharges(keyId, counted);
        await rollUpUsage(eventOf(before));
        for (const seed of spoiled) await spoil(keyId, seed);
        const after = await someCharges(keyId, uncounted);
        const half = Math.ceil(after.length / 2);
        let picks = 0;

        const exits = await interleave<unknown>(
          [
            ...Array.from({ length: rebuilds }, () => () => rebuildUsage(keyId, false)),
            () => rollUpUsage(eventOf(after.slice(0, half))),
            () => rollUpUsage(eventOf(after.slice(half))),
          ].map((run) => ({ run })),
          () => order[picks++ % order.length] ?? 0,
        );

        for (const exit of exits) if (exit?.status === 'rejected') expectConflict(exit.reason);
        expectUsage(await usageOf(keyId), [...before, ...after]);
      }),
      cases(8, 80),
    );
  });

  it('counts what the stream never told, each on the day it ended', async () => {
    const keyId = newKeyId();
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const charges = [await endedCharge(keyId, { ended_at: yesterday }), await endedCharge(keyId)];

    const looked = await rebuildUsage(keyId, true);
    const nothing = await usageOf(keyId);
    const rebuilt = await rebuildUsage(keyId, false);

    expect(looked).toEqual(rebuilt);
    expect(rebuilt).toEqual({ key_id: keyId, charges: 2, missed: 2, differences: [] });
    expect(nothing['total']).toMatchObject({ requests: 0 });
    expectUsage(await usageOf(keyId), charges);
  });

  it('tells the entries that differ, and corrects them unless it only looks', async () => {
    const keyId = newKeyId();
    const charges = await someCharges(keyId, 1);
    await rollUpUsage(eventOf(charges));
    await spoil(keyId, 0);

    const looked = await rebuildUsage(keyId, true);
    const rebuilt = await rebuildUsage(keyId, false);

    const kept = expect.objectContaining({ requests: -2, spend: 1 });
    const charged = expect.objectContaining({ requests: 1, spend: 1 });
    expect(looked.differences).toEqual([{ entry: 'total', kept, charged }]);
    expect(rebuilt).toEqual(looked);
    expect(await rebuildUsage(keyId, true)).toMatchObject({ differences: [] });
    expectUsage(await usageOf(keyId), charges);
  });

  it('makes anew what was lost, in as many writes as it takes', async () => {
    const keyId = newKeyId();
    const models = Array.from({ length: 60 }, (_, n) => `model-${n}`);
    const charges = await Promise.all(
      models.map((model) => endedCharge(keyId, { model, tags, cost: 1 })),
    );
    await rollUpUsage(eventOf(charges.slice(0, 1)));
    await rollUpUsage(eventOf(charges));
    await loseUsage(keyId);

    const { differences } = await rebuildUsage(keyId, false);

    expect(differences).toHaveLength(60 + 60 + 2 + 1);
    expectUsage(await usageOf(keyId), charges);
  });

  it('reads a key page by page', async () => {
    const keyId = newKeyId();
    // Two megabytes of charges, of which a query reads one at a time.
    const filling = 'x'.repeat(20_000);
    const charges = await Promise.all(
      Array.from({ length: 100 }, () => endedCharge(keyId, { cost: 1, job_id: filling })),
    );

    const { missed } = await rebuildUsage(keyId, false);

    expect(missed).toBe(100);
    expectUsage(await usageOf(keyId), charges);
  });

  it('leaves days alone whose charges the ledger has begun to forget', async () => {
    const keyId = newKeyId();
    const old = await endedCharge(keyId, { cost: 5 });
    await rollUpUsage(eventOf([old]));
    const recent = await inDays(399, () => endedCharge(keyId, { cost: 7 }));
    await inDays(399, () => rollUpUsage(eventOf([recent])));
    await forget(old);

    const rebuilt = await inDays(399, () => rebuildUsage(keyId, false));

    expect(rebuilt).toMatchObject({ charges: 1, differences: [] });
    expectUsage(await usageOf(keyId), [old, recent]);
  });
});

function expectConflict(error: unknown): void {
  if (!(error instanceof ConflictError)) throw error;
}

/** Does something when so many days have passed. */
async function inDays<Value>(count: number, act: () => Promise<Value>): Promise<Value> {
  stopClock();
  pass(count * dayMs);
  try {
    return await act();
  } finally {
    vi.useRealTimers();
  }
}
