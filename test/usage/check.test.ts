import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, it, vi } from 'vitest';
import { describeChecks } from '../../lib/cli/usage/check.ts';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { setting } from '../../shared/config.ts';
import { changeKey, issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { changeTeam, createTeam } from '../../shared/keys/team.ts';
import { accountKey } from '../../shared/ledger/account/account.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { checkKey, checkTeam } from '../../shared/usage/check.ts';
import { rebuildUsage } from '../../shared/usage/count.ts';
import type { EndedCharge } from '../../shared/usage/figures.ts';
import { rollUpUsage } from '../../shared/usage/roll-up.ts';
import { hourMs, minuteMs, pass, stopClock } from '../support/worlds/clock.ts';
import { chargesOf } from '../support/worlds/ledger-world.ts';
import { spoil } from '../support/worlds/spoil-usage.ts';
import { useStore } from '../support/worlds/store.ts';
import { eventOf } from '../support/worlds/usage-world.ts';

await useStore();
afterEach(() => {
  vi.useRealTimers();
});

const cost = { costNanoUsd: 9, figures: 'exact', promptTokens: 1, completionTokens: 2 } as const;

/** A key that has made a call, which cost 9 nano-dollars. */
async function usedKey({
  isCounted = true,
  team = null,
}: {
  isCounted?: boolean;
  team?: string | null;
} = {}): Promise<string> {
  const { id } = await issueKey('shop', { ...defaultLimits, budget_usd: 5, team });
  const hold = await reserve(id, 1_000, { model: 'gpt-5', tags: ['batch', 'batch:chat'] });
  await settle(hold, cost);
  if (isCounted) await rollUpUsage(eventOf((await chargesOf(id)) as EndedCharge[]));
  return id;
}

async function spend(keyId: string, more: number): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: setting('LEDGER_TABLE'),
      Key: accountKey(keyId),
      UpdateExpression: 'SET spent = spent + :more',
      ExpressionAttributeValues: { ':more': more },
    }),
  );
}

it('agrees before the audit and after it', async () => {
  stopClock();
  const id = await usedKey();

  expect(await checkKey(id)).toMatchObject({ agrees: true, under_way: { charges: 0, epochs: 1 } });
  pass(hourMs);
  await sweepLedger();
  expect(await checkKey(id)).toMatchObject({ agrees: true, under_way: { charges: 0, epochs: 0 } });
});

it('takes a charge for under way that just ended, and for missed a minute later', async () => {
  stopClock();
  const id = await usedKey({ isCounted: false });

  const now = await checkKey(id);
  pass(2 * minuteMs);
  const later = await checkKey(id);

  expect(now).toMatchObject({ agrees: true, missed: 0, under_way: { charges: 1 } });
  expect(later).toMatchObject({ agrees: false, missed: 1, under_way: { charges: 0 } });
  await rebuildUsage(id, false);
  expect(await checkKey(id)).toMatchObject({ agrees: true, missed: 0 });
});

it('tells usage that differs, and which command puts it right', async () => {
  const id = await usedKey();
  await spoil(id, 0);

  const check = await checkKey(id);

  expect(check).toMatchObject({ agrees: false, account_differences: [] });
  expect(describeChecks([check])).toMatch(
    new RegExp(`${id} +total +requests +-2 +1\\n[^]*npm run usage -- rebuild ${id}`),
  );
  await rebuildUsage(id, false);
  expect(await checkKey(id)).toMatchObject({ agrees: true });
});

it.each([
  ['before the audit', 0],
  ['after it', hourMs],
])('tells an account that differs %s, and does not name the rebuild', async (_, ms) => {
  stopClock();
  const id = await usedKey();
  pass(ms);
  await sweepLedger();
  await spend(id, 5);

  const check = await checkKey(id);

  expect(check).toMatchObject({
    agrees: false,
    usage_differences: [],
    account_differences: [
      { figure: 'spent', kept: 14, charged: 9 },
      { figure: 'available', kept: 4_999_999_991, charged: 4_999_999_986 },
    ],
  });
  expect(describeChecks([check])).not.toContain('rebuild');
});

it('compares no account whose window began before the charges that are read', async () => {
  stopClock('2026-11-10T12:00:00.000Z');
  const id = await usedKey();
  pass(24 * hourMs);

  expect(await checkKey(id, '2026-11-11')).toMatchObject({
    ...{ agrees: true, charges: 0, compares_account: false },
  });
  expect(await checkKey(id, '2026-11-10')).toMatchObject({
    ...{ agrees: true, charges: 1, compares_account: true },
  });
});

it('knows since when what is spent counts, though another duration has moved the window', async () => {
  stopClock('2026-11-10T12:00:00.000Z');
  const team = await createTeam({ name: 'mover', budget_usd: 5, duration: null });
  const id = await usedKey({ team: team.id });
  pass(24 * hourMs);
  await sweepLedger();
  await changeKey(id, { duration: '1h' });
  await changeTeam(team.id, { duration: '1h' });

  for (const check of [await checkKey(id, '2026-11-11'), await checkTeam(team.id, '2026-11-11')]) {
    expect(check).toMatchObject({ agrees: true, compares_account: false });
  }
  for (const check of [await checkKey(id, '2026-11-10'), await checkTeam(team.id, '2026-11-10')]) {
    expect(check).toMatchObject({ agrees: true, compares_account: true, charges: 1 });
  }
});

it('counts from the change of a duration no longer once the budget has renewed', async () => {
  stopClock('2026-11-10T12:00:00.000Z');
  const id = await usedKey();
  await changeKey(id, { duration: '1d' });
  pass(36 * hourMs);
  await settle(await reserve(id, 1_000, { model: 'gpt-5', tags: [] }), cost);
  await changeKey(id, { duration: '1h' });
  pass(24 * hourMs);
  await sweepLedger();

  const check = await checkKey(id, '2026-11-11');

  expect(check).toMatchObject({ compares_account: true, account_differences: [] });
});

it("compares a team's account with what its keys were charged, those that have left it too", async () => {
  stopClock();
  const team = await createTeam({ name: 'company', budget_usd: 5, duration: null });
  const [shop, blog] = [await usedKey({ team: team.id }), await usedKey({ team: team.id })];
  await changeKey(blog, { team: null });

  const before = await checkTeam(team.id);
  pass(hourMs);
  await sweepLedger();
  const after = await checkTeam(team.id);
  await spend(team.id, 5);
  const wrong = await checkTeam(team.id);

  expect(before).toMatchObject({ agrees: true, charges: 2, under_way: { epochs: 1 } });
  expect(after).toMatchObject({ agrees: true, charges: 2, under_way: { epochs: 0 } });
  expect(wrong).toMatchObject({
    agrees: false,
    account_differences: [
      { figure: 'spent', kept: 23, charged: 18 },
      { figure: 'available', kept: 4_999_999_982, charged: 4_999_999_977 },
    ],
  });
  expect(describeChecks([await checkKey(shop)], [wrong])).toMatch(
    new RegExp(`${team.id} +account +spent +23 +18\\n[^]*Of 1 teams 0 agree`),
  );
});

it('finds nothing wrong with a key that was never used, and writes nothing for it', async () => {
  const { id } = await issueKey('unused', defaultLimits);

  expect(await checkKey(id)).toMatchObject({ agrees: true, charges: 0, compares_account: true });

  const { Count } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('USAGE_TABLE'),
      KeyConditionExpression: 'key_id = :key',
      ExpressionAttributeValues: { ':key': id },
    }),
  );
  expect(Count).toBe(0);
});
