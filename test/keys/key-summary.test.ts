import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import type { KeyRecord } from '../../shared/keys/key-record.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { countCharges } from '../../shared/usage/count.ts';
import type { KeySummary } from '../../shared/usage/key-summary.ts';
import type { Spenders } from '../../shared/usage/spenders.ts';
import { runCommand } from '../support/servers/command.ts';
import { dayMs } from '../support/worlds/clock.ts';
import { keyed, submittedBy } from '../support/worlds/jobs.ts';
import { writeStageOf } from '../support/worlds/operators-world.ts';
import { useStore } from '../support/worlds/store.ts';
import { endedCharge } from '../support/worlds/usage-world.ts';

await useStore({ queues: true });
const dataDir = mkdtempSync(join(tmpdir(), 'quire-standing-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const keys = (...args: string[]) => runCommand('keys', dataDir, [...args, '--data', dataDir]);

/** Five keys: one never used, the others as their names say. */
beforeAll(async () => {
  writeStageOf(dataDir);
  const subject = { model: 'gpt-5-mini', tags: ['chat'] };
  const nano = 1e9;
  const issue = (name: string, budget_usd: number | null) =>
    issueKey(name, { ...defaultLimits, budget_usd, duration: budget_usd === null ? null : '30d' });
  const spend = async (id: string, usd: number) => {
    const hold = await reserve(id, usd * nano, subject);
    const used = { figures: 'exact', promptTokens: 1, completionTokens: 1 } as const;
    await settle(hold, { costNanoUsd: usd * nano, ...used });
  };
  const [idle, big, tight, holder] = [
    await issue('idle', null),
    await issue('big spender', null),
    await issue('almost spent', 1),
    await issue('holder', 5),
  ];
  await spend(big.id, 3);
  await spend(tight.id, 0.75);
  await reserve(holder.id, 2 * nano, subject);
  await submittedBy(keyed(idle.id));
  const at = (daysAgo: number) => new Date(Date.now() - daysAgo * dayMs).toISOString();
  const charges = { model: 'gpt-5-mini', prompt_tokens: 10, completion_tokens: 5 };
  await countCharges(big.id, [
    await endedCharge(big.id, { ...charges, cost: nano }),
    await endedCharge(big.id, { ...charges, model: 'gpt-5', cost: 2 * nano, ended_at: at(3) }),
    await endedCharge(big.id, { ...charges, cost: 90 * nano, ended_at: at(9) }),
  ]);
  await countCharges(tight.id, [
    await endedCharge(tight.id, { ...charges, cost: nano, failed: true }),
  ]);
});

async function listed(...args: string[]): Promise<(KeyRecord & KeySummary)[]> {
  const { stdout, stderr } = await keys('list', ...args, '--json');
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as { keys: (KeyRecord & KeySummary)[] }).keys;
}

it('a list of keys tells what each has spent, holds and has left, when it was used, and its jobs', async () => {
  const [idle, big, tight, holder] = await listed();

  expect(idle).toMatchObject({
    budget: { used_usd: 0, unlimited: true },
    ...{ last_used_at: null, jobs: { queued: 1, running: 0 } },
  });
  expect(big?.budget).toMatchObject({ used_usd: 3, unlimited: true });
  expect(Date.now() - Date.parse(big?.last_used_at ?? '')).toBeLessThan(dayMs);
  expect(tight?.budget).toMatchObject({ used_usd: 0.75, remaining_usd: 0.25, duration: '30d' });
  expect(holder?.budget).toMatchObject({ used_usd: 0, held_usd: 2, remaining_usd: 3 });
});

it.each([
  ['spent', ['big spender', 'almost spent', 'idle', 'holder']],
  ['left', ['almost spent', 'holder', 'idle', 'big spender']],
  ['queued', ['idle', 'big spender', 'almost spent', 'holder']],
  ['name', ['almost spent', 'big spender', 'holder', 'idle']],
])('a list of keys can be sorted by %s', async (by, names) => {
  expect((await listed('--sort', by)).map(({ name }) => name)).toEqual(names);
});

it('a list of keys can be sorted by their last use, those that were never used last', async () => {
  const names = (await listed('--sort', 'used')).map(({ name }) => name);

  expect(names.slice(0, 2).sort()).toEqual(['almost spent', 'big spender']);
  expect(names.slice(2)).toEqual(['idle', 'holder']);
});

it('top lists who spent most in some days, and what they all did', async () => {
  const { stdout } = await keys('top', '--days', '7', '--json');
  const { stdout: one } = await keys('top', '--days', '1', '--limit', '1');

  expect(JSON.parse(stdout) as Spenders).toMatchObject({
    ...{ total_usd: 4, used: 2 },
    keys: [
      {
        ...{ name: 'big spender', spend_usd: 3, requests: 2, failed_requests: 0, tokens: 30 },
        top_model: 'gpt-5',
      },
      { name: 'almost spent', spend_usd: 1, requests: 1, failed_requests: 1 },
    ],
  });
  expect(one).toMatch(/^2 keys spent \$2\.00 on \d{4}-\d\d-\d\d:\n\nkey +name +spent +share/);
  expect(one.trimEnd().split('\n')).toHaveLength(4);
});

it.each([
  [['list', '--sort', 'age'], '--sort takes spent, left, used, queued or name, not "age".'],
  [['top', '--days', '0'], '--days takes a whole number from 1 to 400, not "0".'],
])('refuses in one sentence: %j', async (args, sentence) => {
  expect(await keys(...args)).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` });
});
