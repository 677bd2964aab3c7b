import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { requestsAttribute } from '../../shared/ledger/account/account.ts';
import type { LeaseOptions } from '../../shared/ledger/leases/key-leases.ts';
import { Leases } from '../../shared/ledger/leases/lease-set.ts';
import { findWhole } from '../../shared/ledger/parts/whole.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { type Hold, reserve } from '../../shared/ledger/reserve.ts';
import { release, settle } from '../../shared/ledger/settle.ts';
import { useFreshHour } from '../support/worlds/clock.ts';
import { accountOf, chargesOf, partsOf, sum, usd } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';
import { inParts } from './exact-accounts.ts';

await useStore();

useFreshHour();

const subject = { model: 'gpt-5-mini', tags: ['chat'] };

interface Limits {
  budget?: number;
  requests_per_minute?: number;
  max_concurrent?: number;
}

async function openKey({ budget, ...limits }: Limits): Promise<string> {
  const keyId = `key_${randomUUID()}`;
  await openAccount(keyId, new Date().toISOString(), {
    ...{ budget_usd: budget === undefined ? null : usd(budget), duration: null },
    ...{ requests_per_minute: null, max_concurrent: null, ...limits },
  });
  return keyId;
}

/** The leases of a process, which last until calls have come to them, however slow the machine is. */
const newProcess = (options: Partial<LeaseOptions> = {}) => new Leases({ ms: 60_000, ...options });

const costing = (costNanoUsd: number) =>
  ({ costNanoUsd, figures: 'exact', promptTokens: 1, completionTokens: 1 }) as const;

/** Waits until the process knows of the lease that the store has. */
const leaseOf = (keyId: string, leases: Leases) =>
  expect.poll(() => leases['keys'].get(keyId)?.['beginning']).toBeUndefined();

/** Holds many calls at once in each of some processes. Returns those that were held, and the codes of the refused. */
async function holdMany(keyId: string, processes: Leases[], times: number, holdNanoUsd: number) {
  const calls = processes.flatMap((leases) =>
    Array.from({ length: times }, () => reserve(keyId, holdNanoUsd, subject, { leases })),
  );
  const ends = await Promise.allSettled(calls);
  return {
    held: ends.flatMap((end) => (end.status === 'fulfilled' ? end.value : [])),
    refused: ends.flatMap((end) => (end.status === 'rejected' ? end.reason.code : [])),
  };
}

async function endAll(holds: Hold[], processes: Leases[], costNanoUsd: number): Promise<void> {
  await Promise.all(holds.map((hold) => settle(hold, costing(costNanoUsd))));
  await Promise.all(processes.map((leases) => leases.close()));
}

it('calls of a busy key are held ahead, and written together, with each charge as ever', async () => {
  const keyId = await openKey({});
  const leases = newProcess();
  const first = await holdMany(keyId, [leases], 20, 100);
  await expect.poll(async () => (await accountOf(keyId)).held).toBeGreaterThan(2_000);
  await leaseOf(keyId, leases);

  const then = await holdMany(keyId, [leases], 10, 100);

  expect(then.held.filter((hold) => hold.leases)).toHaveLength(10);
  await endAll([...first.held, ...then.held], [leases], 7);
  const charges = await chargesOf(keyId);
  expect(charges).toHaveLength(30);
  expect(new Set(charges.map(({ hold, cost, request }) => `${hold} ${cost} ${request}`))).toEqual(
    new Set(['100 7 true']),
  );
  const account = await accountOf(keyId);
  expect(account).toMatchObject({ held: 0, running: 0, spent: 210 });
  expect(account[requestsAttribute(Date.now())]).toBe(30);
});

it.each([
  ['budget_exceeded', { budget: 10_000 }],
  ['rate_limit_exceeded', { requests_per_minute: 100 }],
  ['rate_limit_exceeded', { max_concurrent: 100 }],
])('two processes hold exactly as many calls as a limit allows: %s %o', async (code, limits) => {
  const keyId = await openKey(limits);
  // A twentieth, as usual, is too little for a lease once the other process has held its calls.
  const processes = [newProcess({ share: 5 }), newProcess({ share: 5 })];
  const held: Hold[] = [];
  const refused: string[] = [];
  for (let times = 0; times < 8; times += 1) {
    const more = await holdMany(keyId, processes, 10, 100);
    held.push(...more.held);
    refused.push(...more.refused);
    if (times === 6)
      await Promise.all(processes.map((leases) => leases.giveBack(keyId, undefined)));
  }

  expect(held).toHaveLength(100);
  expect(held.some((hold) => hold.leases)).toBe(true);
  expect(new Set(refused)).toEqual(new Set([code]));
  await endAll(held, processes, 50);
  const account = await accountOf(keyId);
  expect(account).toMatchObject({ held: 0, running: 0, spent: 5_000 });
  expect(account[requestsAttribute(Date.now())]).toBe(100);
  expect(sum((await chargesOf(keyId)).map(({ cost = 0 }) => cost))).toBe(5_000);
});

it('a call that lacks what a lease of its own process has left is held, and not refused', async () => {
  const keyId = await openKey({ budget: 100_000 });
  const leases = newProcess();
  const { held } = await holdMany(keyId, [leases], 20, 100);
  await expect.poll(async () => (await accountOf(keyId)).held).toBeGreaterThan(2_000);
  await leaseOf(keyId, leases);

  const large = await reserve(keyId, 98_000, subject, { leases });

  expect(large.leases).toBeUndefined();
  expect(await accountOf(keyId)).toMatchObject({ held: 100_000, available: 0 });
  await Promise.all([...held, large].map(release));
});

it('a process that ends gives back what its leases have left', async () => {
  const keyId = await openKey({});
  const leases = newProcess();
  const { held } = await holdMany(keyId, [leases], 20, 100);
  await expect.poll(async () => (await accountOf(keyId)).held).toBeGreaterThan(2_000);
  await leaseOf(keyId, leases);

  await leases.close();

  expect(await accountOf(keyId)).toMatchObject({ held: 2_000, running: 20 });
  expect((await accountOf(keyId))[requestsAttribute(Date.now())]).toBe(20);
  await Promise.all(held.map(release));
});

it('a lease lies on one part of an account, with its calls, and gives back there what they leave', async () => {
  const keyId = await inParts(await openKey({ budget: 1_000_000 }), 4);
  const leases = newProcess();
  const first = await holdMany(keyId, [leases], 20, 100);
  await expect.poll(async () => (await findWhole(keyId))?.held).toBeGreaterThan(2_000);
  await leaseOf(keyId, leases);
  const then = await holdMany(keyId, [leases], 3, 100);

  expect(then.held.filter((hold) => hold.leases)).toHaveLength(3);
  await endAll([...first.held, ...then.held], [leases], 7);

  const whole = await findWhole(keyId);
  expect(whole).toMatchObject({ held: 0, running: 0, spent: 161, available: 999_839 });
  expect(whole?.[requestsAttribute(Date.now())]).toBe(23);
  for (const part of await partsOf(keyId)) {
    const own = (await chargesOf(keyId)).filter(({ key_id }) => key_id === part.key_id);
    expect(part.spent).toBe(sum(own.map(({ cost = 0 }) => cost)));
  }
});

it('a call that lacks what leases on parts of its account have left finds it, and the next refusal is true', async () => {
  const keyId = await inParts(await openKey({ budget: 100_000 }), 4);
  const leases = newProcess();
  const { held } = await holdMany(keyId, [leases], 20, 100);
  await expect.poll(async () => (await findWhole(keyId))?.held).toBeGreaterThan(2_000);
  await leaseOf(keyId, leases);

  const large = await reserve(keyId, 98_000, subject, { leases });

  expect(await findWhole(keyId)).toMatchObject({ held: 100_000, available: 0 });
  await expect(reserve(keyId, 1, subject, { leases })).rejects.toMatchObject({
    code: 'budget_exceeded',
    details: { budget: { max_usd: usd(100_000), remaining_usd: 0 } },
  });
  await Promise.all([...held, large].map(release));
});
