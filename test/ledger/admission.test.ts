import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { requestsAttribute } from '../../shared/ledger/account/account.ts';
import { admit } from '../../shared/ledger/admission.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { release } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { nameAccount, putInTeam } from '../../shared/ledger/team.ts';
import {
  BudgetExceededError,
  ConcurrencyError,
  RequestsPerMinuteError,
} from '../../shared/ledger/terms/limit-errors.ts';
import { dayMs, minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import {
  accountOf,
  chargesOf,
  expectAtRest,
  followAccounts,
  usd,
} from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore();

const now = '2027-03-01T06:30:15.250Z';
useStoppedClock(now);

const expectSoundAccounts = followAccounts();
const requests = requestsAttribute(Date.parse(now));
const subject = { model: 'gpt-5-mini', tags: ['chat'] };

interface Limits {
  budget?: number;
  duration?: string;
  perMinute?: number;
  atOnce?: number;
}

async function open(
  of: 'key' | 'team',
  { budget, duration, perMinute, atOnce }: Limits = {},
): Promise<string> {
  const id = `${of}_${randomUUID()}`;
  await openAccount(id, '2027-03-01T00:00:00.000Z', {
    budget_usd: budget === undefined ? null : usd(budget),
    duration: duration ?? null,
    requests_per_minute: perMinute ?? null,
    max_concurrent: atOnce ?? null,
  });
  if (of === 'team') await nameAccount(id, 'Acme');
  return id;
}

/** Admits a request whose first call holds so much, at least. */
const admitFor = (keyId: string, holdNanoUsd = 10, signal = new AbortController().signal) =>
  admit(keyId, {}, { fit: () => ({ holdNanoUsd }) }, signal);

it('a request that is admitted counts once and is under way until it is ended, which costs nothing', async () => {
  const keyId = await open('key', { budget: 400 });

  const admission = await admitFor(keyId, 400);
  const during = await accountOf(keyId);
  await Promise.all([admission.end(), admission.end()]);
  await admission.end();

  expect(during).toMatchObject({ available: 400, held: 0, running: 1, [requests]: 1 });
  expect(await accountOf(keyId)).toMatchObject({
    ...{ available: 400, held: 0, spent: 0, running: 0, [requests]: 1 },
  });
  expect(await chargesOf(keyId)).toEqual([]);
  await expectSoundAccounts();
});

it('the calls of a request that is admitted count for nothing more, and may take all that the key has', async () => {
  const keyId = await open('key', { budget: 400, perMinute: 1, atOnce: 1 });
  const admission = await admitFor(keyId, 300);

  const hold = await reserve(keyId, 400, subject, { asRequest: false });
  const during = await accountOf(keyId);
  await release(hold);
  const between = await accountOf(keyId);
  await admission.end();

  expect(during).toMatchObject({ held: 400, running: 1, [requests]: 1 });
  expect(between).toMatchObject({ held: 0, running: 1 });
  expect(await accountOf(keyId)).toMatchObject({ held: 0, running: 0, [requests]: 1 });
});

it.each([
  ['requests a minute', { perMinute: 3 }, RequestsPerMinuteError],
  ['requests at once', { atOnce: 3 }, ConcurrencyError],
])('of twelve at once a key has as many admitted as it may make %s', async (_, limits, refusal) => {
  const keyId = await open('key', limits);

  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => admitFor(keyId)));

  const refusals = outcomes.flatMap((each) => (each.status === 'rejected' ? each.reason : []));
  expect(refusals).toHaveLength(9);
  for (const error of refusals) expect(error).toBeInstanceOf(refusal);
  expect(await accountOf(keyId)).toMatchObject({ held: 0, running: 3, [requests]: 3 });
});

it('a request is refused as its call would be for money, and counts for nothing then', async () => {
  const keyId = await open('key', { budget: 400 });

  const refused = admitFor(keyId, 500);

  await expect(refused).rejects.toThrow(
    'may cost up to $0.0000005, and $0.0000004 of $0.0000004 remain',
  );
  expect((await accountOf(keyId)).running).toBeUndefined();
});

it('a request that costs nothing is admitted without a budget', async () => {
  const admission = await admitFor(await open('key', { budget: 0 }), 0);

  await admission.end();
});

it('a team that lacks the money refuses the request of its key, which counts for nothing then', async () => {
  const team = await open('team', { budget: 300 });
  const keyId = await open('key', { budget: 1_000, perMinute: 1, atOnce: 1 });
  await putInTeam(keyId, team);

  const error = await admitFor(keyId, 301).catch((refusal: unknown) => refusal);
  const admission = await admitFor(keyId, 300);

  expect(error).toBeInstanceOf(BudgetExceededError);
  expect(error).toMatchObject({ details: { budget: { limit: 'team_budget' } } });
  expect(await accountOf(keyId)).toMatchObject({ held: 0, running: 1, [requests]: 1 });
  expect(await accountOf(team)).toMatchObject({ held: 0, available: 300 });
  await admission.end();
  expect(await accountOf(keyId)).toMatchObject({ running: 0 });
  await expectSoundAccounts();
});

it('a request ends when its time is up', async () => {
  const keyId = await open('key', { atOnce: 1 });
  const time = new AbortController();
  await admitFor(keyId, 10, time.signal);

  time.abort();

  await expect.poll(() => accountOf(keyId), { timeout: 10_000 }).toMatchObject({ running: 0 });
});

it('a request ends in the window after the one in which it was admitted', async () => {
  const keyId = await open('key', { budget: 400, duration: '1d' });
  const admission = await admitFor(keyId);
  pass(dayMs);
  await release(await reserve(keyId, 10, subject));

  await admission.end();

  expect(await accountOf(keyId)).toMatchObject({ held: 0, running: 0, window_number: 1 });
  await expectSoundAccounts();
});

it('the audit ends a request whose function has died, and one that ends later changes nothing', async () => {
  const keyId = await open('key', { budget: 400 });
  const admission = await admitFor(keyId);

  pass(27 * minuteMs);
  await sweepLedger();
  const audited = await accountOf(keyId);
  await admission.end();
  await sweepLedger();

  expectAtRest(audited);
  expectAtRest(await accountOf(keyId));
  await expectSoundAccounts();
});
