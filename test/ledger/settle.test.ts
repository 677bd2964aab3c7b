import { randomUUID } from 'node:crypto';
import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import type { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, vi } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { epochOf, heldAttribute } from '../../shared/ledger/account/epoch.ts';
import { putCharge } from '../../shared/ledger/account/put-charge.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { release, settle, UnsettledError } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { timeOfId } from '../../shared/uuid-time.ts';
import { minuteMs, pass, stopClock } from '../support/worlds/clock.ts';
import { interleave } from '../support/worlds/interleave.ts';
import {
  accountOf,
  chargesOf,
  expectAtRest,
  isCredit,
  usd,
} from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore();

const subject = { model: 'gpt-5-mini', tags: ['batch', 'batch:chat'], job_id: 'job_1' };
const costing = (costNanoUsd: number) =>
  ({ costNanoUsd, figures: 'exact', promptTokens: 7, completionTokens: 5 }) as const;
const epochMs = 3 * 60_000;

/** An account of its own with 1000 nano-dollars. */
async function newAccount(): Promise<string> {
  const keyId = `key_${randomUUID()}`;
  const limits = {
    budget_usd: usd(1000),
    duration: null,
    requests_per_minute: null,
    max_concurrent: null,
  };
  await openAccount(keyId, new Date().toISOString(), limits);
  return keyId;
}

it('tells in the charge what a call was held for, and what it came to', async () => {
  const keyId = await newAccount();

  const hold = await reserve(keyId, 100, subject);
  const before = await chargesOf(keyId);
  await settle(hold, costing(40));
  const [settled] = await chargesOf(keyId);

  expect(before).toEqual([]);
  expect(settled).toMatchObject({
    ...subject,
    key_id: keyId,
    hold: 100,
    window: 0,
    created_at: expect.any(String),
    status: 'settled',
    cost: 40,
    figures: 'exact',
    prompt_tokens: 7,
    completion_tokens: 5,
    ended_at: expect.any(String),
  });
  expect(await accountOf(keyId)).toMatchObject({ available: 960, held: 0, spent: 40 });
});

it.each([
  ['settled twice', () => settle, () => settle],
  ['settled and released', () => settle, () => release],
  ['released and settled', () => release, () => settle],
])('ends a call once that is %s', async (_, first, second) => {
  const keyId = await newAccount();
  const hold = await reserve(keyId, 100, subject);

  const earlier = await first()(hold, costing(40));
  const later = await second()(hold, costing(40));

  const [charge] = await chargesOf(keyId);
  const spent = charge?.cost ?? 0;
  expect(earlier).toMatchObject({ held: 0, spent });
  expect(later).toBeUndefined();
  expect(await accountOf(keyId)).toMatchObject({ available: 1000 - spent, held: 0, spent });
});

it('leaves a charge as it is when it is written again', async () => {
  const keyId = await newAccount();
  const hold = await reserve(keyId, 100, subject);
  await settle(hold, costing(40));

  await putCharge({ ...hold.charge, status: 'released' });

  expect(await chargesOf(keyId)).toMatchObject([{ status: 'settled', cost: 40 }]);
});

it('gives back the cost of a charge that could not be written', async () => {
  stopClock();
  const keyId = await newAccount();
  const hold = await reserve(keyId, 100, subject);

  const [exit] = await interleave(
    [{ run: () => settle(hold, costing(40)), fault: { at: 0, kind: 'fails' } }],
    () => 0,
  );

  expect(exit).toMatchObject({ status: 'rejected', reason: expect.any(UnsettledError) });
  expect(await chargesOf(keyId)).toEqual([]);
  expect(await accountOf(keyId)).toMatchObject({ available: 960, held: 0, spent: 40 });
  await passTimeAndSweep();
  expect(await accountOf(keyId)).toMatchObject({ available: 1000, held: 0, spent: 0 });
});

it('writes and moves nothing for a call that ends when its epoch may be audited', async () => {
  stopClock();
  const keyId = await newAccount();
  const hold = await reserve(keyId, 100, subject);

  pass(19 * minuteMs);
  const account = await settle(hold, costing(40));
  await sweepLedger();

  expect(account).toBeUndefined();
  expect(await chargesOf(keyId)).toEqual([]);
  expect(await accountOf(keyId)).toMatchObject({ available: 1000, held: 0, spent: 0 });
});

it('moves the money once when the answer to that is lost, and the audit finds nothing to add', async () => {
  const keyId = await newAccount();
  const hold = await reserve(keyId, 100, subject);
  const hangUp = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
  const failed = failCreditOnce('after', hangUp);

  const account = await settle(hold, costing(40));

  expect(failed.requests).toBe(1);
  expect(account).toBeUndefined();
  expect(await accountOf(keyId)).toMatchObject({ available: 960, held: 0, spent: 40 });
  await passTimeAndSweep();
  expectAtRest(await accountOf(keyId));
  expect(await accountOf(keyId)).toMatchObject({ spent: 40 });
});

it('tries again to move the money when the store is busy', async () => {
  const keyId = await newAccount();
  const hold = await reserve(keyId, 100, subject);
  const throttle = new ProvisionedThroughputExceededException({ message: '', $metadata: {} });
  const failed = failCreditOnce('before', throttle);

  const account = await settle(hold, costing(40));

  expect(failed.requests).toBe(2);
  expect(account).toMatchObject({ available: 960, held: 0, spent: 40 });
});

it('has the audit move the money where the caller could not', async () => {
  const keyId = await newAccount();
  const hold = await reserve(keyId, 100, subject);

  await interleave(
    [{ run: () => settle(hold, costing(40)), fault: { at: 1, kind: 'fails' } }],
    () => 0,
  );

  expect(await accountOf(keyId)).toMatchObject({ available: 900, held: 100, spent: 0 });
  await passTimeAndSweep();
  expectAtRest(await accountOf(keyId));
  expect(await accountOf(keyId)).toMatchObject({ spent: 40 });
});

it.each([
  ['first', 0],
  ['last', epochMs - 1],
])(
  'leaves a call its fifteen minutes that begins in the %s millisecond of an epoch',
  async (_, offset) => {
    stopClock();
    const start = Math.ceil(Date.now() / epochMs) * epochMs + offset;
    vi.setSystemTime(start);
    const keyId = await newAccount();
    const hold = await reserve(keyId, 100, subject);

    vi.setSystemTime(start + 15 * minuteMs);
    await sweepLedger();
    await settle(hold, costing(40));

    expect(await chargesOf(keyId)).toMatchObject([{ status: 'settled', cost: 40 }]);
    expect(await accountOf(keyId)).toMatchObject({ held: 0, spent: 40 });
  },
);

it('gives back within 19 minutes what a dead caller held', async () => {
  stopClock();
  const keyId = await newAccount();
  await reserve(keyId, 100, subject);

  pass(19 * minuteMs);
  await sweepLedger();

  expect(await chargesOf(keyId)).toEqual([]);
  expect(await accountOf(keyId)).toMatchObject({ available: 1000, held: 0, running: 0, spent: 0 });
});

it('keeps a hold in the epoch of its charge when the clock goes back', async () => {
  stopClock();
  const keyId = await newAccount();
  const now = Date.now();
  vi.setSystemTime(now + 2 * epochMs);
  await reserve(keyId, 1, subject);
  vi.setSystemTime(now);

  const { charge } = await reserve(keyId, 100, subject);

  const epoch = epochOf(timeOfId(charge.entry));
  expect(await accountOf(keyId)).toMatchObject({ [heldAttribute(epoch)]: 100 });
});

it('audits the other accounts when the audit of one fails', async () => {
  stopClock();
  const keyIds = [await newAccount(), await newAccount()];
  for (const keyId of keyIds) await reserve(keyId, 100, subject);
  pass(26 * minuteMs);

  const send = dynamodb.send.bind(dynamodb) as (command: object) => Promise<object>;
  const failing = vi.spyOn(dynamodb, 'send').mockImplementation(async (command: object) => {
    const { input } = command as UpdateCommand;
    if (input.ExpressionAttributeValues?.[':key'] === keyIds[0]) throw new Error('no store');
    return send(command);
  });

  const sweep = sweepLedger();

  await expect(sweep).rejects.toThrow(AggregateError);
  const held = await heldBy(keyIds);
  failing.mockRestore();
  await sweepLedger();

  expect(held).toEqual([0, 100]);
  expect(await heldBy(keyIds)).toEqual([0, 0]);
});

const heldBy = async (keyIds: string[]) =>
  (await Promise.all(keyIds.map(accountOf))).map(({ held }) => held).sort((a, b) => a - b);

/** Meets the first credit with an error, before or after it is done. */
function failCreditOnce(when: 'before' | 'after', error: Error) {
  const failed = { requests: 0 };
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      if (!isCredit(args.input) || failed.requests++ > 0) return next(args);
      if (when === 'after') await next(args);
      throw error;
    },
    { step: 'deserialize', priority: 'low', name: 'failCreditOnce', override: true },
  );
  return failed;
}

async function passTimeAndSweep(): Promise<void> {
  stopClock();
  pass(26 * minuteMs);
  await sweepLedger();
  await sweepLedger();
}
