import { randomUUID } from 'node:crypto';
import { InternalServerError, ThrottlingException } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import {
  type AccountLimits,
  findAccount,
  requestsAttribute,
  unlimitedRequests,
} from '../../shared/ledger/account/account.ts';
import { bookLateCalls } from '../../shared/ledger/book-late.ts';
import { tidyParts } from '../../shared/ledger/parts/close.ts';
import { grow } from '../../shared/ledger/parts/grow.ts';
import { everInTeam, noteMember } from '../../shared/ledger/parts/members.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { type Hold, reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import { writtenLines } from '../support/run/output.ts';
import { eventOf, recordOf } from '../support/servers/queue.ts';
import { minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { useLateMessages } from '../support/worlds/late-messages.ts';
import {
  accountOf,
  expectAtRest,
  followAccounts,
  isCredit,
  partsOf,
  setOn,
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

async function newAccount(limits: Partial<AccountLimits> = {}, of = 'key'): Promise<string> {
  const id = `${of}_${randomUUID()}`;
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
  meet(isCredit, fault);
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

/** Has something done before each request of a kind. */
function meanwhile(command: string, act: () => unknown): void {
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === command) await act();
        return next(args);
      },
    { step: 'initialize', name: 'inTheWay', override: true },
  );
}

it.each([
  ['twenty holds', { budget_usd: usd(400) }, { budget_usd: usd(399) }],
  ['sixty requests a minute', { requests_per_minute: 120 }, { requests_per_minute: 119 }],
  ['four requests at once', { max_concurrent: 8 }, { max_concurrent: 7 }],
])('gets parts because of its calls only if each has room for %s', async (_, enough, less) => {
  const demand = { isDemanded: true, leastNanoUsd: 10 };

  expect(await grow(await newAccount(enough), demand)).toBe(true);
  expect(await grow(await newAccount(less), demand)).toBe(false);
  expect(await grow(await newAccount(less), { leastNanoUsd: 10 })).toBe(true);
});

it('gets no more parts than asked for, and never more than 64', async () => {
  const id = await newAccount();
  expect(await grow(id, { to: 7 })).toBe(true);
  expect((await accountOf(id)).open_parts).toBe(4);

  expect(await grow(id, { to: 64 })).toBe(true);

  expect((await accountOf(id)).open_parts).toBe(64);
  expect(await grow(id)).toBe(false);
  await expectSoundAccounts();
});

it('rests between two growths, and asks each time whether all parts together need more', async () => {
  const id = await newAccount();
  expect(await grow(id, { restMs: 5_000 })).toBe(true);
  const asked: unknown[] = [];
  const isNeeded = ({ ceiling }: { ceiling: number }, parts: number) => {
    asked.push([ceiling, parts]);
    return asked.length > 1;
  };

  pass(4_999);
  expect(await grow(id, { restMs: 5_000 })).toBe(false);
  pass(1);
  expect(await grow(id, { restMs: 5_000, isNeeded })).toBe(false);
  expect(await grow(id, { restMs: 5_000, isNeeded })).toBe(true);

  expect(asked).toEqual(Array(2).fill([1_000_000, 2]));
});

it('gives each new part what its account has beside money and limits', async () => {
  const id = await newAccount({ duration: '1h' });
  const team = `team_${randomUUID()}`;
  const had = { team, watched: true, window_number: 2, spent_since: '2027-05-01T00:00:00.000Z' };
  await setOn(id, had);

  expect(await grow(id)).toBe(true);

  const [own, part] = await partsOf(id);
  const { created_at, duration, window_starts_at, window_ends_at, audit_lane } = own ?? {};
  expect(part).toMatchObject({
    ...{ ...had, created_at, duration, window_starts_at, window_ends_at, audit_lane },
    ...{ entry: 'account', held: 0, spent: 0, ceiling: 500_000, available: 500_000 },
    ...{ requests_per_minute: unlimitedRequests, max_concurrent: unlimitedRequests },
  });
  expect(part).not.toHaveProperty('audit_at');
  expect(await Array.fromAsync(everInTeam(team))).toEqual([id, `${id}#1`]);
  pass(20 * minuteMs);
  await sweepLedger();
  expect(await findAccount(`${id}#1`)).toMatchObject({ available: 500_000 });
});

describe('does not grow if since it was read', () => {
  const other = {
    ...{ team: 'team_b', watched: false, duration: '2h', window_number: 3, parts: 4 },
    ...{ spent_since: '2027-05-01T00:00:01.000Z', open_parts: 4, requests_per_minute: 500 },
    ...{ max_concurrent: 50, available: 1, window_ends_at: '2100-01-01T00:00:00.000Z' },
  };

  it.each(Object.entries(other))('its %s became %s', async (name, value) => {
    const id = await newAccount();
    meanwhile('TransactWriteItemsCommand', () => setOn(id, { [name]: value }));

    expect(await grow(id)).toBe(false);

    expect(await findAccount(`${id}#1`)).toBeUndefined();
  });

  const firsts = {
    team: 'team_a',
    watched: true,
    duration: '1h',
    window_number: 2,
    spent_since: '2027',
  };

  it.each(Object.entries(firsts))('its %s was %s, and is another', async (name, value) => {
    const id = await newAccount();
    await setOn(id, { [name]: value });
    meanwhile('TransactWriteItemsCommand', () => setOn(id, { [name]: other[name as 'team'] }));

    expect(await grow(id)).toBe(false);
  });

  it.each([
    [{}, { requests_per_minute: 100 }],
    [{}, { max_concurrent: 100 }],
    [{ requests_per_minute: 400 }, { requests_per_minute: unlimitedRequests }],
    [{ max_concurrent: 400 }, { max_concurrent: unlimitedRequests }],
  ])('one of its parts %o got %o', async (limits, changed) => {
    const id = await newAccount(limits);
    expect(await grow(id)).toBe(true);
    meanwhile('TransactWriteItemsCommand', () => setOn(`${id}#1`, changed));

    expect(await grow(id)).toBe(false);
  });

  it('another has made the part, or opened it', async () => {
    const id = await newAccount();
    meanwhile('TransactWriteItemsCommand', () => setOn(`${id}#1`, { available: 0 }));
    expect(await grow(id)).toBe(false);

    const closed = await newAccount();
    dynamodb.middlewareStack.remove('inTheWay');
    expect(await grow(closed)).toBe(true);
    await setOn(closed, { open_parts: 1 });
    await setOn(`${closed}#1`, { closed: true });
    meanwhile('TransactWriteItemsCommand', () => setOn(`${closed}#1`, { closed: undefined }));
    expect(await grow(closed)).toBe(false);
  });
});

it('gives a team parts whose keys are busy together', async () => {
  const [key, team] = [await newAccount(), await newAccount({}, 'team')];
  await putInTeam(key, team);

  for (let calls = 0; calls < 6; calls += 1) await settle(await reserve(key, 1, subject), outcome);

  await expect.poll(async () => (await accountOf(team)).open_parts).toBe(8);
  await expect.poll(async () => (await accountOf(key)).open_parts).toBe(8);
});

it('says in the log that a busy account got no more parts, unless it was throttled', async () => {
  const told = () => writtenLines().filter((line) => line.includes('"account got no more parts"'));
  const callBusily = async (error: Error) => {
    const id = await newAccount();
    let reads = 0;
    meanwhile('GetItemCommand', () => {
      reads += 1;
      throw error;
    });
    for (let calls = 0; calls < 6; calls += 1) await reserve(id, 1, subject);
    await expect.poll(() => reads).toBeGreaterThan(0);
    dynamodb.middlewareStack.remove('inTheWay');
    return id;
  };

  const fault = new InternalServerError({ message: '', $metadata: { httpStatusCode: 500 } });
  const id = await callBusily(fault);
  // Accounts of other tests may still grow.
  const toldOf = (key: string) => told().filter((line) => line.includes(key));
  await expect.poll(() => toldOf(id).length).toBeGreaterThan(0);
  // An account goes on growing after its calls: in this order it meets no fault but that of its own.
  const another = await callBusily(throttled());

  for (const line of toldOf(id)) expect(JSON.parse(line)).toMatchObject({ level: 'warn' });
  expect(toldOf(another)).toEqual([]);
});

it('closes its parts two minutes after the last growth, if it is quiet then', async () => {
  const id = await newAccount();
  expect(await grow(id, { to: 4 })).toBe(true);
  const grownAt = Date.now();
  const minute = requestsAttribute(grownAt + 2 * minuteMs);
  await setOn(`${id}#1`, { [minute]: 6 });
  await setOn(`${id}#3`, { [minute]: 5 });
  const openAfter = async (ms: number) => {
    await tidyParts(id, grownAt + ms);
    return (await accountOf(id)).open_parts;
  };

  expect(await openAfter(2 * minuteMs)).toBe(4);
  await setOn(`${id}#3`, { [minute]: 6 });
  expect(await openAfter(2 * minuteMs + 1)).toBe(4);
  await setOn(`${id}#3`, { [minute]: 5 });
  expect(await openAfter(2 * minuteMs + 1)).toBe(1);

  expect((await partsOf(id)).map(({ closed }) => closed)).toEqual([undefined, true, true, true]);
  expect((await accountOf(id)).available).toBe(1_000_000);
});

it('is known to a team with the most parts that it had there', async () => {
  const team = await newAccount({}, 'team');
  const account = await accountOf(await newAccount());
  const noted = async (parts?: number) => {
    await noteMember(team, { ...account, ...(parts && { parts }) });
    return (await Array.fromAsync(everInTeam(team))).length;
  };

  expect(await noted()).toBe(1);
  expect(await noted(4)).toBe(4);
  expect(await noted(8)).toBe(8);
  await noted(2).catch(() => {});
  expect(await noted(undefined)).toBe(8);
});
