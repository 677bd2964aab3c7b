import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { raiseHold } from '../../shared/ledger/raise-hold.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import { minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { dyingBefore, requestsOf } from '../support/worlds/dying.ts';
import { interleave } from '../support/worlds/interleave.ts';
import {
  accountOf,
  chargesOf,
  expectAtRest,
  followAccounts,
  sum,
  usd,
} from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore();

const expectSoundAccounts = followAccounts();

useStoppedClock('2027-03-01T00:00:00.000Z');

const subject = { model: 'gpt-5-mini', tags: ['chat'] };
const costing = (costNanoUsd: number) =>
  ({ costNanoUsd, figures: 'exact', promptTokens: 1, completionTokens: 1 }) as const;

async function open(of: 'key' | 'team', budget: number, duration: string | null = null) {
  const id = `${of}_${randomUUID()}`;
  await openAccount(id, new Date().toISOString(), {
    budget_usd: usd(budget),
    duration,
    requests_per_minute: null,
    max_concurrent: null,
  });
  return id;
}

async function openIn(teamId: string, budget: number): Promise<string> {
  const keyId = await open('key', budget);
  await putInTeam(keyId, teamId);
  return keyId;
}

const moneyOf = async (id: string) => {
  const { available, held, spent } = await accountOf(id);
  return { available, held, spent };
};

describe('a hold that is raised', () => {
  it('is held on the key’s account and its team’s, and one charge ends it', async () => {
    const team = await open('team', 500);
    const key = await openIn(team, 1000);
    const hold = await reserve(key, 100, subject);

    expect(await raiseHold(hold, 50)).toBe(50);
    const held = [await moneyOf(key), await moneyOf(team)];
    await settle(hold, costing(150));

    expect(held).toEqual([
      { available: 850, held: 150, spent: 0 },
      { available: 350, held: 150, spent: 0 },
    ]);
    expect(hold).toMatchObject({ account: { available: 850 }, team: { available: 350 } });
    expect(await chargesOf(key)).toMatchObject([{ hold: 150, cost: 150 }]);
    for (const id of [key, team]) expect(await moneyOf(id)).toMatchObject({ held: 0, spent: 150 });
  });

  it('is held on both accounts, or on neither', async () => {
    const team = await open('team', 120);
    const key = await openIn(team, 1000);
    const hold = await reserve(key, 100, subject);

    expect(await raiseHold(hold, 50)).toBe(0);

    expect(hold.charge.hold).toBe(100);
    expect(await moneyOf(key)).toEqual({ available: 900, held: 100, spent: 0 });
    expect(await moneyOf(team)).toEqual({ available: 20, held: 100, spent: 0 });
  });

  it('takes what there is if a part is better than nothing', async () => {
    const team = await open('team', 120);
    const key = await openIn(team, 1000);
    const hold = await reserve(key, 100, subject);

    expect(await raiseHold(hold, 50, { orLess: true })).toBe(20);
    expect(await raiseHold(hold, 50, { orLess: true })).toBe(0);

    expect(hold.charge.hold).toBe(120);
    expect(await moneyOf(key)).toEqual({ available: 880, held: 120, spent: 0 });
    expect(await moneyOf(team)).toEqual({ available: 0, held: 120, spent: 0 });
  });

  it('takes nothing of the next window, in which its cost would not count', async () => {
    const key = await open('key', 1000, '1h');
    const hold = await reserve(key, 900, subject);
    pass(60 * minuteMs);
    await reserve(key, 10, subject);

    expect(await raiseHold(hold, 50, { orLess: true })).toBe(0);

    expect(await moneyOf(key)).toEqual({ available: 90, held: 910, spent: 0 });
  });

  it('takes nothing once its call can be settled no more', async () => {
    const key = await open('key', 1000);
    const hold = await reserve(key, 100, subject);
    pass(27 * minuteMs);
    await sweepLedger();

    expect(await raiseHold(hold, 50, { orLess: true })).toBe(0);

    expectAtRest(await accountOf(key));
  });
});

it('many calls that cost more than they hold spend the budget together, and no more', async () => {
  const team = await open('team', 700);
  const keys = await Promise.all([300, 5000].map((budget) => openIn(team, budget)));
  const holds = await Promise.all(
    keys.flatMap((key) => [1, 2, 3].map(() => reserve(key, 50, subject))),
  );

  let picks = 0;
  await interleave(
    holds.map((hold) => ({
      run: async () => {
        await raiseHold(hold, 400, { orLess: true });
        await settle(hold, costing(hold.charge.hold));
      },
    })),
    (waiting) => (picks++ * 7) % waiting,
  );

  await expectSoundAccounts();
  const charges = (await Promise.all(keys.map(chargesOf))).flat();
  expect(charges).toHaveLength(6);
  expect(sum(charges.map(({ cost = 0 }) => cost))).toBe(700);
  expect(await moneyOf(team)).toEqual({ available: 0, held: 0, spent: 700 });
});

it('a caller that dies anywhere between raise and settlement leaves the account as its charges say', async () => {
  const team = await open('team', 100_000);
  const key = await openIn(team, 100_000);
  const overrun = async () => {
    const hold = await reserve(key, 100, subject);
    await raiseHold(hold, 60);
    await settle(hold, costing(160));
  };
  const requests = await requestsOf(overrun);

  for (let request = 0; request < requests; request++) {
    expect(await dyingBefore(request, overrun)).toBe(true);
  }

  await expectSoundAccounts();
  pass(27 * minuteMs);
  await sweepLedger();
  await sweepLedger();
  const charges = await chargesOf(key);
  for (const id of [key, team]) {
    expectAtRest(await accountOf(id));
    expect(await moneyOf(id)).toMatchObject({ spent: sum(charges.map(({ cost = 0 }) => cost)) });
  }
  expect(new Set(charges.map(({ cost }) => cost))).toEqual(new Set([160]));
});
