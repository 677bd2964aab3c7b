import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it, vi } from 'vitest';
import { deleteItem } from '../../shared/aws/write-item.ts';
import { setting } from '../../shared/config.ts';
import { accountKey } from '../../shared/ledger/account/account.ts';
import { keepCeiling } from '../../shared/ledger/ceiling.ts';
import { readSummed } from '../../shared/ledger/compare-account.ts';
import { leftAfter } from '../../shared/ledger/left-after.ts';
import { readFurther } from '../../shared/ledger/owner-limits.ts';
import { grow } from '../../shared/ledger/parts/grow.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { type Hold, reserveByPlan } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { endStanding, settleStanding } from '../../shared/ledger/settle-standing.ts';
import { holdStanding } from '../../shared/ledger/standing-hold.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { ceilingId, deploymentId } from '../../shared/ledger/terms/account-ids.ts';
import { writtenLines } from '../support/run/output.ts';
import { dayMs, minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { chargesOf, partsOf } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore({ queues: true });
useStoppedClock();

const nano = (amount: number) => (amount / 1e9).toFixed(9);

let days = 0;

/** Each test has a day of its own, and the one after, with a ceiling of 1,000 nano-dollars. */
beforeEach(async () => {
  vi.stubEnv('DAY_CEILING_USD', nano(1_000));
  days += 2;
  vi.setSystemTime((Math.ceil(Date.now() / dayMs) + days) * dayMs + minuteMs);
  await sweepLedger();
  await keepCeiling();
});

async function newKey(): Promise<string> {
  const id = `key_${randomUUID()}`;
  const limits = { budget_usd: null, duration: null, requests_per_minute: null };
  await openAccount(id, new Date().toISOString(), { ...limits, max_concurrent: null });
  return id;
}

const newKeys = (count: number) => Promise.all(Array.from({ length: count }, newKey));

async function hold(keyId: string, holdNanoUsd: number): Promise<Hold> {
  const plan = { fit: () => ({ holdNanoUsd }) };
  return (await reserveByPlan(keyId, plan, { model: 'gpt-5', tags: [] })).hold;
}

const spend = (held: Hold, costNanoUsd: number) =>
  settle(held, { costNanoUsd, figures: 'exact', promptTokens: 1, completionTokens: 0 });

const ceiling = async () => (await readFurther(deploymentId))[0];

const refused = { statusCode: 429, code: 'budget_exceeded' };

it.each([1, 4])('64 callers of eight keys at once do not pass it, in %i parts', async (parts) => {
  const keys = await newKeys(8);
  await spend(await hold(keys[0] ?? '', 100), 100);
  for (let open = 1; open < parts; open *= 2) expect(await grow(ceilingId)).toBe(true);

  const holds = await Promise.allSettled(
    Array.from({ length: 64 }, (_, index) => hold(keys[index % 8] ?? '', 100)),
  );

  expect(holds.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
  for (const each of holds)
    if (each.status === 'rejected') expect(each.reason).toMatchObject(refused);
  expect(await ceiling()).toMatchObject({ held: 900e-9, used: 100e-9, remaining: 0 });
});

it('tells a caller when the day is over, and nothing of what other keys spend', async () => {
  const [key = '', other = ''] = await newKeys(2);
  await spend(await hold(other, 950), 950);

  const refusal = await hold(key, 51).catch((error: unknown) => error);

  expect(refusal).toMatchObject(refused);
  expect(refusal).toMatchObject({
    message: expect.stringMatching(
      /^Budget exceeded: this service has reached what it may spend in a day\. The next day begins at \d{4}-\d\d-\d\dT00:00:00\.000Z\./,
    ),
    retryAfterSeconds: expect.any(Number),
    details: {},
  });
  const held = await hold(key, 50);
  expect(leftAfter(held, Date.now())?.availableNanoUsd).toBeGreaterThan(1e12);
  expect(JSON.stringify(refusal)).not.toContain('950');
});

it('tells a call that costs more than a whole day to send less, and not to wait', async () => {
  const [key = ''] = await newKeys(1);

  await expect(hold(key, 1_001)).rejects.toMatchObject({
    ...refused,
    retryAfterSeconds: null,
    message: expect.stringMatching(
      /may cost more than this service may spend in a day\. Send less/,
    ),
  });
});

it('is spent what the charges of all keys cost, whoever dies, and whole again on the next day', async () => {
  const keys = await newKeys(3);
  await grow(keys[0] ?? '');
  for (const key of keys) await spend(await hold(key, 100), 70);
  const dead = await hold(keys[1] ?? '', 300);
  pass(30 * minuteMs);

  await sweepLedger();

  const charges = (await Promise.all(keys.map(chargesOf))).flat();
  expect(charges).toHaveLength(3);
  expect(charges.map(({ entry }) => entry)).not.toContain(dead.charge.entry);
  expect(await ceiling()).toMatchObject({ used: 210e-9, held: 0 });
  const sum = await readSummed(ceilingId);
  for (const charge of charges) sum?.add(charge);
  expect(sum?.differences()).toEqual([]);
  pass(dayMs);
  await spend(await hold(keys[2] ?? '', 1_000), 1_000);
  expect(await ceiling()).toMatchObject({ used: 1e-6, remaining: 0 });
});

it('is held by what stands too, of a key that makes no other calls, and spent as its charges cost', async () => {
  const [key = ''] = await newKeys(1);
  const stand = (id: string, holdNanoUsd: number) =>
    holdStanding({ keyId: key, use: {}, id, holdNanoUsd, jobId: 'job_1' });
  await stand('b', 700);
  await expect(stand('c', 301)).rejects.toMatchObject(refused);

  const subject = { model: 'gpt-5', tags: [] };
  const cost = { figures: 'exact', promptTokens: 1, completionTokens: 1 } as const;
  const outcome = { ...cost, costNanoUsd: 400 };
  const line = {
    Put: { TableName: setting('LEDGER_TABLE'), Item: { key_id: key, entry: 'line' } },
  };
  await settleStanding(key, 'b', [{ subject, holdNanoUsd: 500, outcome, writes: [line] }]);
  expect((await readSummed(ceilingId))?.differences()).toEqual([]);
  pass(30 * minuteMs);
  await sweepLedger();
  expect(await ceiling()).toMatchObject({ used: 400e-9, held: 200e-9 });
  await endStanding(key, 'b');

  expect(await ceiling()).toMatchObject({ used: 400e-9, held: 0 });
});

it('is opened by a sum that stands, where nothing was held before', async () => {
  const [key = ''] = await newKeys(1);
  await deleteItem({ TableName: setting('LEDGER_TABLE'), Key: accountKey(ceilingId) });

  await holdStanding({ keyId: key, use: {}, id: 'b', holdNanoUsd: 700, jobId: 'job_1' });

  expect(await ceiling()).toMatchObject({ held: 700e-9 });
  await endStanding(key, 'b');
});

it('goes by another amount once the sweep has come, in all of its parts, with what was spent', async () => {
  const [key = ''] = await newKeys(1);
  await spend(await hold(key, 1_000), 1_000);
  await grow(ceilingId);
  vi.stubEnv('DAY_CEILING_USD', nano(1_500));

  await expect(hold(key, 400)).rejects.toMatchObject(refused);
  await keepCeiling();

  await spend(await hold(key, 400), 400);
  await expect(hold(key, 101)).rejects.toMatchObject(refused);
  expect(await ceiling()).toMatchObject({ limit: 'budget-usd=0.0000015/day', max: 1.5e-6 });
  expect((await partsOf(ceilingId)).reduce((all, each) => all + each.ceiling, 0)).toBe(1_500);
});

it('is measured each minute, and from 80 percent on the log has a line for the day', async () => {
  const [key = ''] = await newKeys(1);
  const near = /"day ceiling near"/;
  await spend(await hold(key, 790), 790);
  await keepCeiling();
  const quiet = writtenLines().filter((line) => near.test(line));

  await hold(key, 10);
  await keepCeiling();
  await keepCeiling();

  expect(quiet).toEqual([]);
  expect(writtenLines().filter((line) => near.test(line))).toHaveLength(1);
  expect(writtenLines().at(-1)).toMatch(/"CeilingPercent":80/);
});

it('costs nothing and limits nothing where none is set', async () => {
  const [key = ''] = await newKeys(1);
  vi.stubEnv('DAY_CEILING_USD', undefined);

  const before = writtenLines().length;
  const held = await hold(key, 5_000);
  await keepCeiling();

  expect(held.charge.further).toBeUndefined();
  expect(writtenLines()).toHaveLength(before);
});
