import { randomUUID } from 'node:crypto';
import { InternalServerError } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import {
  bookedAttribute,
  epochOf,
  epochsIn,
  recountAttribute,
} from '../../shared/ledger/account/epoch.ts';
import { holdOnAccount } from '../../shared/ledger/account/hold-account.ts';
import { remember } from '../../shared/ledger/account/last-seen.ts';
import { changeAccountLimits } from '../../shared/ledger/change-limits.ts';
import { closeParts } from '../../shared/ledger/parts/close.ts';
import { bringHome } from '../../shared/ledger/parts/gather.ts';
import { findWhole } from '../../shared/ledger/parts/whole.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { type Hold, reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import { cases } from '../support/run/cases.ts';
import { minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { dyingBefore, requestsOf } from '../support/worlds/dying.ts';
import { inSomeOrders, interleave } from '../support/worlds/interleave.ts';
import { useLateMessages } from '../support/worlds/late-messages.ts';
import {
  accountOf,
  chargesOf,
  expectAtRest,
  isCredit,
  setOn,
  usd,
} from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';
import { inParts } from './exact-accounts.ts';

await useStore({ queues: true });
useStoppedClock('2027-05-01T00:00:00.000Z');

const subject = { model: 'gpt-5-mini', tags: ['chat'], metadata: { customer: 'acme' } };
const outcome = {
  costNanoUsd: 40,
  figures: 'exact',
  promptTokens: 1,
  completionTokens: 1,
} as const;

const noLimits = { duration: null, requests_per_minute: null, max_concurrent: 100 };

const { sent, book } = useLateMessages();

async function open(of: 'key' | 'team', budget = 100_000): Promise<string> {
  const id = `${of}_${randomUUID()}`;
  await openAccount(id, new Date().toISOString(), { ...noLimits, budget_usd: usd(budget) });
  return id;
}

async function openInTeam() {
  const [keyId, teamId] = [await open('key'), await open('team')];
  await putInTeam(keyId, teamId);
  return { keyId, teamId };
}

/** Has credits fail with a fault of DynamoDB, some of them after they were done. */
function failCredits(isDone: (write: number) => boolean): { end: () => void } {
  let writes = 0;
  let isOver = false;
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      if (isOver || !isCredit(args.input)) return next(args);
      if (isDone(writes++)) await next(args);
      throw new InternalServerError({ message: '', $metadata: { httpStatusCode: 500 } });
    },
    { step: 'deserialize', priority: 'low', name: 'failCredits', override: true },
  );
  return {
    end: () => {
      isOver = true;
    },
  };
}

async function reserveAll(keyId: string, calls: number): Promise<Hold[]> {
  return Promise.all(Array.from({ length: calls }, () => reserve(keyId, 100, subject)));
}

describe('credits whose fate nobody knows', () => {
  it.each([
    ['none of which has come', () => false],
    ['all of which have come', () => true],
    ['every third of which has come', (write: number) => write % 3 === 0],
  ])('%s leave a key free again once they are recounted', async (_, isDone) => {
    const { keyId, teamId } = await openInTeam();
    const calls = cases(6, 100);
    const holds = await reserveAll(keyId, calls);
    const fault = failCredits(isDone);
    await Promise.all(holds.map((hold) => settle(hold, outcome)));
    fault.end();

    const { batchItemFailures } = await book();
    await book();

    expect(batchItemFailures).toEqual([]);
    for (const id of [keyId, teamId]) {
      expect(await accountOf(id)).toMatchObject({
        ...{ held: 0, spent: 40 * calls, available: 100_000 - 40 * calls },
      });
    }
    expect(await accountOf(keyId)).toMatchObject({ running: 0 });
    await expect(reserveAll(keyId, calls)).resolves.toHaveLength(calls);
  });

  it('leave what running calls hold, and those end as any other, at the latest recount', async () => {
    const { keyId, teamId } = await openInTeam();
    const [lost, running] = await reserveAll(keyId, 2);
    const fault = failCredits(() => false);
    await settle(lost as Hold, outcome);
    fault.end();

    await book();
    const between = await accountOf(keyId);
    await settle(running as Hold, outcome);
    await book();

    expect(between).toMatchObject({ held: 100, running: 1, spent: 40 });
    for (const id of [keyId, teamId]) {
      expect(await accountOf(id)).toMatchObject({ held: 0, spent: 80, available: 99_920 });
    }
  });

  it('are never given back twice by a credit that comes after the recount', async () => {
    const keyId = await open('key');
    const [lost, late] = await reserveAll(keyId, 2);
    const fault = failCredits(() => false);
    await settle(lost as Hold, outcome);
    fault.end();
    await book();

    const settled = await settle(late as Hold, outcome);

    expect(settled).toBeUndefined();
    expect(await accountOf(keyId)).toMatchObject({ held: 100, spent: 40 });
    expect(sent).toHaveLength(2);
  });

  it('of calls that ran for long are left to the audit', async () => {
    const keyId = await open('key');
    const [hold] = await reserveAll(keyId, 1);
    pass(7 * minuteMs);
    const fault = failCredits(() => true);
    await settle(hold as Hold, outcome);
    fault.end();

    const { batchItemFailures } = await book();

    expect(batchItemFailures).toEqual([]);
    expect(await accountOf(keyId)).toMatchObject({ held: 0, spent: 40 });
    pass(26 * minuteMs);
    await sweepLedger();
    expectAtRest(await accountOf(keyId));
    expect(await accountOf(keyId)).toMatchObject({ spent: 40 });
  });
});

describe('a charge that could not be written', () => {
  /** Settles a call whose charge is refused, and whose credit came or not. */
  async function settleInVain(keyId: string, isCredited = true): Promise<void> {
    const hold = await reserve(keyId, 100, subject);
    dynamodb.middlewareStack.add(
      (next) => async (args) => {
        const input = JSON.stringify(args.input);
        if (input.includes('"ended_at"') || (!isCredited && isCredit(args.input))) {
          throw new Error('refused');
        }
        return next(args);
      },
      { step: 'deserialize', priority: 'low', name: 'refuse', override: true },
    );
    await settle(hold, outcome);
    dynamodb.middlewareStack.remove('refuse');
  }

  it.each([true, false])('is booked before the audit (credited: %s)', async (isCredited) => {
    const { keyId, teamId } = await openInTeam();
    await settleInVain(keyId, isCredited);

    await book();
    await book();

    expect(await chargesOf(keyId)).toMatchObject([{ status: 'settled', cost: 40, ...subject }]);
    for (const id of [keyId, teamId]) {
      expect(await accountOf(id)).toMatchObject({ held: 0, spent: 40, available: 99_960 });
    }
    pass(26 * minuteMs);
    await sweepLedger();
    expectAtRest(await accountOf(keyId));
    expect(await accountOf(keyId)).toMatchObject({ spent: 40 });
  });

  it.each([true, false])('is booked after the audit, once (credited: %s)', async (isCredited) => {
    const { keyId, teamId } = await openInTeam();
    await settleInVain(keyId, isCredited);
    pass(26 * minuteMs);
    await sweepLedger();
    const audited = await accountOf(keyId);

    await book();
    await Promise.all([book(), book()]);

    expect(audited).toMatchObject({ held: 0, spent: 0 });
    expect(await chargesOf(keyId)).toMatchObject([{ status: 'settled', cost: 40 }]);
    for (const id of [keyId, teamId]) {
      expectAtRest(await accountOf(id));
      expect(await accountOf(id)).toMatchObject({ spent: 40, available: 99_960 });
    }
  });

  it('is booked as far as its key has it, where others have spent what it held', async () => {
    const keyId = await open('key', 110);
    await settleInVain(keyId);
    pass(26 * minuteMs);
    await sweepLedger();
    await settle(await reserve(keyId, 80, subject), { ...outcome, costNanoUsd: 80 });

    await book();

    const costs = (await chargesOf(keyId)).map(({ cost, figures }) => [cost, figures]);
    expect(costs).toEqual([
      [30, 'estimated'],
      [80, 'exact'],
    ]);
    expect(await accountOf(keyId)).toMatchObject({ spent: 110, available: 0 });
  });

  /** A key whose budget has parts, one of which has a call that could not be written, and was audited. */
  async function openWithLateCall(parts: number): Promise<string> {
    const keyId = await inParts(await open('key', 1_000), parts);
    remember(await accountOf(keyId));
    vi.spyOn(Math, 'random').mockReturnValue(1 / parts);
    await settleInVain(keyId);
    pass(26 * minuteMs);
    await sweepLedger();
    await closeParts(keyId);
    return keyId;
  }

  it('is paid on a closed part by what its account has with all parts, though it alone is below its limit', async () => {
    const keyId = await openWithLateCall(4);
    await inParts(keyId, 4);
    const holds: Hold[] = [];
    for (let calls = 0; calls < 4; calls += 1) holds.push(await reserve(keyId, 250, subject));
    await changeAccountLimits(keyId, { ...noLimits, budget_usd: usd(300) });
    const onParts = holds.filter(({ charge }) => charge.key_id !== keyId);
    for (const hold of onParts) await settle(hold, { ...outcome, costNanoUsd: 0 });
    const before = await findWhole(keyId);

    await book();

    expect(onParts).toHaveLength(3);
    expect(before).toMatchObject({ ceiling: 300, held: 250, available: 50 });
    expect((await chargesOf(keyId)).map(({ cost }) => cost)).toContain(40);
    expect(await findWhole(keyId)).toMatchObject({ spent: 40, held: 250, available: 10 });
  });

  it('is paid in full though what its closed part is given for it is brought home meanwhile', async () => {
    const keyId = await openWithLateCall(2);
    let reads = 0;
    dynamodb.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const isRead =
            commandName === 'GetItemCommand' && JSON.stringify(args.input).includes('#1');
          if (isRead && reads++ < 5) await bringHome(keyId);
          return next(args);
        },
      { step: 'initialize', name: 'bringHome' },
    );

    const { batchItemFailures } = await book();
    dynamodb.middlewareStack.remove('bringHome');
    expect(reads).toBeGreaterThan(5);

    expect(batchItemFailures).toEqual([]);
    expect(await chargesOf(keyId)).toMatchObject([{ key_id: `${keyId}#1`, cost: 40 }]);
    expect(await findWhole(keyId)).toMatchObject({ spent: 40, available: 960 });
  });

  it('is booked once, wherever the booking dies, beside an audit or before it', async () => {
    const { keyId, teamId } = await openInTeam();
    await settleInVain(keyId);
    const requests = await requestsOf(book);
    const steps = Array.from({ length: requests + 1 }, (_, step) => step);
    for (const step of steps) {
      for (const afterMs of [0, 26 * minuteMs]) {
        sent.length = 0;
        await settleInVain(keyId);
        pass(afterMs);
        await dyingBefore(step, book, { before: 1, action: sweepLedger });
        await sweepLedger();
        await book();
      }
    }

    const charges = await chargesOf(keyId);
    expect(charges).toHaveLength(1 + 2 * steps.length);
    pass(80 * minuteMs);
    await sweepLedger();
    for (const id of [keyId, teamId]) {
      expectAtRest(await accountOf(id));
      expect(await accountOf(id)).toMatchObject({ spent: 40 * charges.length });
    }
  });

  it('is booked once in whatever order a booking and an audit write', async () => {
    await inSomeOrders(cases(20, 600), async (pick) => {
      sent.length = 0;
      const keyId = await open('key');
      await settleInVain(keyId);
      pass(20 * minuteMs);

      await interleave<unknown>([{ run: book }, { run: sweepLedger }, { run: book }], pick);

      pass(26 * minuteMs);
      await sweepLedger();
      await book();
      expectAtRest(await accountOf(keyId));
      expect(await accountOf(keyId)).toMatchObject({ spent: 40 });
      expect(await chargesOf(keyId)).toHaveLength(1);
    });
  });

  it('tells its message nothing but what the charge will say', async () => {
    const keyId = await open('key');

    await settleInVain(keyId);

    expect(sent).toHaveLength(1);
    const { charge } = JSON.parse(sent[0] ?? '');
    await book();
    expect(await chargesOf(keyId)).toEqual([charge]);
  });
});

it('an account takes no hold of an epoch that was audited, however late it comes', async () => {
  const keyId = await open('key');
  const began = Date.now();
  await settle(await reserve(keyId, 100, subject), outcome);
  let updates = 0;
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'UpdateItemCommand' && updates++ === 0) {
          pass(26 * minuteMs);
          await sweepLedger();
        }
        return next(args);
      },
    { step: 'initialize', name: 'late' },
  );

  const { charge } = await reserve(keyId, 100, subject);
  dynamodb.middlewareStack.remove('late');
  const attempt = await holdOnAccount(keyId, { holdNanoUsd: 100 }, began, true);

  expect(Date.parse(charge.created_at)).toBe(began + 26 * minuteMs);
  expect(attempt.isHeld).toBe(false);
  pass(26 * minuteMs);
  await sweepLedger();
  expectAtRest(await accountOf(keyId));
  expect(await accountOf(keyId)).toMatchObject({ spent: 40 });
});

it('a key whose clock lags behind its audits is told that it is busy, and holds nothing', async () => {
  const keyId = await open('key');
  await settle(await reserve(keyId, 100, subject), outcome);
  pass(26 * minuteMs);
  await sweepLedger();
  pass(-26 * minuteMs);

  await expect(reserve(keyId, 100, subject)).rejects.toMatchObject({ statusCode: 503 });

  expect(await accountOf(keyId)).toMatchObject({ held: 0, spent: 40 });
});

/** Multiples of it are spread evenly between whole numbers. */
const goldenRatio = 0.618034;

it.each([1, 2])(
  'an account whose key calls all the time stays within one write unit of 1 KB, with %i parts',
  async (parts) => {
    const { keyId, teamId } = await openInTeam();
    const limits = { duration: '30d', requests_per_minute: 123_456, max_concurrent: 12_345 };
    for (const id of [keyId, teamId]) {
      await changeAccountLimits(id, { ...limits, budget_usd: 8_765_432.109876543 });
      await setOn(id, { watched: true, window_number: 123 });
    }
    await inParts(keyId, parts);
    // Each part has calls in each minute: a count stays until its audit if the minute after next has no call.
    let draws = 0;
    vi.spyOn(Math, 'random').mockImplementation(() => (draws++ * goldenRatio) % 1);
    const [hold, costNanoUsd] = [1_234_567_891, 1_111_111_111];
    let largest: object = {};
    for (let minute = 0; minute < 40; minute += 1) {
      for (let call = 0; call < 2 * parts; call += 1) {
        await settle(await reserve(keyId, hold, subject), { ...outcome, costNanoUsd });
      }
      await reserve(keyId, hold, subject);
      for (const id of [keyId, teamId]) {
        const account = await accountOf(id);
        if (sizeOf(account) > sizeOf(largest)) largest = account;
      }
      pass(minuteMs);
      await sweepLedger();
      // The sweep has closed the parts of an account that is as quiet as this.
      if ((await accountOf(keyId)).open_parts === 1) await inParts(keyId, parts);
    }
    const epoch = epochOf(Date.now());
    const rare = { audited: epoch, [recountAttribute(epoch)]: 1, [bookedAttribute(epoch)]: 1 };
    expect(epochsIn(largest)).toHaveLength(7);
    expect(sizeOf({ ...largest, ...rare })).toBeLessThan(1_024);
  },
);

it('a call that begins in the last year of long names and ends in the next is credited once, and audited', async () => {
  pass(Date.parse('2026-12-31T23:59:50Z') - Date.now());
  const keyId = await open('key', 1000);
  const first = await reserve(keyId, 100, subject);
  pass(20_000);
  const second = await reserve(keyId, 100, subject);
  const between = await accountOf(keyId);
  await settle(first, outcome);
  await settle(second, outcome);

  const account = await accountOf(keyId);

  const names = (of: object) => Object.keys(of).filter((name) => /^(h|held_)\d/.test(name));
  expect(
    names(between)
      .map((name) => name.replace(/\d+/, ''))
      .sort(),
  ).toEqual(['h', 'held_']);
  expect(account).toMatchObject({ held: 0, spent: 80, running: 0 });
  pass(30 * minuteMs);
  await sweepLedger();
  expectAtRest(await accountOf(keyId));
  expect(names(await accountOf(keyId))).toEqual([]);
  expect(await accountOf(keyId)).toMatchObject({ spent: 80 });
});

/**
 * What DynamoDB takes an item for: names and texts, and of a number a byte, and one for each two of its digits.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
const sizeOf = (item: object) =>
  Object.entries(item).reduce((sum, [name, value]) => sum + name.length + bytesOf(value), 0);

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'number') return 1;
  return 1 + Math.ceil(String(value).replace(/\.|0+$|^-/g, '').length / 2) + (value < 0 ? 1 : 0);
}
