import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { reportLimits } from '../../shared/keys/limits-report.ts';
import { changeAccountLimits } from '../../shared/ledger/change-limits.ts';
import { grow } from '../../shared/ledger/parts/grow.ts';
import { findWhole, readRenewed } from '../../shared/ledger/parts/whole.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { BudgetExceededError } from '../../shared/ledger/terms/limit-errors.ts';
import { minuteMs, useStoppedClock } from '../support/worlds/clock.ts';
import { interleave } from '../support/worlds/interleave.ts';
import { accountOf, chargesOf, usd } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore();

const subject = { model: 'gpt-5-mini', tags: ['chat'] };
const costing = (costNanoUsd: number) =>
  ({ costNanoUsd, figures: 'exact', promptTokens: 1, completionTokens: 1 }) as const;
const createdAt = '2027-03-01T00:00:00.000Z';
const borderMs = Date.parse('2027-03-02T00:00:00.000Z');

useStoppedClock(createdAt);

/** An account of its own with 1000 nano-dollars a day. */
async function newAccount(duration = '1d'): Promise<string> {
  const keyId = `key_${randomUUID()}`;
  const limits = {
    budget_usd: usd(1000),
    duration,
    requests_per_minute: null,
    max_concurrent: null,
  };
  await openAccount(keyId, createdAt, limits);
  return keyId;
}

async function spend(keyId: string, cost: number): Promise<void> {
  await settle(await reserve(keyId, cost, subject), costing(cost));
}

const budgetReported = async (keyId: string) =>
  (await reportLimits({ keyId, limits: JSON.stringify(defaultLimits) })).budget;

it('refuses until the last millisecond of a window, and grants in the first of the next', async () => {
  const keyId = await newAccount();
  await spend(keyId, 1000);

  vi.setSystemTime(borderMs - 1);
  const before = reserve(keyId, 1, subject);
  await expect(before).rejects.toBeInstanceOf(BudgetExceededError);
  vi.setSystemTime(borderMs);
  const { account } = await reserve(keyId, 600, subject);

  expect(account).toMatchObject({
    available: 400,
    held: 600,
    spent: 0,
    window_starts_at: '2027-03-02T00:00:00.000Z',
    window_ends_at: '2027-03-03T00:00:00.000Z',
  });
});

it('renews into the window of now where whole windows went by unused', async () => {
  const keyId = await newAccount();
  await spend(keyId, 1000);

  vi.setSystemTime(Date.parse('2028-02-29T17:00:00.000Z'));
  const { account } = await reserve(keyId, 1000, subject);

  expect(account).toMatchObject({
    window_starts_at: '2028-02-29T00:00:00.000Z',
    window_ends_at: '2028-03-01T00:00:00.000Z',
  });
});

it('counts a hold across the border, and its cost in the window in which it was held', async () => {
  const keyId = await newAccount();
  await spend(keyId, 100);
  vi.setSystemTime(borderMs - minuteMs);
  const hold = await reserve(keyId, 700, subject);
  vi.setSystemTime(borderMs);

  const tooMuch = await reserve(keyId, 301, subject).catch((error: Error) => error);
  const { account } = await reserve(keyId, 300, subject);
  const settled = await settle(hold, costing(500));

  expect(tooMuch).toMatchObject({
    details: {
      budget: {
        max_usd: usd(1000),
        used_usd: 0,
        held_usd: usd(700),
        remaining_usd: usd(300),
        reset_at: '2027-03-03T00:00:00.000Z',
        request_max_usd: usd(301),
      },
    },
  });
  expect(account).toMatchObject({ available: 0, held: 1000, spent: 0 });
  expect(settled).toMatchObject({ available: 700, held: 300, spent: 0 });
  expect(await chargesOf(keyId)).toMatchObject([{ window: 0 }, { window: 0, cost: 500 }]);
});

it('begins a window once, however many requests meet the end of the last', async () => {
  const keyId = await newAccount();
  await spend(keyId, 900);
  vi.setSystemTime(borderMs);

  const holds = await Promise.allSettled(
    Array.from({ length: 30 }, () => reserve(keyId, 100, subject)),
  );

  expect(holds.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  expect(await accountOf(keyId)).toMatchObject({ available: 0, held: 1000, spent: 0 });
});

it('keeps what was spent since the window began from one who saw the last window end', async () => {
  const keyId = await newAccount();
  vi.setSystemTime(borderMs);
  const seesTheEndFirst = [1, 0];
  const thenTheOtherGoesOn = -1;

  await interleave<unknown>(
    [() => spend(keyId, 1000), () => reserve(keyId, 1, subject)].map((run) => ({ run })),
    () => seesTheEndFirst.shift() ?? thenTheOtherGoesOn,
  );

  expect(await accountOf(keyId)).toMatchObject({ available: 0, held: 0, spent: 1000 });
});

it('reports a window that has ended as renewed, before anything is spent in the next', async () => {
  const keyId = await newAccount();
  await spend(keyId, 300);
  await reserve(keyId, 200, subject);

  vi.setSystemTime(borderMs - 1);
  const last = await budgetReported(keyId);
  vi.setSystemTime(borderMs);
  const next = await budgetReported(keyId);

  expect(last).toEqual({
    max_usd: usd(1000),
    used_usd: usd(300),
    remaining_usd: usd(500),
    held_usd: usd(200),
    unlimited: false,
    reset_at: '2027-03-02T00:00:00.000Z',
    duration: '1d',
    calendar: null,
    reset_at_local: '2027-03-02T00:00:00.000Z',
  });
  expect(next).toEqual({
    max_usd: usd(1000),
    used_usd: 0,
    remaining_usd: usd(800),
    held_usd: usd(200),
    unlimited: false,
    reset_at: '2027-03-03T00:00:00.000Z',
    duration: '1d',
    calendar: null,
    reset_at_local: '2027-03-03T00:00:00.000Z',
  });
});

it.each([
  ['a raise', { budget_usd: usd(2000), duration: '1d' }, 2000],
  ['another duration', { budget_usd: usd(1000), duration: '1h' }, 1000],
  ['no duration any more', { budget_usd: usd(1000), duration: null }, 1000],
])('forgets what an ended window spent when limits change: %s', async (_, limits, ceiling) => {
  const keyId = await newAccount();
  await spend(keyId, 700);
  await reserve(keyId, 200, subject);
  vi.setSystemTime(borderMs + 1);

  await changeAccountLimits(keyId, { ...limits, requests_per_minute: null, max_concurrent: null });

  const account = await accountOf(keyId);
  expect(account).toMatchObject({ ceiling, available: ceiling - 200, held: 200, spent: 0 });
});

it('keeps what a running window has spent and holds when limits change', async () => {
  const keyId = await newAccount();
  await spend(keyId, 700);
  const hold = await reserve(keyId, 200, subject);

  await changeAccountLimits(keyId, {
    budget_usd: usd(400),
    duration: '1h',
    requests_per_minute: null,
    max_concurrent: null,
  });
  const cut = await accountOf(keyId);
  const refused = await reserve(keyId, 1, subject).catch((error: Error) => error);
  const settled = await settle(hold, costing(150));

  expect(cut).toMatchObject({ ceiling: 400, available: -500, held: 200, spent: 700 });
  expect(refused).toMatchObject({ details: { budget: { remaining_usd: 0 } } });
  expect(settled).toMatchObject({ available: -450, held: 0, spent: 850 });
  expect(await budgetReported(keyId)).toMatchObject({
    max_usd: usd(400),
    used_usd: usd(850),
    remaining_usd: 0,
    reset_at: '2027-03-01T01:00:00.000Z',
  });
});

it('renews by the calendar of its zone, and says when by the zone’s clock', async () => {
  vi.setSystemTime(Date.parse('2027-03-28T12:00:00Z'));
  const keyId = await newAccount('month from 31, Europe/Berlin');
  await spend(keyId, 1000);
  const border = Date.parse('2027-03-31T00:00:00+02:00');

  vi.setSystemTime(border - 1);
  const refused = await reserve(keyId, 1, subject).catch((error: Error) => error);
  const last = await budgetReported(keyId);
  vi.setSystemTime(border);
  const next = await budgetReported(keyId);
  const { account } = await reserve(keyId, 600, subject);

  expect(refused).toMatchObject({
    message: expect.stringContaining('The budget resets at 2027-03-31T00:00:00+02:00.'),
    details: { budget: { reset_at: '2027-03-30T22:00:00.000Z' } },
    retryAfterSeconds: 1,
  });
  expect(last).toMatchObject({
    used_usd: usd(1000),
    reset_at: '2027-03-30T22:00:00.000Z',
    duration: '1mo',
    calendar: 'month from 31, Europe/Berlin',
    reset_at_local: '2027-03-31T00:00:00+02:00',
  });
  expect(next).toMatchObject({ used_usd: 0, reset_at_local: '2027-04-30T00:00:00+02:00' });
  expect(account).toMatchObject({
    ...{ available: 400, held: 600, spent: 0, window_number: 1 },
    window_starts_at: '2027-03-30T22:00:00.000Z',
    window_ends_at: '2027-04-29T22:00:00.000Z',
  });
});

it('keeps what was spent where a duration becomes a calendar, and the other way', async () => {
  const keyId = await newAccount('30d');
  await spend(keyId, 700);
  const limits = { budget_usd: usd(1000), requests_per_minute: null, max_concurrent: null };

  await changeAccountLimits(keyId, { ...limits, duration: 'week, America/New_York' });
  const byWeek = await accountOf(keyId);
  await changeAccountLimits(keyId, { ...limits, duration: '1d' });

  expect(byWeek).toMatchObject({
    ...{ available: 300, spent: 700, spent_since: createdAt },
    window_starts_at: '2027-02-22T05:00:00.000Z',
    window_ends_at: '2027-03-01T05:00:00.000Z',
  });
  expect(await accountOf(keyId)).toMatchObject({
    ...{ available: 300, spent: 700, window_ends_at: '2027-03-02T00:00:00.000Z' },
  });
});

describe('an extra', () => {
  const limits = { budget_usd: usd(1000), requests_per_minute: null, max_concurrent: null };
  const give = (keyId: string, extra?: number, budget = 1000) =>
    changeAccountLimits(keyId, {
      ...{ ...limits, budget_usd: usd(budget), duration: '1d' },
      extra_usd: extra === undefined ? undefined : usd(extra),
    });

  it('is spent beside the budget, and is gone with the window', async () => {
    const keyId = await newAccount();
    await spend(keyId, 1000);

    await give(keyId, 500);
    await spend(keyId, 300);
    const raised = await budgetReported(keyId);
    vi.setSystemTime(borderMs);
    const next = await budgetReported(keyId);
    const { account } = await reserve(keyId, 600, subject);

    expect(raised).toMatchObject({ max_usd: usd(1500), remaining_usd: usd(200) });
    expect(next).toMatchObject({ max_usd: usd(1000), remaining_usd: usd(1000) });
    expect(account).toMatchObject({ ceiling: 1000, available: 400, held: 600, spent: 0 });
    expect(account).not.toHaveProperty('extra');
  });

  it('stays as the budget changes, is set anew, and taken back', async () => {
    const keyId = await newAccount();
    const ceilings: number[] = [];
    const changes = [[500], [undefined, 2000], [100, 2000], [0, 1000]] as const;

    for (const [extra, budget] of changes) {
      await give(keyId, extra, budget);
      ceilings.push((await accountOf(keyId)).ceiling);
    }

    expect(ceilings).toEqual([1500, 2500, 2100, 1000]);
  });

  it('is gone with the window from each part, whatever was held and moved', async () => {
    const keyId = await newAccount();
    await give(keyId, 3000);
    await grow(keyId);
    await grow(keyId);
    const large = await reserve(keyId, 3600, subject);
    await settle(large, costing(2500));
    await reserve(keyId, 900, subject);
    const before = await findWhole(keyId);

    vi.setSystemTime(borderMs);
    const { account } = await readRenewed(keyId, borderMs);
    const refused = await reserve(keyId, 101, subject).catch((error: Error) => error);
    await reserve(keyId, 100, subject);

    expect(before).toMatchObject({ ceiling: 4000, extra: 3000, available: 600 });
    expect(account).toMatchObject({ ceiling: 1000, held: 900, spent: 0, available: 100 });
    expect(refused).toBeInstanceOf(BudgetExceededError);
    expect(await findWhole(keyId)).toMatchObject({ ceiling: 1000, available: 0 });
  });
});
