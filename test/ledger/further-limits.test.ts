import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  eraseCustomer,
  furtherAccounts,
  raiseCustomer,
  readCustomers,
  readFurther,
  setFurtherLimits,
} from '../../shared/ledger/owner-limits.ts';
import { grow } from '../../shared/ledger/parts/grow.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { type Hold, reserveByPlan } from '../../shared/ledger/reserve.ts';
import { release, settle } from '../../shared/ledger/settle.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import { parseFurtherLimit } from '../../shared/ledger/terms/further-limit.ts';
import { dayMs, minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { chargesOf, partsOf } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore({ queues: true });
useStoppedClock();

const noLimits = {
  budget_usd: null,
  duration: null,
  requests_per_minute: null,
  max_concurrent: null,
};

async function newAccount(of: 'key' | 'team', ...limits: string[]): Promise<string> {
  const id = `${of}_${randomUUID()}`;
  await openAccount(id, new Date().toISOString(), noLimits, of === 'team' ? 'Acme' : undefined);
  await setFurtherLimits(id, limits);
  return id;
}

/** Holds so many nano-dollars, and tokens, for a call of a model and a customer. */
async function hold(
  keyId: string,
  amount: number,
  model = 'gpt-5',
  customer?: string,
): Promise<Hold> {
  const plan = { fit: () => ({ holdNanoUsd: amount, tokens: amount }) };
  const subject = { model, tags: [], ...(customer !== undefined && { metadata: { customer } }) };
  return (await reserveByPlan(keyId, plan, subject)).hold;
}

const spend = (held: Hold, amount: number) =>
  settle(held, {
    costNanoUsd: amount,
    figures: 'exact',
    promptTokens: amount,
    completionTokens: 0,
  });

const usedOf = async (id: string, customer?: string) =>
  Object.fromEntries((await readFurther(id, customer)).map(({ limit, used }) => [limit, used]));

const refusal = { code: expect.stringMatching(/budget_exceeded|rate_limit_exceeded/) };

it('counts a call against the limits of its key and team that are of all models, or of its own', async () => {
  const key = await newAccount('key', 'budget-usd=0.000001/day', 'gpt-5:tokens-per-minute=900');
  const team = await newAccount('team', 'gpt-4o:budget-usd=0.000000100/day');
  await putInTeam(key, team);

  await spend(await hold(key, 300), 200);
  pass(1);
  await spend(await hold(key, 100, 'gpt-4o'), 90);

  expect(await usedOf(key)).toEqual({
    'budget-usd=0.000001/day': 290e-9,
    'gpt-5:tokens-per-minute=900': 200,
  });
  expect(await usedOf(team)).toEqual({ 'gpt-4o:budget-usd=0.000000100/day': 90e-9 });
  await expect(hold(key, 701)).rejects.toMatchObject(refusal);
  await expect(hold(key, 11, 'gpt-4o')).rejects.toMatchObject(refusal);
  expect(await chargesOf(key)).toMatchObject([
    { further: expect.any(Object), hold_tokens: 300 },
    { further: expect.any(Object), hold_tokens: 100 },
  ]);
});

it('goes on with what is spent where only the amount of a limit changes, and begins another anew', async () => {
  const key = await newAccount('key', 'budget-usd=0.000001/day');
  await spend(await hold(key, 600), 600);

  await setFurtherLimits(key, ['budget-usd=0.000002/day', 'budget-usd=0.000001/month']);

  expect(await readFurther(key)).toMatchObject([
    { limit: 'budget-usd=0.000002/day', max: 2e-6, used: 600e-9 },
    { limit: 'budget-usd=0.000001/month', max: 1e-6, used: 0 },
  ]);
  await hold(key, 1_000);
});

it('holds on no limit that was taken away, and settles there what was held before', async () => {
  const key = await newAccount('key', 'budget-usd=0.000001/day');
  const before = await hold(key, 900);

  await setFurtherLimits(key, []);
  const after = await hold(key, 5_000);
  await spend(before, 800);

  expect(after.charge.further).toBeUndefined();
  expect(before.charge.further).toBeDefined();
});

it('counts on every part of a key what it is limited to, and keeps it as the key grows', async () => {
  const key = await newAccount('key');
  await grow(key);
  await setFurtherLimits(key, ['budget-usd=0.000001/day']);
  await grow(key);

  const holds = await Promise.allSettled(Array.from({ length: 20 }, () => hold(key, 100)));

  expect((await partsOf(key)).every(({ limits }) => limits === 1)).toBe(true);
  expect(holds.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
});

it('lets nobody pass the tokens of a minute by asking at once, and has them anew in the next', async () => {
  const key = await newAccount('key', 'tokens-per-minute=1000');

  const holds = await Promise.allSettled(Array.from({ length: 64 }, () => hold(key, 100)));
  const held = holds.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  await Promise.all(held.map((each) => spend(each, 50)));
  const more = await Promise.allSettled(Array.from({ length: 64 }, () => hold(key, 100)));
  for (const each of more) if (each.status === 'fulfilled') await release(each.value);
  pass(minuteMs);

  expect(held).toHaveLength(10);
  expect(more.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  await hold(key, 1_000);
});

it('gives each customer an account with the first call, though many come at once', async () => {
  const key = await newAccount('key', 'customer:budget-usd=0.000000300/day');

  const names = Array.from({ length: 12 }, (_, index) => `c${index % 3}`);
  const holds = await Promise.allSettled(names.map((name) => hold(key, 100, 'gpt-5', name)));
  await hold(key, 300);
  await expect(hold(key, 1)).rejects.toMatchObject(refusal);

  expect(holds.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
  const customers = await Array.fromAsync(readCustomers(key));
  expect(customers.map(({ customer, held }) => [customer, held]).toSorted()).toEqual([
    ['', 300e-9],
    ['c0', 300e-9],
    ['c1', 300e-9],
    ['c2', 300e-9],
  ]);
});

it.each([1, 2])('gives one customer more in this window alone, in %i parts', async (parts) => {
  const tokens = 'customer:tokens-per-minute=900';
  const key = await newAccount('key', 'customer:budget-usd=0.000000300/1d', tokens);
  await spend(await hold(key, 300, 'gpt-5', 'ada'), 300);
  await spend(await hold(key, 300, 'gpt-5', 'bob'), 300);
  const [ada] = (await Array.fromAsync(furtherAccounts(key))).filter((id) => id.includes('~u'));
  if (parts > 1) expect(await grow(ada ?? '')).toBe(true);
  const name = (await Array.fromAsync(readCustomers(key)))[0]?.customer ?? '';
  const other = name === 'ada' ? 'bob' : 'ada';

  await raiseCustomer(key, name, 200e-9);
  await setFurtherLimits(key, ['customer:budget-usd=0.000000400/1d', tokens]);
  await spend(await hold(key, 300, 'gpt-5', name), 300);

  await expect(hold(key, 1, 'gpt-5', name)).rejects.toMatchObject(refusal);
  await expect(hold(key, 101, 'gpt-5', other)).rejects.toMatchObject(refusal);
  const readings = await readFurther(key, name);
  expect(readings.map(({ max, unit }) => [max, unit])).toEqual([
    [600e-9, 'usd'],
    [900, 'tokens'],
  ]);
  pass(dayMs);
  expect((await readFurther(key, name))[0]).toMatchObject({ max: 400e-9, used: 0 });
  await hold(key, 400, 'gpt-5', name);
  await expect(hold(key, 1, 'gpt-5', name)).rejects.toMatchObject(refusal);
  await expect(raiseCustomer(key, 'eve', 1)).rejects.toThrow(/^No customer "eve"/);
});

it('erases a customer’s name, and what was spent stays', async () => {
  const key = await newAccount('key', 'customer:budget-usd=0.000000300/day');
  await spend(await hold(key, 300, 'gpt-5', 'ada'), 300);
  await spend(await hold(key, 100), 100);

  const erased = await eraseCustomer(key, 'ada');
  const again = [await eraseCustomer(key, 'ada'), await eraseCustomer(key, '')];

  expect([erased, ...again]).toEqual([true, false, false]);
  const customers = await Array.fromAsync(readCustomers(key));
  expect(customers.map(({ customer, used }) => [customer, used]).toSorted()).toEqual([
    ['', 100e-9],
    ['erased', 300e-9],
  ]);
  await expect(hold(key, 1, 'gpt-5', 'ada')).rejects.toMatchObject(refusal);
});

it('takes a customer’s name of any kind, of which none shows in its account’s id', async () => {
  const key = await newAccount('key', 'customer:budget-usd=0.000001/day');
  const odd = ['a~b#1', '😀'.repeat(128), ' '];

  for (const name of odd) await spend(await hold(key, 100, 'gpt-5', name), 10);

  for (const name of odd) expect(Object.values(await usedOf(key, name))).toEqual([10e-9]);
});

it.each([
  'budget-usd=5/day',
  'budget-usd=0.5',
  'budget-usd=5/month@Europe/Berlin',
  'budget-usd=5/30d',
  'budget-usd=5/month-15@Europe/Berlin',
  'budget-usd=5/week-friday',
  'budget-usd=5/year-04-06',
  'gpt-5:budget-usd=50/quarter',
  'anthropic/claude:1:budget-usd=1/year',
  'customer:gpt-5:budget-usd=2/week',
  'tokens-per-minute=200000',
  'gpt-5:requests-per-minute=60',
  'customer:max-concurrent=0',
  'user:gpt-5:budget-usd=2/day',
])('reads %s', (text) => {
  expect(parseFurtherLimit(text)).toMatchObject({ name: text });
});

it.each([
  '',
  'budget-usd',
  'budget-usd=-1/day',
  'budget-usd=1e3/day',
  'budget-usd=5/',
  'budget-usd=5/fortnight',
  'budget-usd=5/day@Mars/City',
  'budget-usd=5/day@+02:00',
  'budget-usd=5/0d',
  'budget-usd=5/day-2',
  'budget-usd=5/month-32',
  'budget-usd=5/month-',
  'budget-usd=1000001/day',
  'budget-usd=0.0000000001/day',
  'tokens-per-minute=1.5',
  'tokens-per-minute=5/day',
  'requests-per-minute=9999999999',
  'tokens-per-day=5',
  ':budget-usd=5',
  'gpt-5:customer:budget-usd=5 /day',
])('reads no limit in "%s"', (text) => {
  expect(parseFurtherLimit(text)).toBeUndefined();
});
