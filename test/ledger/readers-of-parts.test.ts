import { expect, it } from 'vitest';
import { issueKey, readKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { reportLimits } from '../../shared/keys/limits-report.ts';
import { createTeam, teamRecord } from '../../shared/keys/team.ts';
import { closeParts } from '../../shared/ledger/parts/close.ts';
import { grow } from '../../shared/ledger/parts/grow.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import { checkKey, checkTeam } from '../../shared/usage/check.ts';
import { rebuildUsage } from '../../shared/usage/count.ts';
import { exportUsage } from '../../shared/usage/export.ts';
import type { EndedCharge } from '../../shared/usage/figures.ts';
import { summariesOf } from '../../shared/usage/key-summary.ts';
import { rollUpUsage } from '../../shared/usage/roll-up.ts';
import { setWebhook } from '../../shared/webhooks/set-webhook.ts';
import { watchSpend } from '../../shared/webhooks/watch-spend.ts';
import { hourMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { chargesOf, partsOf } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';
import { eventOf, usageOf } from '../support/worlds/usage-world.ts';
import { bodyOf, eventsOf, recordsOf } from '../support/worlds/webhook-world.ts';

await useStore({ queues: true });

useStoppedClock('2026-11-20T10:00:00.000Z');

const nano = 1e9;
const subject = { model: 'gpt-5', tags: ['chat'] };

/** A key with a budget of $10, in four parts. */
async function keyInParts(limits: object = {}): Promise<string> {
  const { id } = await issueKey('busy', { ...defaultLimits, budget_usd: 10, ...limits });
  for (let open = 1; open < 4; open *= 2) expect(await grow(id)).toBe(true);
  return id;
}

async function spend(keyId: string, usd: number): Promise<void> {
  const hold = await reserve(keyId, usd * nano, subject);
  await settle(hold, {
    costNanoUsd: usd * nano,
    figures: 'exact',
    promptTokens: 10,
    completionTokens: 1,
  });
}

async function spendInParts(keyId: string, calls: number, usd: number): Promise<void> {
  for (let call = 0; call < calls; call += 1) await spend(keyId, usd);
  const charges = await chargesOf(keyId);
  expect(new Set(charges.map(({ key_id }) => key_id)).size).toBeGreaterThan(1);
  await rollUpUsage(eventOf(charges as EndedCharge[]));
}

it('are the limits of a key and of its team, which are those of all parts', async () => {
  const team = await createTeam({ name: 'busy', budget_usd: 20, duration: null });
  const id = await keyInParts();
  await putInTeam(id, team.id);
  expect(await grow(team.id)).toBe(true);
  await spendInParts(id, 12, 0.5);

  const report = await reportLimits({ keyId: id, limits: JSON.stringify(defaultLimits) } as never);

  expect(report.budget).toMatchObject({ max_usd: 10, used_usd: 6, remaining_usd: 4, held_usd: 0 });
  expect(report.team).toMatchObject({ max_usd: 20, used_usd: 6, remaining_usd: 14 });
  expect((await teamRecord(team, [])).budget).toMatchObject({ max_usd: 20, used_usd: 6 });
  const summary = (await summariesOf([await readKey(id)])).get(id);
  expect(summary?.budget).toMatchObject({ max_usd: 10, used_usd: 6, remaining_usd: 4 });
  expect(summary?.last_used_at).toBe('2026-11-20T10:00:00.000Z');
});

it('are usage, its check and its rebuild, and the export: each charge once, under the key', async () => {
  const team = await createTeam({ name: 'checked', budget_usd: 20, duration: null });
  const id = await keyInParts();
  await putInTeam(id, team.id);
  expect(await grow(team.id)).toBe(true);
  await spendInParts(id, 12, 0.5);
  await rollUpUsage(eventOf((await chargesOf(id)) as EndedCharge[]));

  expect((await usageOf(id))['total']).toMatchObject({ requests: 12, spend: 6 * nano });
  expect(await checkKey(id)).toMatchObject({ agrees: true, charges: 12, missed: 0 });
  expect(await checkTeam(team.id)).toMatchObject({ agrees: true, charges: 12 });
  pass(hourMs);
  await closeParts(id);
  await sweepLedger();
  expect(await checkKey(id)).toMatchObject({ agrees: true, under_way: { epochs: 0 } });
  expect(await checkTeam(team.id)).toMatchObject({ agrees: true, compares_account: true });
  expect(await rebuildUsage(id, true)).toMatchObject({ differences: [] });
  const days = { from: '2026-11-20', to: '2026-11-20' };
  const { lines } = exportUsage([{ id, name: 'busy' }], { days, by: [], where: {} });
  expect(await Array.fromAsync(lines)).toMatchObject([
    { key_id: id, requests: 12, prompt_tokens: 120, cost_usd: '6.000000000' },
  ]);
});

it('are webhooks, which are told 50, 80 and 100 % of the whole, once each', async () => {
  const id = await keyInParts();
  await setWebhook(id, 'https://example.com/hook');
  expect((await partsOf(id)).every(({ watched }) => watched)).toBe(true);
  const told = async () => {
    const all = await recordsOf('LEDGER_TABLE');
    const own = all.filter(({ dynamodb }) => dynamodb?.Keys?.['key_id']?.S?.startsWith(id));
    expect((await watchSpend({ Records: own })).batchItemFailures).toEqual([]);
    const events = await eventsOf(id);
    return events.map((event) => bodyOf(event).data as { percent: number; used_usd: number });
  };

  // All that one part has is a quarter.
  for (let call = 0; call < 4; call += 1) await spend(id, 1);
  expect(await told()).toEqual([]);
  await spend(id, 1);
  expect(await told()).toMatchObject([{ percent: 50, used_usd: 5, max_usd: 10 }]);
  expect(await grow(id)).toBe(true);
  await spend(id, 3);
  await spend(id, 1);
  expect((await told()).map(({ percent }) => percent)).toEqual([50, 80]);
  await spend(id, 1);
  await closeParts(id);
  await told();
  expect(await told()).toMatchObject([
    { percent: 50 },
    { percent: 80 },
    { percent: 100, used_usd: 10 },
  ]);
});
