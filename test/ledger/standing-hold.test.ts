import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { setting } from '../../shared/config.ts';
import { undoHold } from '../../shared/ledger/account/credit.ts';
import { holdOnAccount } from '../../shared/ledger/account/hold-account.ts';
import { changeAccountLimits } from '../../shared/ledger/change-limits.ts';
import { readSummed } from '../../shared/ledger/compare-account.ts';
import { closeParts } from '../../shared/ledger/parts/close.ts';
import { findWhole } from '../../shared/ledger/parts/whole.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import {
  endStanding,
  type StandingCall,
  settleStanding,
} from '../../shared/ledger/settle-standing.ts';
import { findStanding, holdStanding } from '../../shared/ledger/standing-hold.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import { BudgetExceededError } from '../../shared/ledger/terms/limit-errors.ts';
import { hourMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import {
  accountOf,
  chargesOf,
  expectAtRest,
  partsOf,
  usd,
} from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';
import { inParts } from './exact-accounts.ts';

await useStore({ queues: true });

useStoppedClock();

async function newAccount(of: 'key' | 'team', budget: number, duration: string | null = null) {
  const id = `${of}_${randomUUID()}`;
  await openAccount(id, new Date().toISOString(), {
    budget_usd: usd(budget),
    duration,
    requests_per_minute: null,
    max_concurrent: null,
  });
  return id;
}

const subject = { model: 'gpt-5-mini', tags: ['batch'] };

/** A line's call that held 100; its product is refused where it is written again. */
const callOf = (key_id: string, line: number, costNanoUsd: number): StandingCall => ({
  ...{ subject, holdNanoUsd: 100 },
  outcome: { costNanoUsd, figures: 'exact', promptTokens: 1, completionTokens: 1 },
  writes: [
    {
      Put: {
        TableName: setting('LEDGER_TABLE'),
        Item: { key_id, entry: `line_${line}` },
        ConditionExpression: 'attribute_not_exists(entry)',
      },
    },
  ],
});

const stand = (keyId: string, holdNanoUsd: number) =>
  holdStanding({ keyId, use: {}, id: 'b', holdNanoUsd, jobId: 'job_1' });

it('is held once on a key and its team, outlives their audits, and is settled in groups', async () => {
  const [key, team] = [await newAccount('key', 1_000), await newAccount('team', 800)];
  await putInTeam(key, team);
  await stand(key, 300);
  await stand(key, 300);
  pass(2 * hourMs);
  await sweepLedger();
  expect(await accountOf(key)).toMatchObject({ held: 300, available: 700 });
  expect(await accountOf(team)).toMatchObject({ held: 300, available: 500 });

  const group = [callOf(key, 1, 40), callOf(key, 2, 70)];
  expect(await settleStanding(key, 'b', group)).toBe(true);
  expect(await settleStanding(key, 'b', group)).toBe(false);
  for (const id of [key, team]) expect((await readSummed(id))?.differences()).toEqual([]);
  expect(await endStanding(key, 'b')).toBe(true);
  expect(await endStanding(key, 'b')).toBe(false);
  pass(hourMs);
  await sweepLedger();

  for (const id of [key, team]) {
    const account = await accountOf(id);
    expectAtRest(account);
    expect(account.spent).toBe(110);
  }
  expect((await chargesOf(key)).map(({ cost }) => cost).sort()).toEqual([40, 70]);
});

it('is refused by whichever of both has too little, and then held on neither', async () => {
  const [key, team] = [await newAccount('key', 1_000), await newAccount('team', 200)];
  await putInTeam(key, team);

  await expect(stand(key, 300)).rejects.toThrow(BudgetExceededError);

  expect(await accountOf(key)).toMatchObject({ held: 0, available: 1_000 });
  expect(await accountOf(team)).toMatchObject({ held: 0, available: 200 });
  expect(await findStanding(key, 'b')).toBeUndefined();
});

it('costs in the window in which it was held, and nothing in the next', async () => {
  const key = await newAccount('key', 1_000, '1h');
  await stand(key, 200);
  await settleStanding(key, 'b', [callOf(key, 1, 60)]);
  expect(await accountOf(key)).toMatchObject({ held: 100, spent: 60, available: 840 });
  pass(hourMs);
  const call = await reserve(key, 50, subject);
  await settle(call, { costNanoUsd: 50, figures: 'exact', promptTokens: 1, completionTokens: 1 });

  await settleStanding(key, 'b', [callOf(key, 2, 90)]);
  await endStanding(key, 'b');

  expect(await accountOf(key)).toMatchObject({ held: 0, spent: 50, available: 950 });
  expect((await chargesOf(key)).map(({ window }) => window).sort()).toEqual([0, 0, 1]);
  pass(hourMs);
  await sweepLedger();
  expectAtRest(await accountOf(key));
});

it('pays no call more than is left of it', async () => {
  const key = await newAccount('key', 1_000);
  await stand(key, 150);

  await settleStanding(key, 'b', [callOf(key, 1, 100), callOf(key, 2, 100)]);

  expect(await accountOf(key)).toMatchObject({ held: 0, spent: 150, available: 850 });
  expect((await chargesOf(key)).map(({ cost }) => cost).sort()).toEqual([100, 50]);
});

it('gathers what it holds from all parts of a key and its team, and is refused by what they have together', async () => {
  const [key, team] = [await newAccount('key', 1_000), await newAccount('team', 800)];
  await putInTeam(key, team);
  for (const id of [key, team]) await inParts(id, 4);

  await expect(stand(key, 801)).rejects.toMatchObject({
    details: { budget: { max_usd: usd(800), remaining_usd: usd(800) } },
  });
  await stand(key, 800);

  expect(await findWhole(key)).toMatchObject({ ceiling: 1_000, held: 800, available: 200 });
  expect(await findWhole(team)).toMatchObject({ ceiling: 800, held: 800, available: 0 });
  for (const id of [key, team]) expect((await readSummed(id))?.differences()).toEqual([]);
  await expect(reserve(key, 1, subject)).rejects.toThrow(BudgetExceededError);
});

it('stands while parts are closed and limits change, and all that it held comes back', async () => {
  const [key, team] = [await newAccount('key', 1_000), await newAccount('team', 2_000)];
  await putInTeam(key, team);
  for (const id of [key, team]) await inParts(id, 4);
  await stand(key, 600);
  await settleStanding(key, 'b', [callOf(key, 1, 40)]);

  await changeAccountLimits(key, {
    ...{ budget_usd: usd(700), duration: null, requests_per_minute: null, max_concurrent: null },
  });
  await closeParts(team);
  for (const id of [key, team]) expect((await readSummed(id))?.differences()).toEqual([]);
  await settleStanding(key, 'b', [callOf(key, 2, 70)]);
  await endStanding(key, 'b');
  pass(hourMs);
  await sweepLedger();

  for (const [id, ceiling] of [[key, 700] as const, [team, 2_000] as const]) {
    const spent = { spent: 110, available: ceiling - 110 };
    expect(await findWhole(id)).toMatchObject({ ceiling, held: 0, ...spent });
    for (const part of await partsOf(id)) expectAtRest(part);
  }
});

it('is held by more parts than one transaction takes', async () => {
  const [key, team] = [await newAccount('key', 100_000), await newAccount('team', 100_000)];
  await putInTeam(key, team);
  for (const id of [key, team]) await inParts(id, 64);

  await stand(key, 99_000);

  for (const id of [key, team]) {
    expect(await findWhole(id)).toMatchObject({ held: 99_000, available: 1_000 });
  }
});

it('is held though calls keep coming on all parts of its key, each before it', async () => {
  const key = await inParts(await newAccount('key', 100_000), 4);
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const isMeant = commandName === 'TransactWriteItemsCommand';
        if (isMeant) {
          for (const { key_id } of await partsOf(key)) {
            await holdOnAccount(key_id, { holdNanoUsd: 1 }, Date.now(), false);
          }
        }
        return next(args);
      },
    { step: 'initialize', name: 'rush', override: true },
  );

  await stand(key, 80_000);
  dynamodb.middlewareStack.remove('rush');

  expect(await findStanding(key, 'b')).toMatchObject({ hold: 80_000 });
  expect((await readSummed(key))?.differences()).toEqual([]);
});

it('is told that the key is busy where calls take what it lacks each time, and holds nothing', async () => {
  const key = await inParts(await newAccount('key', 100_000), 2);
  let held = 0;
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'TransactWriteItemsCommand') {
          const parts = await partsOf(key);
          for (const { key_id, available } of parts) {
            await holdOnAccount(key_id, { holdNanoUsd: available }, Date.now(), false);
          }
          held += 1;
          const result = await next(args).catch((error: unknown) => error);
          for (const { key_id, available: holdNanoUsd } of parts) {
            await undoHold({
              key_id,
              holdNanoUsd,
              heldAtMs: Date.now(),
              window: 0,
              isRequest: false,
            });
          }
          if (result instanceof Error) throw result;
          return result as Awaited<ReturnType<typeof next>>;
        }
        return next(args);
      },
    { step: 'initialize', name: 'rush', override: true },
  );

  const refusal = await stand(key, 90_000).catch((error: unknown) => error);
  dynamodb.middlewareStack.remove('rush');

  expect(refusal).toMatchObject({ statusCode: 503, code: 'busy' });
  expect(held).toBe(50);
  expect(await findWhole(key)).toMatchObject({ held: 0, available: 100_000 });
});

it('is settled in the next epoch where its own was audited before the write came', async () => {
  const key = await newAccount('key', 1_000);
  await stand(key, 300);
  await settleStanding(key, 'b', [callOf(key, 1, 40)]);
  let writes = 0;
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const isMeant = JSON.stringify(args.input).includes('line_2');
        if (commandName === 'TransactWriteItemsCommand' && isMeant && writes++ === 0) {
          pass(hourMs);
          await sweepLedger();
        }
        return next(args);
      },
    { step: 'initialize', name: 'late' },
  );

  await settleStanding(key, 'b', [callOf(key, 2, 70)]);
  dynamodb.middlewareStack.remove('late');
  await endStanding(key, 'b');
  pass(hourMs);
  await sweepLedger();

  expect(writes).toBe(2);
  expectAtRest(await accountOf(key));
  expect(await accountOf(key)).toMatchObject({ spent: 110 });
});
