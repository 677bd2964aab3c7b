import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { completionError, detailError } from '../../shared/http/error-response.ts';
import { requestsAttribute } from '../../shared/ledger/account/account.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { release, settle } from '../../shared/ledger/settle.ts';
import {
  ConcurrencyError,
  RequestsPerMinuteError,
} from '../../shared/ledger/terms/limit-errors.ts';
import { useStoppedClock } from '../support/worlds/clock.ts';
import { accountOf, usd } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore();

const subject = { model: 'gpt-5-mini', tags: ['chat'] };
const createdAt = '2027-03-01T00:00:00.000Z';
const now = '2027-03-01T06:30:15.250Z';

useStoppedClock(now);

async function newAccount(
  budget: number | null,
  duration: string | null,
  requests_per_minute: number | null = null,
  max_concurrent: number | null = null,
): Promise<string> {
  const keyId = `key_${randomUUID()}`;
  const budget_usd = budget === null ? null : usd(budget);
  const requests = { requests_per_minute, max_concurrent };
  await openAccount(keyId, createdAt, { budget_usd, duration, ...requests });
  return keyId;
}

const refusalOf = (reserved: Promise<unknown>) =>
  reserved.then(
    () => {
      throw new Error('was not refused');
    },
    (error: Error) => error,
  );

describe('requests per minute', () => {
  it('lets exactly as many through as the limit says, of fifty at once', async () => {
    const keyId = await newAccount(null, null, 20);

    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, () => reserve(keyId, 10, subject)),
    );

    const refusals = outcomes.filter(({ status }) => status === 'rejected');
    expect(refusals).toHaveLength(30);
    for (const { reason } of refusals as PromiseRejectedResult[]) {
      expect(reason).toBeInstanceOf(RequestsPerMinuteError);
    }
    expect(await accountOf(keyId)).toMatchObject({
      held: 200,
      [requestsAttribute(Date.parse(now))]: 20,
    });
  });

  it('counts from nothing in the next minute', async () => {
    const keyId = await newAccount(null, null, 1);
    await reserve(keyId, 10, subject);

    vi.setSystemTime(Date.parse('2027-03-01T06:30:59.999Z'));
    const sameMinute = await refusalOf(reserve(keyId, 10, subject));
    vi.setSystemTime(Date.parse('2027-03-01T06:31:00.000Z'));
    const nextMinute = await reserve(keyId, 10, subject);

    expect(sameMinute).toBeInstanceOf(RequestsPerMinuteError);
    expect(nextMinute.account).toMatchObject({ held: 20 });
  });

  it('counts no request that the budget refuses', async () => {
    const keyId = await newAccount(100, null, 1);

    await refusalOf(reserve(keyId, 101, subject));
    const { account } = await reserve(keyId, 100, subject);

    expect(account).toMatchObject({ [requestsAttribute(Date.parse(now))]: 1 });
  });

  it('of none lets none through', async () => {
    const keyId = await newAccount(null, null, 0);

    const error = await refusalOf(reserve(keyId, 10, subject));

    expect(error).toBeInstanceOf(RequestsPerMinuteError);
    expect(error).toMatchObject({ retryAfterSeconds: null });
    expect(await accountOf(keyId)).toMatchObject({ held: 0 });
  });

  it('tells when to try again', async () => {
    const keyId = await newAccount(null, null, 1);
    await reserve(keyId, 10, subject);

    const error = await refusalOf(reserve(keyId, 10, subject));
    const { statusCode, headers, body } = completionError(error, 'req');

    expect(statusCode).toBe(429);
    expect(headers).toMatchObject({ 'retry-after': '45' });
    expect(headers).not.toHaveProperty('x-should-retry');
    expect(JSON.parse(body)).toEqual({
      error: {
        message:
          'Rate limit exceeded: this key may make 1 requests a minute. Try again when the next minute begins.',
        type: 'rate_limit_error',
        param: null,
        code: 'rate_limit_exceeded',
        rate_limit: { limit: 'requests_per_minute', max_requests: 1 },
      },
    });
  });
});

describe('requests at once', () => {
  it('are as many as the limit says, of fifty that begin together', async () => {
    const keyId = await newAccount(null, null, null, 5);

    const holds = await Promise.allSettled(
      Array.from({ length: 50 }, () => reserve(keyId, 10, subject)),
    );

    const refused = holds.flatMap((hold) => (hold.status === 'rejected' ? hold.reason : []));
    expect(refused).toHaveLength(45);
    for (const error of refused) expect(error).toBeInstanceOf(ConcurrencyError);
    expect(await accountOf(keyId)).toMatchObject({ held: 50, running: 5 });
  });

  it('make room for others when they end, however they end', async () => {
    const keyId = await newAccount(null, null, null, 2);
    const first = await reserve(keyId, 10, subject);
    const second = await reserve(keyId, 10, subject);

    const cost = {
      costNanoUsd: 4,
      figures: 'exact',
      promptTokens: 1,
      completionTokens: 1,
    } as const;
    await settle(first, cost);
    await release(second);

    const { account } = await reserve(keyId, 10, subject);
    expect(account).toMatchObject({ running: 1, held: 10, spent: 4 });
  });

  it('don’t count what is no request of its own', async () => {
    const keyId = await newAccount(null, null, null, 1);
    await reserve(keyId, 10, subject, { asRequest: false });
    await reserve(keyId, 10, subject);

    const { account } = await reserve(keyId, 10, subject, { asRequest: false });

    expect(account).toMatchObject({ running: 1, held: 30 });
  });

  it('say when to try again', async () => {
    const error = await refusalOf(reserve(await newAccount(null, null, null, 0), 10, subject));
    const keyId = await newAccount(null, null, null, 1);
    await reserve(keyId, 10, subject);
    const { statusCode, headers, body } = completionError(
      await refusalOf(reserve(keyId, 10, subject)),
      'req',
    );

    expect(error).toMatchObject({ retryAfterSeconds: null });
    expect(statusCode).toBe(429);
    expect(headers).toMatchObject({ 'retry-after': '1' });
    expect(JSON.parse(body)).toMatchObject({
      error: {
        code: 'rate_limit_exceeded',
        rate_limit: { limit: 'concurrent_requests', max_requests: 1 },
      },
    });
  });
});

describe('a spent budget', () => {
  /** 1.5 µ$ a day, of which 0.7 are spent and 0.3 held. */
  async function mostlySpent(duration: string | null): Promise<string> {
    const keyId = await newAccount(1500, duration);
    await settle(await reserve(keyId, 900, subject), {
      costNanoUsd: 700,
      figures: 'exact',
      promptTokens: 1,
      completionTokens: 1,
    });
    await reserve(keyId, 300, subject);
    return keyId;
  }

  const figures = {
    limit: 'budget',
    max_usd: 0.0000015,
    used_usd: 0.0000007,
    held_usd: 0.0000003,
    remaining_usd: 0.0000005,
    reset_at: '2027-03-02T00:00:00.000Z',
    request_max_usd: 0.000000801,
  };

  it('says which limit, its figures, when it resets and what the request could have cost', async () => {
    const keyId = await mostlySpent('1d');

    const error = await refusalOf(reserve(keyId, 801, subject));
    const { statusCode, headers, body } = completionError(error, 'req');

    const secondsToMidnight = 17.5 * 3600 - 15;
    expect(statusCode).toBe(429);
    expect(headers).toMatchObject({ 'retry-after': String(secondsToMidnight) });
    expect(headers).not.toHaveProperty('x-should-retry');
    expect(JSON.parse(body)).toEqual({
      error: {
        message: expect.stringMatching(
          /^Budget exceeded: this request may cost up to \$.* The budget resets at 2027-03-02T00:00:00.000Z\.$/,
        ),
        type: 'rate_limit_error',
        param: null,
        code: 'budget_exceeded',
        budget: figures,
      },
    });
  });

  it('is told outside completions with the same figures', async () => {
    const keyId = await mostlySpent('1d');

    const error = await refusalOf(reserve(keyId, 801, subject));
    const { statusCode, body } = detailError(error, 'req');

    expect(statusCode).toBe(429);
    expect(JSON.parse(body)).toEqual({
      detail: expect.stringContaining('Budget exceeded'),
      budget: figures,
    });
  });

  it.each([
    ['never resets', null, 801],
    ['could not pay for the request even if it were full', '1d', 1501],
  ])('asks for no other try where it %s', async (_, duration, hold) => {
    const keyId = await mostlySpent(duration);

    const error = await refusalOf(reserve(keyId, hold, subject));
    const { headers } = completionError(error, 'req');

    expect(error).toMatchObject({ retryAfterSeconds: null });
    expect(headers).toMatchObject({ 'x-should-retry': 'false' });
    expect(headers).not.toHaveProperty('retry-after');
  });

  it('of which only running requests hold what is lacking invites another try', async () => {
    const keyId = await mostlySpent(null);

    const error = await refusalOf(reserve(keyId, 800, subject));
    const { headers, body } = completionError(error, 'req');

    expect(headers).toMatchObject({ 'retry-after': '1' });
    expect(headers).not.toHaveProperty('x-should-retry');
    expect(JSON.parse(body).error.message).toContain('try again in a moment');
  });

  it('pays for a request that takes all that remains, and leaves nothing', async () => {
    const keyId = await mostlySpent(null);

    const { account } = await reserve(keyId, 500, subject);
    const error = await refusalOf(reserve(keyId, 1, subject));

    expect(account).toMatchObject({ available: 0, held: 800, spent: 700 });
    expect(error).toMatchObject({ details: { budget: { remaining_usd: 0, reset_at: null } } });
  });
});

it('says that a key has no account, rather than that it has no money', async () => {
  const error = await refusalOf(reserve('key_unknown', 1, subject));

  expect(error.message).toBe('The key key_unknown has no account');
});
