import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { setting } from '../../shared/config.ts';
import { putCharge } from '../../shared/ledger/account/put-charge.ts';
import { checkKey } from '../../shared/usage/check.ts';
import { countCharges, rebuildUsage } from '../../shared/usage/count.ts';
import type { EndedCharge } from '../../shared/usage/figures.ts';
import { rollUpUsage } from '../../shared/usage/roll-up.ts';
import { cases } from '../support/run/cases.ts';
import { dayMs, pass, stopClock } from '../support/worlds/clock.ts';
import { inSomeOrders, interleave } from '../support/worlds/interleave.ts';
import { chargesOf } from '../support/worlds/ledger-world.ts';
import { forget, loseMarks, loseUsage, marksOf } from '../support/worlds/spoil-usage.ts';
import { useStore } from '../support/worlds/store.ts';
import {
  endedCharge,
  eventOf,
  expectUsage,
  newKeyId,
  usageOf,
} from '../support/worlds/usage-world.ts';

await useStore();
afterEach(() => {
  vi.useRealTimers();
});

/** Charges that ended at one instant, or so many seconds apart. */
const chargesApart = (keyId: string, count: number, seconds = 0) =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      endedCharge(keyId, {
        cost: n + 1,
        ended_at: new Date(Date.now() - n * seconds * 1000).toISOString(),
      }),
    ),
  );

const agreed = { missed: 0, differences: [] };

describe('the marks of what was counted', () => {
  it('lie beside the rows, and leave the charge as it was written', async () => {
    const keyId = newKeyId();
    const charges = await chargesApart(keyId, 3);

    await rollUpUsage(eventOf(charges));

    const inOrder = charges.toSorted((a, b) => (a.entry < b.entry ? -1 : 1));
    expect(await chargesOf(keyId)).toEqual(inOrder);
    expect(await marksOf(keyId)).toHaveLength(1);
  });

  it('of a busy second share an item, whoever counts them at once', async () => {
    await inSomeOrders(cases(3, 20), async (pick) => {
      stopClock();
      const keyId = newKeyId();
      const charges = await chargesApart(keyId, 240);
      const half = charges.length / 2;

      await interleave(
        [
          () => rollUpUsage(eventOf(charges.slice(0, half + 40))),
          () => rollUpUsage(eventOf(charges.slice(half - 40))),
          () => rebuildUsage(keyId, false).catch(() => {}),
        ].map((run) => ({ run: async () => void (await run()) })),
        pick,
      );
      await rollUpUsage(eventOf(charges));

      expectUsage(await usageOf(keyId), charges);
      const [second, ...others] = await marksOf(keyId);
      expect(others).toEqual([]);
      const { key_id: _, entry: __, expires_at: ___, ...marks } = second ?? {};
      expect(Object.keys(marks)).toHaveLength(charges.length);
      expect(await rebuildUsage(keyId, true)).toMatchObject(agreed);
    });
  });

  it('are found again of more seconds than a batch reads', async () => {
    const keyId = newKeyId();
    const charges = await chargesApart(keyId, 220, 2);

    await countCharges(keyId, charges);
    await countCharges(keyId, charges);

    expectUsage(await usageOf(keyId), charges);
    expect(await checkKey(keyId)).toMatchObject({ agrees: true, charges: 220, missed: 0 });
  });

  it('are kept longer than the charges, and the rows for good', async () => {
    const keyId = newKeyId();
    const [charge] = (await chargesApart(keyId, 1)) as [EndedCharge];
    await rollUpUsage(eventOf([charge]));

    const { Items = [] } = await dynamodb.send(
      new QueryCommand({
        TableName: setting('USAGE_TABLE'),
        KeyConditionExpression: 'key_id = :key',
        ExpressionAttributeValues: { ':key': keyId },
      }),
    );

    const [marks, ...rows] = Items;
    expect(marks?.['expires_at']).toBeGreaterThan(charge.expires_at + 86_400);
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(row).not.toHaveProperty('expires_at');
  });

  it('may go before a charge that is past its time, which is not counted again', async () => {
    stopClock();
    const keyId = newKeyId();
    const charges = await chargesApart(keyId, 1);
    await rollUpUsage(eventOf(charges));
    pass(401 * dayMs);
    await loseMarks(keyId);

    expect(await rebuildUsage(keyId, false)).toMatchObject({ charges: 0, ...agreed });
    expectUsage(await usageOf(keyId), charges);
  });
});

describe('after a restore', () => {
  it('a charge that comes once more is not counted once more', async () => {
    const keyId = newKeyId();
    const charges = await chargesApart(keyId, 2);
    await rollUpUsage(eventOf(charges));
    await forget(charges[0] as EndedCharge);

    await putCharge(charges[0] as EndedCharge);
    await rollUpUsage(eventOf(charges));

    expectUsage(await usageOf(keyId), charges);
    expect(await rebuildUsage(keyId, true)).toMatchObject(agreed);
  });

  it('a charge that comes once more is put in again, if a rebuild has taken it out meanwhile', async () => {
    const keyId = newKeyId();
    const charges = await chargesApart(keyId, 2);
    await rollUpUsage(eventOf(charges));
    await forget(charges[0] as EndedCharge);
    await rebuildUsage(keyId, false);
    const without = await usageOf(keyId);

    await putCharge(charges[0] as EndedCharge);
    await rollUpUsage(eventOf(charges));
    const check = await checkKey(keyId);
    await rebuildUsage(keyId, false);

    expectUsage(without, charges.slice(1));
    expect(check).toMatchObject({ agrees: false });
    expectUsage(await usageOf(keyId), charges);
  });

  it.each([
    ['its rows', loseUsage],
    ['its marks', loseMarks],
    [
      'both',
      async (keyId: string) => {
        await loseUsage(keyId);
        await loseMarks(keyId);
      },
    ],
  ])('a key that has lost %s is put right', async (_, lose) => {
    const keyId = newKeyId();
    const charges = await chargesApart(keyId, 3, 1);
    await rollUpUsage(eventOf(charges));
    await lose(keyId);

    await rebuildUsage(keyId, false);
    await rollUpUsage(eventOf(charges));

    expectUsage(await usageOf(keyId), charges);
    expect(await rebuildUsage(keyId, true)).toMatchObject(agreed);
  });
});
