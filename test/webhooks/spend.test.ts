import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changeKey, issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { changeTeam, createTeam } from '../../shared/keys/team.ts';
import { changeAccountLimits } from '../../shared/ledger/change-limits.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { release, settle } from '../../shared/ledger/settle.ts';
import { removeWebhook, setWebhook } from '../../shared/webhooks/set-webhook.ts';
import { watchSpend } from '../../shared/webhooks/watch-spend.ts';
import { cases } from '../support/run/cases.ts';
import { dayMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { useStore } from '../support/worlds/store.ts';
import { newKeyId } from '../support/worlds/usage-world.ts';
import { bodyOf, eventsOf, hookKey, recordsOf } from '../support/worlds/webhook-world.ts';

await useStore();
useStoppedClock('2026-11-20T10:00:00.000Z');

const url = 'https://example.com/hook';
const subject = { model: 'gpt-5', tags: ['chat'] };

/** An account with a budget of $10 a day and a webhook. */
async function watched(limits: object = {}): Promise<string> {
  const id = newKeyId();
  const own = { ...defaultLimits, budget_usd: 10, duration: '1d', ...limits };
  await openAccount(id, '2026-11-20T00:00:00.000Z', own);
  await hookKey(id, url);
  return id;
}

async function watchedAlone(): Promise<{ id: string; keys: string[] }> {
  const id = await watched();
  return { id, keys: [id] };
}

/** A team with a budget of $10 a day and a webhook, and two keys in it without budgets of their own. */
async function watchedTeam(): Promise<{ id: string; keys: [string, string] }> {
  const { id } = await createTeam({ name: 'watched', budget_usd: 10, duration: '1d' });
  const inTeam = async () => (await issueKey('in it', { ...defaultLimits, team: id })).id;
  await setWebhook(id, url);
  return { id, keys: [await inTeam(), await inTeam()] };
}

async function spend(id: string, usd: number): Promise<void> {
  const hold = await reserve(id, Math.round(usd * 1e9), subject);
  await settle(hold, {
    costNanoUsd: Math.round(usd * 1e9),
    figures: 'exact',
    promptTokens: 1,
    completionTokens: 1,
  });
}

/** Tells all that the ledger's stream has of an account. */
async function tell(id: string, records?: DynamoDBRecord[]): Promise<void> {
  const all = records ?? (await recordsOf('LEDGER_TABLE'));
  const own = all.filter(({ dynamodb }) => dynamodb?.Keys?.['key_id']?.S === id);
  const response = await watchSpend({ Records: own });
  expect(response.batchItemFailures).toEqual([]);
}

const percentsOf = async (id: string) =>
  (await eventsOf(id)).map((event) => (bodyOf(event).data as { percent: number }).percent);

it('tells 50, 80 and 100 % of a budget, and what was spent', async () => {
  const id = await watched();
  for (const usd of [4.9, 0.1, 3, 1.99]) await spend(id, usd);

  await tell(id);

  const events = await eventsOf(id);
  expect(events.map(({ type, status }) => [type, status])).toEqual(
    Array(3).fill(['budget.reached', 'pending']),
  );
  expect(events.map(bodyOf)).toMatchObject([
    {
      id: events[0]?.entry,
      object: 'event',
      type: 'budget.reached',
      created_at: Date.parse('2026-11-20T10:00:00.000Z') / 1000,
      data: {
        account_id: id,
        percent: 50,
        max_usd: 10,
        used_usd: 5,
        window_starts_at: '2026-11-20T00:00:00.000Z',
        reset_at: '2026-11-21T00:00:00.000Z',
      },
    },
    { data: { percent: 80, used_usd: 8 } },
    { data: { percent: 100, used_usd: 9.99 } },
  ]);
});

it("tells 50, 80 and 100 % of a team's budget, which its keys spend together", async () => {
  const { id, keys } = await watchedTeam();
  const [one, other] = keys;
  await spend(one, 3);
  await tell(id);
  const before = await percentsOf(id);
  await spend(other, 3);
  await spend(one, 2);
  await changeTeam(id, { name: 'renamed' });
  await changeKey(one, { team: null });
  await spend(one, 2);
  await spend(other, 1.99);

  await tell(id);
  await tell(one);

  expect(before).toEqual([]);
  expect((await eventsOf(id)).map(bodyOf)).toMatchObject([
    {
      type: 'budget.reached',
      data: { account_id: id, percent: 50, max_usd: 10, used_usd: 6, path: '/user/limits' },
    },
    { data: { account_id: id, percent: 80, used_usd: 8 } },
    { data: { account_id: id, percent: 100, used_usd: 9.99 } },
  ]);
  expect(await eventsOf(one)).toEqual([]);
});

it("tells a key of its own budget, and its team of the team's", async () => {
  const { id } = await watchedTeam();
  const limits = { ...defaultLimits, budget_usd: 4, team: id };
  const key = await issueKey('with a budget', limits);
  await setWebhook(key.id, url);
  await spend(key.id, 3.5);
  await spend(key.id, 0.5);

  await tell(id);
  await tell(key.id);

  expect([await percentsOf(key.id), await percentsOf(id)]).toEqual([[50, 80, 100], []]);
});

it('tells each of them that one call reaches', async () => {
  const id = await watched();
  await spend(id, 10);

  await tell(id);

  expect(await percentsOf(id)).toEqual([50, 80, 100]);
});

it('tells nothing of what is held, nor of a call that cost nothing', async () => {
  const id = await watched();
  const hold = await reserve(id, 10e9, subject);
  await release(hold);

  await tell(id);

  expect(await percentsOf(id)).toEqual([]);
});

it('tells each again in the next window', async () => {
  const id = await watched();
  await spend(id, 5);
  pass(dayMs);
  await spend(id, 5);

  await tell(id);

  expect(await percentsOf(id)).toEqual([50, 50]);
});

it('tells what a lower budget makes of what is spent, and what a higher one has reached anew', async () => {
  const id = await watched();
  const limits = { ...defaultLimits, duration: '1d' };
  await spend(id, 4);
  await changeAccountLimits(id, { ...limits, budget_usd: 5 });
  await changeAccountLimits(id, { ...limits, budget_usd: 20 });
  await changeAccountLimits(id, { ...limits, budget_usd: 5 });
  await changeAccountLimits(id, { ...limits, budget_usd: 20 });
  await spend(id, 12);

  await tell(id);

  const told = (await eventsOf(id)).map((event) => {
    const { percent, max_usd } = bodyOf(event).data as { percent: number; max_usd: number };
    return `${percent} % of ${max_usd}`;
  });
  expect(told).toEqual(['50 % of 5', '80 % of 5', '50 % of 20', '80 % of 20']);
});

it.each([
  ['no budget', { budget_usd: null, duration: null }],
  ['a budget of nothing', { budget_usd: 0 }],
])('tells nothing of an account with %s', async (_, limits) => {
  const id = await watched(limits);
  if (limits.budget_usd === null) await spend(id, 1_000_000);

  await tell(id);

  expect(await percentsOf(id)).toEqual([]);
});

it('tells nobody whose webhook was removed', async () => {
  const id = await watched();
  await removeWebhook(id);
  await spend(id, 10);

  await tell(id);

  expect(await percentsOf(id)).toEqual([]);
});

it('tells each once, however often and in whatever batches the stream tells it', async () => {
  const anAmount = fc.integer({ min: 1, max: 400 }).map((cents) => cents / 100);
  const aBatch = fc.record({ from: fc.nat(30), size: fc.integer({ min: 1, max: 30 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(anAmount, { maxLength: 12 }),
      fc.array(aBatch, { maxLength: 4 }),
      fc.boolean(),
      async (amounts, batches, isTeam) => {
        const { id, keys } = isTeam ? await watchedTeam() : await watchedAlone();
        let spent = 0;
        for (const [index, usd] of amounts.entries()) {
          if (spent + usd > 10) continue;
          await spend(keys[index % keys.length] ?? id, usd);
          spent = Math.round((spent + usd) * 100) / 100;
        }
        const records = (await recordsOf('LEDGER_TABLE')).filter(
          ({ dynamodb }) => dynamodb?.Keys?.['key_id']?.S === id,
        );

        await Promise.all(
          batches.map(({ from, size }) => tell(id, records.slice(from, from + size))),
        );
        await tell(id, records);

        const expected = [50, 80, 99.5].filter((percent) => spent * 10 >= percent);
        expect((await percentsOf(id)).toSorted((a, b) => a - b)).toEqual(
          expected.map((percent) => Math.ceil(percent)),
        );
      },
    ),
    { numRuns: cases(5, 25) },
  );
});
