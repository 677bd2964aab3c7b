import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Account,
  type AccountLimits,
  requestsAttribute,
  unlimitedRequests,
} from '../../shared/ledger/account/account.ts';
import { changeAccountLimits } from '../../shared/ledger/change-limits.ts';
import { closeParts } from '../../shared/ledger/parts/close.ts';
import { bringHome, gather, gatherInto, giftsFromAll } from '../../shared/ledger/parts/gather.ts';
import { giftOf, happens, moving } from '../../shared/ledger/parts/move.ts';
import { readRenewed, type Whole, wholeOf } from '../../shared/ledger/parts/whole.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { release } from '../../shared/ledger/settle.ts';
import { minuteMs, useFreshHour } from '../support/worlds/clock.ts';
import { accountOf, partsOf, setOn, sum, usd } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';
import { inParts } from './exact-accounts.ts';

await useStore({ queues: true });

useFreshHour();

const subject = { model: 'gpt-5-mini', tags: ['chat'] };

/** A key in parts with a budget of 1,000, and a share of the limits each. */
async function newKey(parts: number, limits: Partial<AccountLimits> = {}): Promise<string> {
  const id = `key_${randomUUID()}`;
  await openAccount(id, new Date().toISOString(), {
    ...{ budget_usd: usd(1000), duration: '1h' },
    ...{ requests_per_minute: null, max_concurrent: null, ...limits },
  });
  return inParts(id, parts);
}

/** Leaves so much on each part, as if calls of another function held the rest. */
async function leave(id: string, ...left: number[]): Promise<void> {
  for (const [index, part] of (await partsOf(id)).entries()) {
    const available = left[index] ?? 0;
    await setOn(part.key_id, { available, held: part.ceiling - available, held_1: 0 });
  }
}

const minute = (ago = 0) => requestsAttribute(Date.now() - ago * minuteMs);

/** In a table, which is made before the clock is set: the count of the minute in which its test runs. */
const minuteName = 'requests_0';
const atMinute = ({ [minuteName]: count, ...rest }: Partial<Account>) => ({
  ...rest,
  ...(count !== undefined && { [minute()]: count }),
});

describe('a share that one part gives to another', () => {
  const share = { nanoUsd: 100, requests: 5, atOnce: 2 };

  /** Two parts with limits, the first with four requests counted; and both as they were read. */
  async function readTwo() {
    const id = await newKey(2, { requests_per_minute: 40, max_concurrent: 8 });
    await setOn(id, { [minute()]: 4, running: 1, running_1: 1 });
    const [from, to] = (await partsOf(id)) as [Account, Account];
    return { id, from, to };
  }

  it('takes its money, its requests with those that are counted, and its slots', async () => {
    const { id, from, to } = await readTwo();

    expect(await happens(moving([{ from, share }], to, Date.now()))).toBe(true);

    const [gave, took] = await partsOf(id);
    expect(gave).toMatchObject({
      ...{ ceiling: 400, available: 400, held: 0, requests_per_minute: 15, max_concurrent: 2 },
      ...{ [minute()]: 3, running: 1, moves: (from.moves ?? 0) + 1 },
    });
    expect(took).toMatchObject({
      ...{ ceiling: 600, available: 600, held: 0, requests_per_minute: 25, max_concurrent: 6 },
      ...{ [minute()]: 1, moves: (to.moves ?? 0) + 1 },
    });
    expect(took?.audit_at).toBeDefined();
  });

  it.each<[string, 'from' | 'to', () => Partial<Account>]>([
    ['it has less than that left', 'from', () => ({ available: 99 })],
    ['its window ended', 'from', () => ({ window_ends_at: '2100-01-01T00:00:00.000Z' })],
    ['its limit of requests changed', 'from', () => ({ requests_per_minute: 21 })],
    ['it made more requests than it has room for', 'from', () => ({ [minute()]: 17 })],
    ['it made them by a clock behind', 'from', () => ({ [minute(1)]: 16 })],
    ['it made them by a clock ahead', 'from', () => ({ [minute(-1)]: 16 })],
    ['its limit of requests at once changed', 'from', () => ({ max_concurrent: 5 })],
    ['more run than it has room for', 'from', () => ({ running: 3 })],
    ['the other’s window ended', 'to', () => ({ window_ends_at: '2100-01-01T00:00:00.000Z' })],
    ['the other has no limit', 'to', () => ({ requests_per_minute: unlimitedRequests })],
    ['the other has none at once', 'to', () => ({ max_concurrent: unlimitedRequests })],
  ])('does not move if meanwhile %s', async (_, which, changed) => {
    const { id, ...read } = await readTwo();
    await setOn(read[which].key_id, changed());
    const before = await partsOf(id);

    const isMoved = await happens(moving([{ from: read.from, share }], read.to, Date.now()));

    expect(isMoved).toBe(false);
    expect(await partsOf(id)).toEqual(before);
  });

  it.each<[string, 'from' | 'to', () => Partial<Account>]>([
    ['it has just as much left', 'from', () => ({ available: 100 })],
    ['it has room for all that it made', 'from', () => ({ [minute()]: 16 })],
    ['also by a clock behind', 'from', () => ({ [minute(1)]: 15 })],
    ['also by a clock ahead', 'from', () => ({ [minute(-1)]: 15 })],
    ['it has room for all that run', 'from', () => ({ running: 2 })],
    ['the other has lost all of its own', 'to', () => ({ available: 0, requests_per_minute: 1 })],
  ])('moves if %s', async (_, which, changed) => {
    const { from, to } = await readTwo();
    const read = { from, to };
    await setOn(read[which].key_id, changed());

    expect(await happens(moving([{ from, share }], to, Date.now()))).toBe(true);
  });

  it('of money alone moves whatever becomes of limits', async () => {
    const { from, to } = await readTwo();
    const limits = { requests_per_minute: unlimitedRequests, max_concurrent: unlimitedRequests };
    for (const { key_id } of [from, to]) await setOn(key_id, { ...limits, [minute()]: 900 });
    const gifts = [{ from, share: { nanoUsd: 100, requests: 0, atOnce: 0 } }];

    expect(await happens(moving(gifts, to, Date.now()))).toBe(true);

    expect(await accountOf(to.key_id)).toMatchObject({ ceiling: 600, ...limits, [minute()]: 900 });
  });

  it('is held at once where a sum stands, and only if that part has the rest', async () => {
    const { from, to } = await readTwo();
    const gifts = [{ from, share: { nanoUsd: 100, requests: 0, atOnce: 0 } }];
    const changes = moving(gifts, to, Date.now(), { holds: 550 });
    await setOn(to.key_id, { available: 449 });
    expect(await happens(changes)).toBe(false);
    await setOn(to.key_id, { available: 450 });

    expect(await happens(changes)).toBe(true);

    expect(await accountOf(to.key_id)).toMatchObject({ ceiling: 600, available: 0, held: 550 });
  });

  it('takes with it just the requests that the smaller limit has no room for, or its share of them', () => {
    const anyShare = fc.record({ limit: fc.nat(60), count: fc.nat(60), asked: fc.nat(60) });
    fc.assert(
      fc.property(anyShare, ({ limit, count, asked }) => {
        const now = Date.now();
        const part = { requests_per_minute: limit, [minute()]: count } as unknown as Account;

        const gift = giftOf(part, { nanoUsd: 7, requests: asked, atOnce: 3 }, now);

        const requests = Math.min(asked, limit);
        const goes = gift.counts[minute()] ?? 0;
        expect(gift).toMatchObject({ nanoUsd: 7, atOnce: 3, requests });
        const fair = limit > 0 ? Math.floor((count * requests) / limit) : 0;
        const beyond = Math.max(count - (limit - requests), fair);
        expect(goes).toBe(asked > limit ? limit - asked : requests > 0 ? beyond : 0);
      }),
    );
  });
});

describe('what a call needs', () => {
  const money = (nanoUsd: number) => ({ nanoUsd, asRequest: false });

  it('is found on any part that has it, and then nothing moves', async () => {
    const id = await newKey(4, { requests_per_minute: 400, max_concurrent: 40 });
    await leave(id, 100, 100, 99, 100);
    await setOn(`${id}#1`, { [minute()]: 100 });
    const whole = await readRenewed(id);
    const found = async (need: Parameters<typeof gather>[1]) =>
      new Set(
        (await Promise.all(Array.from({ length: 80 }, () => gather(whole, need, Date.now())))).map(
          (seen) => seen?.key_id,
        ),
      );

    expect(await found(money(100))).toEqual(new Set([id, `${id}#1`, `${id}#3`]));
    expect(await found({ nanoUsd: 100, asRequest: true })).toEqual(new Set([id, `${id}#3`]));
    await setOn(id, { running: 10 });
    const { parts } = await readRenewed(id);
    for (let tries = 0; tries < 20; tries += 1) {
      const seen = await gather({ ...whole, parts }, { nanoUsd: 1, asRequest: true }, Date.now());
      expect([`${id}#2`, `${id}#3`]).toContain(seen?.key_id);
    }
    expect((await partsOf(id)).map(({ ceiling }) => ceiling)).toEqual([250, 250, 250, 250]);
  });

  it('goes to the part that has most of it, from the richest of the others', async () => {
    const id = await newKey(4);
    await leave(id, 50, 150, 240, 200);

    const seen = await gather(await readRenewed(id), money(400), Date.now());

    expect(seen).toMatchObject({ key_id: `${id}#2`, available: 400 });
    expect((await partsOf(id)).map(({ available }) => available)).toEqual([50, 150, 400, 40]);
  });

  it('goes rather to a part that may make the request', async () => {
    const id = await newKey(4, { requests_per_minute: 40, max_concurrent: 8 });
    await leave(id, 240, 230, 100, 90);
    await setOn(id, { [minute()]: 10 });
    await setOn(`${id}#1`, { running: 2 });

    const seen = await gather(await readRenewed(id), { nanoUsd: 245, asRequest: true }, Date.now());

    expect(seen).toMatchObject({ key_id: `${id}#2`, available: 245 });
  });

  it('is no limit of requests that was given away, though some were undone there', async () => {
    const id = await newKey(2, { requests_per_minute: 2, max_concurrent: 2 });
    await setOn(id, { requests_per_minute: 0, [minute()]: -1 });
    await setOn(`${id}#1`, { requests_per_minute: 2 });

    const seen = await gather(await readRenewed(id), { nanoUsd: 1, asRequest: true }, Date.now());

    expect(seen?.key_id).toBe(`${id}#1`);
  });

  it('is lacking requests and slots, which come from where most are left', async () => {
    const id = await newKey(4, { requests_per_minute: 40, max_concurrent: 8 });
    for (const [index, { key_id }] of (await partsOf(id)).entries()) {
      await setOn(key_id, { [minute()]: index === 2 ? 7 : 10, running: index === 3 ? 0 : 2 });
    }

    const seen = await gather(await readRenewed(id), { nanoUsd: 1, asRequest: true }, Date.now());

    const parts = await partsOf(id);
    const to = parts.find(({ key_id }) => key_id === seen?.key_id);
    expect(seen?.key_id).toMatch(/#[23]$/);
    expect(to?.requests_per_minute).toBeGreaterThan(to?.[minute()] ?? 0);
    expect(to?.max_concurrent).toBeGreaterThan(to?.running ?? 0);
    expect(sum(parts.map((part) => part.requests_per_minute))).toBe(40);
    expect(sum(parts.map((part) => part.max_concurrent))).toBe(8);
    expect(sum(parts.map((part) => part[minute()] ?? 0))).toBe(37);
  });

  it.each<[string, Partial<Account>, Partial<Account>]>([
    ['none', {}, { requests_per_minute: 10, max_concurrent: 2 }],
    ['a request', { [minuteName]: 10 }, { requests_per_minute: 11, max_concurrent: 2 }],
    ['a slot', { running: 2 }, { requests_per_minute: 10, max_concurrent: 3 }],
    [
      'what it has too many',
      { [minuteName]: 12, running: 4 },
      { requests_per_minute: 13, max_concurrent: 5 },
    ],
    [
      'a limit, though one was undone',
      { requests_per_minute: 0, [minuteName]: -1 },
      { requests_per_minute: 1, max_concurrent: 2 },
    ],
  ])('comes to a part that lacks %s, and no more of it', async (_, has, then) => {
    const id = await newKey(4, { requests_per_minute: 40, max_concurrent: 8 });
    await setOn(id, atMinute(has));
    const now = Date.now();

    await gather(await readRenewed(id, now), { nanoUsd: 1, asRequest: true }, now, id);

    expect(await accountOf(id)).toMatchObject({ ...then, available: 250 });
  });

  it.each([
    ['money', { nanoUsd: 641, asRequest: false }, 4],
    ['a request', { nanoUsd: 1, asRequest: true }, 10],
  ])('is nowhere if all parts together lack %s', async (_, need, counted) => {
    const id = await newKey(4, { requests_per_minute: 40 });
    await leave(id, 50, 150, 240, 200);
    for (const { key_id } of await partsOf(id)) await setOn(key_id, { [minute()]: counted });
    const before = await partsOf(id);

    expect(await gather(await readRenewed(id), need, Date.now())).toBeUndefined();

    expect(await partsOf(id)).toEqual(before);
  });

  it('is not on a part that takes no holds', async () => {
    const id = await newKey(4);
    await setOn(id, { open_parts: 2 });
    await leave(id, 10, 20, 240, 200);

    const seen = await gather(await readRenewed(id), money(25), Date.now());

    expect(seen).toMatchObject({ key_id: `${id}#1`, available: 25 });
  });

  it('comes to the part of a call under way, as far as there is so much', async () => {
    const id = await newKey(4);
    await leave(id, 10, 20, 30, 40);

    expect(await gatherInto(`${id}#1`, 60)).toBe(60);
    expect((await accountOf(`${id}#1`)).available).toBe(60);
    expect(await gatherInto(`${id}#1`, 500)).toBe(100);
    expect((await partsOf(id)).map(({ available }) => available)).toEqual([0, 100, 0, 0]);
    await leave(id, 0, 0, 0, 0);
    expect(await gatherInto(`${id}#1`, 500)).toBe(0);
  });

  it('comes to a closed part once what the account owes is made up for', async () => {
    const id = await newKey(2);
    await closeParts(id);
    await leave(id, -30, 90);

    expect(await gatherInto(`${id}#1`, 70)).toBe(60);

    expect((await partsOf(id)).map(({ available }) => available)).toEqual([0, 60]);
  });
});

describe('a large sum', () => {
  const anAmount = fc.oneof(
    fc.integer({ min: -50, max: 1_000 }),
    fc.integer({ min: 0, max: 1e15 }),
  );
  const someParts = fc
    .record({
      own: anAmount,
      others: fc.array(anAmount, { minLength: 1, maxLength: 7 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    .map(({ own, others, share }) => {
      const rich = others.filter((available) => available > 0);
      const most = own + sum(rich);
      const least = Math.max(own, 0) + 1;
      return { own, others, nanoUsd: least + Math.floor((most - least) * share), most };
    })
    .filter(({ nanoUsd, most, own }) => nanoUsd > own && nanoUsd <= most);

  it('comes from all parts in proportion to what they have, and all of it', () => {
    fc.assert(
      fc.property(someParts, ({ own, others, nanoUsd }) => {
        const parts = [own, ...others].map((available) => ({ available })) as Whole['parts'];
        const whole = Math.max(own, 0) + sum(others.filter((each) => each > 0));

        const gifts = giftsFromAll({ account: {} as Account, parts }, nanoUsd);

        const left = own + sum(gifts.map(({ share }) => share.nanoUsd)) - nanoUsd;
        const fair = (part: number) => Number((BigInt(part) * BigInt(nanoUsd)) / BigInt(whole));
        expect(left).toBe(own > 0 ? own - fair(own) : 0);
        for (const { from, share } of gifts) {
          expect(share).toMatchObject({ requests: 0, atOnce: 0 });
          expect(share.nanoUsd).toBeGreaterThan(0);
          expect(share.nanoUsd).toBeLessThanOrEqual(from.available);
          if (own < 0) continue;
          // Each is rounded down, and the last gives what that leaves.
          expect(share.nanoUsd).toBeGreaterThanOrEqual(fair(from.available));
          expect(share.nanoUsd).toBeLessThan(fair(from.available) + parts.length);
        }
      }),
    );
  });
});

describe('a closed part', () => {
  it('gives back the money, requests and slots that its calls leave', async () => {
    const id = await newKey(2, { requests_per_minute: 40, max_concurrent: 8 });
    await setOn(`${id}#1`, { [minute()]: 6, running: 1, running_1: 1 });
    await leave(id, 500, 200);

    await closeParts(id);

    const [own, part] = await partsOf(id);
    expect(part).toMatchObject({ closed: true, ceiling: 300, available: 0, max_concurrent: 1 });
    expect(part).toMatchObject({ requests_per_minute: 6, [minute()]: 2 });
    expect(own).toMatchObject({ open_parts: 1, parts: 2, available: 700, max_concurrent: 7 });
    expect(own).toMatchObject({ requests_per_minute: 34, [minute()]: 4 });
  });

  it.each<[string, Partial<Account>, Partial<Account>]>([
    ['cent', { available: 1, ceiling: 1 }, { ceiling: 1001, available: 1001 }],
    ['request', { requests_per_minute: 1 }, { requests_per_minute: 41 }],
    ['slot', { max_concurrent: 1 }, { max_concurrent: 9 }],
  ])('brings home a single %s', async (_, left, then) => {
    const id = await newKey(2, { requests_per_minute: 40, max_concurrent: 8 });
    await closeParts(id);
    await setOn(`${id}#1`, left);

    await bringHome(id);

    expect(await accountOf(id)).toMatchObject(then);
    // No count comes with it that would allow more.
    expect((await accountOf(id))[minute()] ?? 0).toBe(0);
  });

  it('owes nothing to its account, and brings no limit that it has not', async () => {
    const id = await newKey(2, { requests_per_minute: 40, max_concurrent: 8 });
    await closeParts(id);
    const before = await partsOf(id);
    await setOn(`${id}#1`, { available: -5, [minute()]: -3, running: 2 });

    await bringHome(id);

    const [own, part] = await partsOf(id);
    expect(own).toEqual(before[0]);
    expect(part).toMatchObject({ available: -5, max_concurrent: 0, requests_per_minute: 0 });
  });

  it('has its account keep a limit that is none', async () => {
    const id = await newKey(4);
    await closeParts(id);

    const [own, ...others] = await partsOf(id);
    const none = { requests_per_minute: unlimitedRequests, max_concurrent: unlimitedRequests };
    expect(own).toMatchObject({ ceiling: 1000, available: 1000, ...none });
    expect(others.map(({ closed, available }) => [closed, available])).toEqual(
      others.map(() => [true, 0]),
    );
  });

  it('is not asked for a hold any more, and one that is open still is', async () => {
    const id = await newKey(4);
    await changeAccountLimits(id, {
      ...{ budget_usd: usd(2000), duration: '1h' },
      ...{ requests_per_minute: null, max_concurrent: null },
    });
    await closeParts(id);

    const holds = await Promise.all(Array.from({ length: 8 }, () => reserve(id, 10, subject)));

    expect(new Set(holds.map(({ charge }) => charge.key_id))).toEqual(new Set([id]));
    await Promise.all(holds.map(release));
  });
});

it('all parts together have what each has, and spent what they spent in the account’s window', () => {
  const partOf = (index: number, window: string, rest: Partial<Account> = {}) =>
    ({
      ...{ key_id: `key#${index}`, window_ends_at: window, ceiling: 100, held: 20, spent: 30 },
      ...{ available: 50, requests_per_minute: 10, max_concurrent: 5, ...rest },
    }) as Account;

  const whole = wholeOf([
    partOf(0, 'now', { requests_7: 2 }),
    partOf(1, 'now', { running: 3, requests_7: 4, requests_8: 1 }),
    partOf(2, 'before', { running: 1 }),
  ]);

  expect(whole).toEqual(
    partOf(0, 'now', {
      ...{ ceiling: 300, held: 60, spent: 60, available: 180, running: 4 },
      ...{ requests_per_minute: 30, max_concurrent: 15, requests_7: 6, requests_8: 1 },
    }),
  );
  const none = { requests_per_minute: unlimitedRequests, max_concurrent: unlimitedRequests };
  expect(wholeOf([partOf(0, 'now', none), partOf(1, 'now', none)])).toMatchObject(none);
});
