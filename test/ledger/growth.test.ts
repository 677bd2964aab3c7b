import { randomUUID } from 'node:crypto';
import { InternalServerError, ThrottlingException } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, it } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import type { AccountLimits } from '../../shared/ledger/account/account.ts';
import { openAccount } from '../../shared/ledger/accounts.ts';
import { bookLateCalls } from '../../shared/ledger/book-late.ts';
import { grow } from '../../shared/ledger/parts/grow.ts';
import { type Hold, reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { writtenLines } from '../support/run/output.ts';
import { eventOf, recordOf } from '../support/servers/queue.ts';
import { minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { useLateMessages } from '../support/worlds/late-messages.ts';
import {
  accountOf,
  expectAtRest,
  followAccounts,
  partsOf,
  sum,
  usd,
} from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

process.env['PART_CALLS_PER_SECOND'] = '1';
await useStore({ queues: true });
// An epoch and a minute have just begun.
useStoppedClock('2027-05-01T00:00:00.000Z');

const expectSoundAccounts = followAccounts();

const subject = { model: 'gpt-5-mini', tags: ['chat'] };
const outcome = {
  costNanoUsd: 40,
  figures: 'exact',
  promptTokens: 1,
  completionTokens: 1,
} as const;

async function newAccount(limits: Partial<AccountLimits> = {}): Promise<string> {
  const id = `key_${randomUUID()}`;
  await openAccount(id, new Date().toISOString(), {
    ...{ budget_usd: usd(1_000_000), duration: null },
    ...{ requests_per_minute: null, max_concurrent: null, ...limits },
  });
  return id;
}

const { sent, book } = useLateMessages();

afterEach(() => dynamodb.middlewareStack.remove('inTheWay'));

/** Meets requests with an error, as far as they are what is told. */
function meet(isMet: (input: string, commandName: string) => boolean, error: () => Error): void {
  dynamodb.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (isMet(JSON.stringify(args.input), commandName)) throw error();
        return next(args);
      },
    { step: 'deserialize', priority: 'low', name: 'inTheWay', override: true },
  );
}

const throttled = () =>
  new ThrottlingException({ message: 'Too hot', $metadata: { httpStatusCode: 400 } });

it('gives an account eight equal parts at once, and loses nothing of its limits, nor of what was counted', async () => {
  const limits = { requests_per_minute: 999, max_concurrent: 70 };
  const id = await newAccount({ ...limits, budget_usd: usd(1_003) });
  for (let calls = 0; calls < 4; calls += 1) await reserve(id, 1, subject);

  expect(await grow(id, { to: 8 })).toBe(true);

  const parts = await partsOf(id);
  expect(parts.map(({ open_parts, closed }) => open_parts ?? closed)).toEqual([
    8,
    ...Array(7).fill(undefined),
  ]);
  expect(sum(parts.map(({ ceiling }) => ceiling))).toBe(1_003);
  for (const { available } of parts) expect(Math.abs(available - 999 / 8)).toBeLessThan(8);
  expect(sum(parts.map((part) => part.requests_per_minute))).toBe(999);
  expect(sum(parts.map((part) => part.max_concurrent))).toBe(70);
  const minute = `requests_${Math.floor(Date.now() / minuteMs)}` as const;
  expect(sum(parts.map((part) => part[minute] ?? 0))).toBe(4);
  await expectSoundAccounts();
});

it('gives it as many at once as are worth it', async () => {
  const id = await newAccount({ max_concurrent: 17 });

  expect(await grow(id, { to: 8, isDemanded: true })).toBe(true);

  expect(await accountOf(id)).toMatchObject({ open_parts: 4, parts: 4 });
});

it('gives a key that is suddenly busy eight parts, and no more while these have few calls', async () => {
  const id = await newAccount();
  const callOnce = async () => {
    const hold = await reserve(id, 1, subject);
    await settle(hold, outcome);
  };
  for (let calls = 0; calls < 6; calls += 1) await callOnce();
  await expect.poll(async () => (await accountOf(id)).open_parts).toBe(8);

  pass(10_000);
  for (let calls = 0; calls < 12; calls += 1) await callOnce();

  expect((await accountOf(id)).open_parts).toBe(8);
  await expectSoundAccounts();
});

it('holds on another part where one is throttled', async () => {
  const id = await newAccount();
  expect(await grow(id, { to: 8 })).toBe(true);
  await reserve(id, 1, subject);
  let tries = 0;
  meet((input) => {
    const isMet = input.includes(`"${id}#3"`);
    if (isMet) tries += 1;
    return isMet;
  }, throttled);

  const holds = await Promise.all(Array.from({ length: 80 }, () => reserve(id, 1, subject)));

  expect(tries).toBeGreaterThan(0);
  expect(holds.map(({ charge }) => charge.key_id)).not.toContain(`${id}#3`);
  dynamodb.middlewareStack.remove('inTheWay');
  await expectSoundAccounts();
}, 30_000);

it('finds the parts that an account has got since, though the account itself is throttled', async () => {
  const id = await newAccount();
  await reserve(id, 1, subject);
  expect(await grow(id, { to: 8 })).toBe(true);
  meet((input, name) => name === 'UpdateItemCommand' && input.includes(`"${id}"`), throttled);

  const { charge } = await reserve(id, 1, subject);

  expect(charge.key_id).toContain(`${id}#`);
}, 30_000);

it('puts the recount for a lost credit of a busy account off until its epoch is over, so that other calls end as ever', async () => {
  const id = await newAccount();
  const [lost, ...others] = await Promise.all(
    Array.from({ length: 12 }, () => reserve(id, 100, subject)),
  );
  const fault = () => new InternalServerError({ message: '', $metadata: { httpStatusCode: 500 } });
  meet((input) => input.includes('settled_'), fault);
  await settle(lost as Hold, outcome);
  dynamodb.middlewareStack.remove('inTheWay');

  const early = await book();
  for (const hold of others) await settle(hold, outcome);

  // Only that one is the queue's.
  expect(early.batchItemFailures).toHaveLength(1);
  expect(sent).toHaveLength(1);
  expect(sum((await partsOf(id)).map(({ held }) => held))).toBe(100);
  pass(4 * minuteMs);
  const late = await book();
  expect(late.batchItemFailures).toEqual([]);
  expect(sum((await partsOf(id)).map(({ held }) => held))).toBe(0);
  expect(sum((await partsOf(id)).map(({ spent }) => spent))).toBe(12 * 40);
  await expectSoundAccounts();
});

it('recounts a busy account later though the charge itself was booked late', async () => {
  const id = await newAccount();
  const [lost] = await Promise.all(Array.from({ length: 12 }, () => reserve(id, 100, subject)));
  const charge = { ...lost?.charge, status: 'settled', cost: 40, figures: 'exact' };
  const message = recordOf(JSON.stringify({ charge, lacksCredit: false }));

  const early = await bookLateCalls(eventOf(message));
  pass(4 * minuteMs);
  const late = await bookLateCalls(eventOf(message));

  expect(early.batchItemFailures).toHaveLength(1);
  expect(late.batchItemFailures).toEqual([]);
  expect(sum((await partsOf(id)).map(({ held }) => held))).toBe(1_100);
  expect(sum((await partsOf(id)).map(({ spent }) => spent))).toBe(40);
  await expectSoundAccounts();
});

it('leaves an account whose charges can’t be read for now to the next sweep, and audits the others', async () => {
  const ids = [await newAccount(), await newAccount()];
  for (const id of ids) await reserve(id, 100, subject);
  pass(26 * minuteMs);
  meet((input, name) => name === 'QueryCommand' && input.includes(`"${ids[0]}"`), throttled);

  await sweepLedger();

  const held = async () => (await Promise.all(ids.map(accountOf))).map((each) => each.held);
  expect(await held()).toEqual([100, 0]);
  expect(writtenLines().join('\n')).toContain('account left due');
  dynamodb.middlewareStack.remove('inTheWay');
  await sweepLedger();
  expect(await held()).toEqual([0, 0]);
  for (const id of ids) expectAtRest(await accountOf(id));
}, 30_000);
