import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { type Account, requestsAttribute } from '../../shared/ledger/account/account.ts';
import { lastSeen, remember } from '../../shared/ledger/account/last-seen.ts';
import { processLeases } from '../../shared/ledger/leases/lease-set.ts';
import { closeParts } from '../../shared/ledger/parts/close.ts';
import { holdJointly } from '../../shared/ledger/parts/hold-jointly.ts';
import { isInParts, payersOf, pickPart, wholeSeen } from '../../shared/ledger/parts/payers.ts';
import { readRenewed, renewPart } from '../../shared/ledger/parts/whole.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import { pass, useFreshHour } from '../support/worlds/clock.ts';
import { accountOf, partsOf, setOn, usd } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';
import { inParts } from './exact-accounts.ts';

await useStore();

useFreshHour();

afterEach(() => dynamodb.middlewareStack.remove('counted'));

/** Counts the updates that are sent from now on. */
function countUpdates(): { sent: number } {
  const updates = { sent: 0 };
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === 'UpdateItemCommand') updates.sent += 1;
        return next(args);
      },
    { step: 'initialize', name: 'counted', override: true },
  );
  return updates;
}

async function newAccount(of: 'key' | 'team', budget: number, duration: string | null = null) {
  const id = `${of}_${randomUUID()}`;
  await openAccount(id, new Date().toISOString(), {
    ...{ budget_usd: usd(budget), duration, requests_per_minute: null, max_concurrent: null },
  });
  return id;
}

describe('what a process has seen of an account', () => {
  const see = (key_id: string, fields: Partial<Account>) =>
    remember({ key_id, available: 0, held: 0, ...fields } as Account);

  it('is all of it where it has no parts', () => {
    const id = `key_${randomUUID()}`;
    see(id, { available: 7, held: 3 });

    expect(isInParts(id)).toBe(false);
    expect(wholeSeen(lastSeen(id))).toMatchObject({ available: 7, held: 3 });
  });

  it('is taken for all open parts, as if the others were like those seen', () => {
    const id = `key_${randomUUID()}`;
    see(id, { available: 10, held: 1, parts: 8, open_parts: 4 });
    see(`${id}#1`, { available: 21, held: 2 });
    see(`${id}#5`, { available: 900, held: 900 });

    expect(isInParts(id)).toBe(true);
    expect(isInParts(`${id}#1`)).toBe(true);
    expect(wholeSeen(lastSeen(`${id}#1`))).toEqual({ available: 62, held: 6 });
    see(`${id}#2`, { available: 1, held: 0 });
    expect(wholeSeen(lastSeen(id))).toEqual({ available: 42, held: 4 });
  });

  it('is plenty where no part of it was seen', () => {
    const id = `key_${randomUUID()}`;

    expect(isInParts(id)).toBe(false);
    expect(wholeSeen(lastSeen(`${id}#1`))).toEqual({
      available: Number.POSITIVE_INFINITY,
      held: 0,
    });
  });

  it('says which of its open parts may be asked, each as often', () => {
    const id = `key_${randomUUID()}`;
    see(id, { parts: 8, open_parts: 4 });
    const drawn = [0, 0.24, 0.25, 0.5, 0.75, 0.999].map((chance) => {
      vi.spyOn(Math, 'random').mockReturnValue(chance);
      return pickPart(id);
    });

    expect(drawn).toEqual([id, id, `${id}#1`, `${id}#2`, `${id}#3`, `${id}#3`]);
  });

  it('says that its team pays, too, also where the part that is asked was not seen', () => {
    const [id, team] = [`key_${randomUUID()}`, `team_${randomUUID()}`];
    see(id, { parts: 2, open_parts: 2, team });
    see(team, { available: 5 });
    vi.spyOn(Math, 'random').mockReturnValue(0.9);

    expect(payersOf(id)).toMatchObject([{ key_id: `${id}#1` }, { key_id: team, available: 5 }]);
    expect(payersOf(team)).toMatchObject([{ key_id: team }]);
  });
});

describe('a hold on a key and its team', () => {
  async function keyInTeam(keyBudget: number, teamBudget: number) {
    const [key, team] = [await newAccount('key', keyBudget), await newAccount('team', teamBudget)];
    await putInTeam(key, team);
    for (const id of [key, team]) remember(await accountOf(id));
    return { key, team };
  }

  it('asks both at once, and a key that refused the last one by itself', async () => {
    const { key } = await keyInTeam(100, 1_000);
    let updates = countUpdates();
    expect(await holdJointly(payersOf(key), { holdNanoUsd: 200 }, Date.now(), true)).toMatchObject({
      refusedBy: [{ key_id: key }],
    });
    // What the team held is undone.
    expect(updates.sent).toBe(3);

    updates = countUpdates();
    await holdJointly(payersOf(key), { holdNanoUsd: 200 }, Date.now(), true);
    expect(updates.sent).toBe(1);
  });

  it('held on the key alone is undone with all of its requests', async () => {
    const { key, team } = await keyInTeam(1_000, 100);
    const { requests_per_minute, max_concurrent } = await accountOf(key);
    const requests = { count: 4, requests_per_minute, max_concurrent };

    const joint = await holdJointly(
      payersOf(key),
      { holdNanoUsd: 200, requests },
      Date.now(),
      true,
    );

    expect(joint).toMatchObject({
      refusedBy: [{ key_id: team, available: 100 }],
      payers: [{ key_id: key, available: 1_000 }, { key_id: team }],
    });
    const minute = requestsAttribute(Date.now());
    expect(await accountOf(key)).toMatchObject({ held: 0, running: 0, [minute]: 0 });
  });

  it('goes by the team that the account names, whatever was remembered', async () => {
    const { key, team } = await keyInTeam(1_000, 1_000);
    const other = await newAccount('team', 1_000);
    await setOn(key, { team: other });

    const joint = await holdJointly(payersOf(key), { holdNanoUsd: 30 }, Date.now(), true);

    expect(joint.held).toMatchObject({ account: { key_id: key }, team: { key_id: other } });
    expect(await accountOf(key)).toMatchObject({ held: 30, running: 1 });
    expect(await accountOf(other)).toMatchObject({ held: 30 });
    expect(await accountOf(team)).toMatchObject({ held: 0, available: 1_000 });
  });

  it('fails where a part is gone, of which nothing is remembered then', async () => {
    const key = await newAccount('key', 1_000);
    remember({ ...(await accountOf(key)), parts: 4, open_parts: 4 });
    vi.spyOn(Math, 'random').mockReturnValue(0.9);

    const holding = holdJointly(payersOf(key), { holdNanoUsd: 30 }, Date.now(), true);

    await expect(holding).rejects.toThrow('has no account');
    expect(lastSeen(key).account).toBeUndefined();
  });

  it('is below a bound on the account that has least, and on no other', async () => {
    const { key, team } = await keyInTeam(1_000, 500);
    const fit = { holdNanoUsd: 30, from: 300, below: 600 };

    expect((await holdJointly(payersOf(key), fit, Date.now(), true)).held).toBeDefined();
    await setOn(team, { available: 600 });
    expect(await holdJointly(payersOf(key), fit, Date.now(), true)).toMatchObject({
      refusedBy: [{ key_id: team }],
    });
  });

  it('needs of a part what it holds, or must leave there', async () => {
    const id = await inParts(await newAccount('key', 1_000), 4);
    for (const part of await partsOf(id)) remember(part);
    const hold = (fit: { holdNanoUsd: number; from?: number }) =>
      holdJointly(payersOf(id), fit, Date.now(), true);

    expect((await hold({ holdNanoUsd: 30, from: 900 })).held).toBeDefined();
    expect((await hold({ holdNanoUsd: 0, from: 251 })).held).toBeUndefined();
    expect((await hold({ holdNanoUsd: 0, from: 200 })).held).toBeDefined();
    expect((await hold({ holdNanoUsd: 0 })).held).toBeDefined();
  });
});

describe('the window of parts', () => {
  it('is renewed for all of them before shares move', async () => {
    const id = await inParts(await newAccount('key', 1_000, '10s'), 2);
    const [before] = await partsOf(id);
    pass(10_000);

    const { account, parts } = await readRenewed(id);

    expect(account.window_number).toBe(1);
    for (const part of parts) {
      expect(part.window_number).toBe(1);
      expect(part.window_starts_at).toBe(before?.window_ends_at);
    }
  });

  it('is that of a clock ahead, if another has renewed it', async () => {
    const id = await inParts(await newAccount('key', 1_000, '10s'), 2);
    const [, part] = await partsOf(id);
    if (part) await renewPart(part, Date.now() + 10_000);
    const [own, renewed] = await partsOf(id);
    expect([own?.window_number, renewed?.window_number]).toEqual([1, 1]);

    const { parts } = await readRenewed(id, Date.now());

    expect(parts.map(({ window_number }) => window_number)).toEqual([1, 1]);
  });

  it('is renewed once for an account, though a part asks for it later', async () => {
    const id = await inParts(await newAccount('key', 1_000, '10s'), 2);
    const [own, part] = await partsOf(id);
    pass(10_000);
    if (own && part) {
      await renewPart(own, Date.now());
      await renewPart(part, Date.now());
    }

    expect((await partsOf(id)).map(({ window_number }) => window_number)).toEqual([1, 1]);
  });

  it('is of no account that isn’t there', async () => {
    await expect(readRenewed('key_none')).rejects.toThrow('key_none has no account');
    await expect(closeParts('key_none')).resolves.toBeUndefined();
  });
});

it('a process has leases if they are on, and the same ones from then on', async () => {
  expect(processLeases()).toBeUndefined();
  vi.resetModules();
  vi.stubEnv('LEASES', 'on');
  const anew = await import('../../shared/ledger/leases/lease-set.ts');

  const leases = anew.processLeases();

  expect(leases).toBeDefined();
  vi.unstubAllEnvs();
  expect(anew.processLeases()).toBe(leases);
});
