import { randomUUID } from 'node:crypto';
import { InternalServerError } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { type AccountLimits, requestsAttribute } from '../../shared/ledger/account/account.ts';
import { remember } from '../../shared/ledger/account/last-seen.ts';
import type { LeaseOptions } from '../../shared/ledger/leases/key-leases.ts';
import { Leases } from '../../shared/ledger/leases/lease-set.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import type { HoldPlan } from '../../shared/ledger/terms/hold-plan.ts';
import { writtenLines } from '../support/run/output.ts';
import { minuteMs, pass, useFreshHour } from '../support/worlds/clock.ts';
import { accountOf, setOn, usd } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore();

useFreshHour();

afterEach(() => dynamodb.middlewareStack.remove('inTheWay'));

/** Opens an account that this process has seen. */
async function newAccount(limits: Partial<AccountLimits> = {}, of = 'key'): Promise<string> {
  const id = `${of}_${randomUUID()}`;
  await openAccount(id, new Date().toISOString(), {
    ...{ budget_usd: usd(100_000), duration: null },
    ...{ requests_per_minute: null, max_concurrent: null, ...limits },
  });
  remember(await accountOf(id));
  return id;
}

/** The leases of one process, for calls of 10 that begin when three do in a second. */
class Process extends Leases {
  readonly later: { ms: number; run: () => Promise<void> }[];

  constructor(options: Partial<LeaseOptions> = {}) {
    const later: Process['later'] = [];
    super({
      ...{ busyCalls: 3, ms: 1_000, fewest: 4, most: 6, pauseMs: 0, ...options },
      after: (ms, run) => later.push({ ms, run }),
    });
    this.later = later;
  }

  /** Takes note of calls that were held by themselves. Returns what the leases then have left. */
  async noteCalls(keyId: string, calls: number) {
    const account = await accountOf(keyId);
    // A call that holds nothing begins no lease, and counts.
    for (let call = 1; call < calls; call += 1) this.note(account, 0);
    this.note(account, 10);
    return this.left(keyId);
  }

  async left(keyId: string) {
    const key = this['keys'].get(keyId);
    await key?.['beginning'];
    return key?.['open'].map(({ left }) => ({ ...left })) ?? [];
  }

  takeOne(keyId: string, plan: HoldPlan = { fit: () => ({ holdNanoUsd: 10 }) }, isRequest = true) {
    return this['keys'].get(keyId)?.take(plan, isRequest, Date.now());
  }
}

describe('a lease begins', () => {
  it('with the third call of a second, or if the second before had three', async () => {
    const [key, process] = [await newAccount(), new Process()];
    const none = await accountOf(key);

    expect(await process.noteCalls(key, 2)).toEqual([]);
    pass(1_000);
    expect(await process.noteCalls(key, 1)).toEqual([]);
    pass(1_000);
    for (let call = 0; call < 3; call += 1) process.note(none, 0);
    pass(2_000);
    expect(await process.noteCalls(key, 1)).toEqual([]);
    pass(1_000);
    for (let call = 0; call < 3; call += 1) process.note(none, 0);
    pass(1_000);
    expect(await process.noteCalls(key, 1)).toEqual([{ nanoUsd: 40, requests: 4 }]);
    expect(process.has(key)).toBe(true);
  });

  it.each<[string, number, Partial<AccountLimits>, number | undefined]>([
    ['four calls at least', 3, {}, 4],
    ['as many calls as began in a second', 5, {}, 5],
    ['six at most', 9, {}, 6],
    ['a twentieth of the budget', 9, { budget_usd: usd(1_000) }, 5],
    ['no less than four such', 9, { budget_usd: usd(800) }, 4],
    ['none if that is less', 9, { budget_usd: usd(799) }, undefined],
    ['an eighth of the requests a minute', 9, { requests_per_minute: 47 }, 5],
    ['an eighth of those at once', 9, { max_concurrent: 32 }, 4],
    ['none for a smaller limit', 9, { max_concurrent: 31, requests_per_minute: 90 }, undefined],
  ])('for %s', async (_, calls, limits, count) => {
    const [key, process] = [await newAccount(limits), new Process()];

    const left = await process.noteCalls(key, calls);

    expect(left).toEqual(count ? [{ nanoUsd: count * 10, requests: count }] : []);
    const held = { held: 10 * (count ?? 0), running: count };
    expect(await accountOf(key)).toMatchObject(count ? held : { held: 0 });
    expect(process.later.map(({ ms }) => ms)).toEqual(count ? [1_000] : []);
  });

  it.each<[number, Partial<AccountLimits>, number | undefined]>([
    [7, {}, undefined],
    [8, {}, 8],
    [600, {}, 500],
    [8, { budget_usd: usd(1_600) }, 8],
    [8, { budget_usd: usd(1_599) }, 7],
    [8, { budget_usd: usd(799) }, undefined],
    [9, { max_concurrent: 71 }, 8],
    [8, { requests_per_minute: 32 }, 4],
    [8, { requests_per_minute: 31 }, undefined],
  ])('usually after %i calls of a second with %j for %s', async (calls, limits, count) => {
    const key = await newAccount({ budget_usd: usd(1_000_000), ...limits });
    const ends: number[] = [];
    const leases = new Leases({ after: (ms) => ends.push(ms) });
    const account = await accountOf(key);
    for (let call = 1; call < calls; call += 1) leases.note(account, 0);

    leases.note(account, 10);
    await leases['keys'].get(key)?.['beginning'];

    const open = leases['keys'].get(key)?.['open'] ?? [];
    expect(open.map(({ left }) => left.requests)).toEqual(count ? [count] : []);
    expect(ends).toEqual(count ? [1_000] : []);
  });

  it('not again before a second is over if it was refused', async () => {
    const [key, process] = [await newAccount(), new Process()];
    // The process doesn't know yet that little is left. It would hold 40 of it, and wants 800.
    await setOn(key, { available: 799, ceiling: 799 });

    expect(await process.noteCalls(key, 3)).toEqual([]);
    await setOn(key, { available: 800, ceiling: 800 });
    remember(await accountOf(key));
    pass(999);
    expect(await process.noteCalls(key, 3)).toEqual([]);
    pass(1);
    expect(await process.noteCalls(key, 3)).toEqual([{ nanoUsd: 40, requests: 4 }]);
  });

  it('not again before a second is over if it failed, which the log tells', async () => {
    const [key, process] = [await newAccount(), new Process()];
    dynamodb.middlewareStack.add(
      () => () => {
        throw new InternalServerError({ message: '', $metadata: { httpStatusCode: 500 } });
      },
      { step: 'initialize', name: 'inTheWay' },
    );
    const account = { key_id: key } as Parameters<Leases['note']>[0];
    for (let call = 0; call < 3; call += 1) process.note(account, 10);
    expect(await process.left(key)).toEqual([]);
    dynamodb.middlewareStack.remove('inTheWay');

    pass(999);
    expect(await process.noteCalls(key, 3)).toEqual([]);
    pass(1);
    expect(await process.noteCalls(key, 3)).toHaveLength(1);
    const told = writtenLines().filter((line) => line.includes('"no lease"'));
    expect(told.map((line) => JSON.parse(line).key_id)).toEqual([key]);
  });

  it('at five times the rate that would give its key parts', async () => {
    vi.stubEnv('PART_CALLS_PER_SECOND', '1');
    const [key, process] = [await newAccount(), new Process()];
    const minute = requestsAttribute(Date.now());
    await setOn(key, { [minute]: 18 });
    expect(await process.noteCalls(key, 6)).toEqual([{ nanoUsd: 60, requests: 6 }]);
    expect(await accountOf(key)).toMatchObject({ [minute]: 24 });
    await setOn(key, { [minute]: 19 });
    // What grew before would have come by now, and would be of twice as many parts.
    const other = new Process();
    expect(await other.noteCalls(key, 6)).toHaveLength(1);

    await expect.poll(async () => (await accountOf(key)).open_parts).toBe(8);

    vi.unstubAllEnvs();
  });

  it('before the last has less than half of its calls left', async () => {
    const [key, process] = [await newAccount(), new Process()];
    await process.noteCalls(key, 3);

    const sizes: number[] = [];
    for (let calls = 0; calls < 3; calls += 1) {
      process.takeOne(key);
      sizes.push((await process.left(key)).length);
    }

    expect(sizes).toEqual([1, 1, 2]);
    expect(await process.left(key)).toEqual([
      { nanoUsd: 10, requests: 1 },
      { nanoUsd: 60, requests: 6 },
    ]);
  });
});

describe('a call is held within a lease', () => {
  it('with the accounts as they would be without what leases have left', async () => {
    const [key, team] = [await newAccount(), await newAccount({}, 'team')];
    await putInTeam(key, team);
    for (const id of [key, team]) remember(await accountOf(id));
    const process = new Process();
    expect(await process.noteCalls(key, 3)).toHaveLength(1);

    const taken = process.takeOne(key);

    expect(taken).toMatchObject({ chosen: { holdNanoUsd: 10 }, heldAtMs: Date.now() });
    const figures = { available: 99_990, held: 10 };
    const counted = { [requestsAttribute(Date.now())]: 1, running: 1 };
    expect(taken?.account).toMatchObject({ key_id: key, ...figures, ...counted });
    expect(taken?.team).toMatchObject({ key_id: team, ...figures });
  });

  it('without a request if it is none, and only while both last', async () => {
    const [key, process] = [await newAccount(), new Process({ ms: 60_000 })];
    await process.noteCalls(key, 3);

    const page = { fit: () => ({ holdNanoUsd: 15 }) };
    expect(process.takeOne(key, page, false)).toBeDefined();
    expect(await process.left(key)).toEqual([{ nanoUsd: 25, requests: 4 }]);
    expect(process.takeOne(key, { fit: () => ({ holdNanoUsd: 26 }) })).toBeUndefined();
    for (let calls = 0; calls < 2; calls += 1)
      process['keys'].get(key)?.['open'][0]?.take({ nanoUsd: 0, requests: 2 });
    expect(process['keys'].get(key)?.['open'][0]?.take({ nanoUsd: 0, requests: 1 })).toBe(false);
    expect(process['keys'].get(key)?.['open'][0]?.take({ nanoUsd: 25, requests: 0 })).toBe(true);
  });

  it('only if its plan would be the same for the account itself', async () => {
    const [key, process] = [await newAccount(), new Process()];
    await process.noteCalls(key, 3);
    const take = (fit: { from?: number; below?: number }) =>
      process.takeOne(key, { fit: () => ({ holdNanoUsd: 10, ...fit }) });

    expect(take({ below: 1_000_000 })).toBeUndefined();
    expect(take({ from: 100_001 })).toBeUndefined();
    expect(take({ from: 100_000 })).toBeDefined();
  });

  it.each<[string, Partial<LeaseOptions>, Partial<AccountLimits>, number, number]>([
    ['its time', {}, {}, 0, 1_000],
    ['its minute', { ms: 60_000 }, {}, 50_000, 9_000],
    ['the window of its key', { ms: 60_000 }, { duration: '10s' }, 0, 10_000],
  ])('until %s is over', async (_, options, limits, afterMs, lastsMs) => {
    pass(afterMs);
    const [key, process] = [await newAccount(limits), new Process(options)];
    expect(await process.noteCalls(key, 3)).toHaveLength(1);

    pass(lastsMs - 1);
    expect(process.takeOne(key)).toBeDefined();
    pass(1);
    expect(process.takeOne(key)).toBeUndefined();
  });

  it('until the window of its team is over', async () => {
    const [key, team] = [await newAccount(), await newAccount({ duration: '10s' }, 'team')];
    await putInTeam(key, team);
    for (const id of [key, team]) remember(await accountOf(id));
    const process = new Process({ ms: 60_000 });
    expect(await process.noteCalls(key, 3)).toHaveLength(1);

    pass(9_999);
    expect(process.takeOne(key)?.team?.key_id).toBe(team);
    pass(1);
    expect(process.takeOne(key)).toBeUndefined();
  });

  it('that is under way, if there was one before', async () => {
    const [key, process] = [await newAccount(), new Process()];
    await process.noteCalls(key, 3);
    for (let calls = 0; calls < 3; calls += 1) process.takeOne(key);

    const plan = { fit: () => ({ holdNanoUsd: 40 }) };
    const taken = await process.take(key, plan, true);

    expect(taken?.chosen.holdNanoUsd).toBe(40);
    expect(await process.left(key)).toEqual([
      { nanoUsd: 10, requests: 1 },
      { nanoUsd: 20, requests: 5 },
    ]);
  });

  it('of no other key, and of none that has no lease yet', async () => {
    const [key, process] = [await newAccount(), new Process()];
    expect(await process.take(key, { fit: () => ({ holdNanoUsd: 1 }) }, true)).toBeUndefined();
    expect(process.has(key)).toBe(false);
    void process.noteCalls(key, 3);

    expect(await process.take(key, { fit: () => ({ holdNanoUsd: 1 }) }, true)).toBeUndefined();
  });
});

describe('what a lease has left', () => {
  it('goes back to key and team when its time is over', async () => {
    const [key, team] = [await newAccount(), await newAccount({}, 'team')];
    await putInTeam(key, team);
    for (const id of [key, team]) remember(await accountOf(id));
    const process = new Process();
    await process.noteCalls(key, 3);
    process.takeOne(key);
    expect(await accountOf(team)).toMatchObject({ held: 40 });

    await process.later[0]?.run();

    const minute = requestsAttribute(Date.now());
    expect(await accountOf(key)).toMatchObject({ held: 10, running: 1, [minute]: 1 });
    expect(await accountOf(team)).toMatchObject({ held: 10, available: 99_990 });
    expect(process.has(key)).toBe(false);
    await process.close();
    expect(await accountOf(key)).toMatchObject({ held: 10, running: 1 });
  });

  it('is requests alone where calls took all of its money', async () => {
    const [key, process] = [await newAccount(), new Process()];
    await process.noteCalls(key, 3);
    process.takeOne(key, { fit: () => ({ holdNanoUsd: 40 }) });

    await process.later[0]?.run();

    expect(await accountOf(key)).toMatchObject({ held: 40, running: 1 });
  });

  it('is nothing where calls took all of it, and nothing is written then', async () => {
    const [key, process] = [await newAccount(), new Process({ ms: 60_000 })];
    await process.noteCalls(key, 3);
    const lease = process['keys'].get(key)?.['open'][0];
    lease?.take({ nanoUsd: 40, requests: 4 });
    let requests = 0;
    dynamodb.middlewareStack.add(
      (next) => (args) => {
        requests += 1;
        return next(args);
      },
      { step: 'initialize', name: 'inTheWay' },
    );

    await lease?.close();

    expect(requests).toBe(0);
  });

  it('is given back at once before a refusal, and none begins in the second after', async () => {
    const [key, process] = [await newAccount(), new Process()];
    await process.noteCalls(key, 3);

    expect(await process.giveBack(key, undefined)).toBe(true);
    expect(await accountOf(key)).toMatchObject({ held: 0, running: 0 });
    expect(await process.giveBack(key, undefined)).toBe(false);
    expect(await process.giveBack('key_other', undefined)).toBe(false);
    pass(999);
    expect(await process.noteCalls(key, 3)).toEqual([]);
    pass(1);
    expect(await process.noteCalls(key, 3)).toHaveLength(1);
  });

  it('is given back when the process ends, also of a lease that is on its way, and none begins any more', async () => {
    const [key, process] = [await newAccount(), new Process()];
    const account = await accountOf(key);
    for (let call = 0; call < 3; call += 1) process.note(account, 10);

    await process.close();

    expect(await accountOf(key)).toMatchObject({ held: 0, running: 0 });
    pass(60 * minuteMs);
    expect(await process.noteCalls(key, 3)).toEqual([]);
  });
});

it('a process remembers a thousand keys, and forgets the one that asked longest ago, unless it has a lease', async () => {
  const process = new Process();
  const note = (key_id: string) => process.note({ key_id } as Parameters<Leases['note']>[0], 0);
  for (let key = 0; key < 1_000; key += 1) note(`key_${key}`);
  note('key_0#3');
  note('key_new');

  expect(process['keys'].size).toBe(1_000);
  expect(process['keys'].has('key_0')).toBe(true);
  expect(process['keys'].has('key_1')).toBe(false);

  const leasing = new Process();
  const key = await newAccount();
  await leasing.noteCalls(key, 3);
  for (let other = 0; other < 1_001; other += 1) {
    leasing.note({ key_id: `key_${other}` } as Parameters<Leases['note']>[0], 0);
  }
  expect(leasing.has(key)).toBe(true);
});
