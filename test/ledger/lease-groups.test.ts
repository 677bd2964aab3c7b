import { randomUUID } from 'node:crypto';
import { type BatchExecuteStatementOutput, ThrottlingException } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { holdOnAccount } from '../../shared/ledger/account/hold-account.ts';
import { renewWindow } from '../../shared/ledger/account/renew-window.ts';
import { ChargeGroup } from '../../shared/ledger/leases/charge-group.ts';
import { CreditGroups } from '../../shared/ledger/leases/credit-groups.ts';
import { Leases } from '../../shared/ledger/leases/lease-set.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import type { Charge } from '../../shared/ledger/terms/charge.ts';
import { writtenLines } from '../support/run/output.ts';
import { minuteMs, pass, useFreshHour } from '../support/worlds/clock.ts';
import { accountOf, chargesOf, usd } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore();

useFreshHour();

afterEach(() => dynamodb.middlewareStack.remove('inTheWay'));

interface Sent {
  commandName: string;
  statements: number;
}

/** Lists what is sent from now on, and lets a test change what comes back. */
function watch(change: (output: BatchExecuteStatementOutput) => void = () => {}) {
  const sent: Sent[] = [];
  dynamodb.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const { Statements = [] } = args.input as { Statements?: unknown[] };
        sent.push({ commandName, statements: Statements.length });
        const result = await next(args);
        if (commandName === 'BatchExecuteStatementCommand')
          change(result.output as BatchExecuteStatementOutput);
        return result;
      },
    { step: 'initialize', name: 'inTheWay', override: true },
  );
  return sent;
}

const named = (sent: Sent[], name: string) =>
  sent.filter(({ commandName }) => commandName === name).map(({ statements }) => statements);

describe('charges that end together', () => {
  const chargeOf = (key_id: string): Charge => ({
    ...{ key_id, entry: `charge_${randomUUID()}`, status: 'settled', hold: 100, window: 0 },
    ...{ request: true, cost: 40, model: 'gpt-5-mini', tags: ['chat', 'batch'] },
    ...{ metadata: { of: 'a group' }, created_at: new Date().toISOString(), expires_at: 4e9 },
    ended_at: new Date().toISOString(),
  });
  const put = (group: ChargeGroup, charges: Charge[]) =>
    Promise.all(charges.map((charge) => group.put(charge, new AbortController().signal)));
  const byEntry = (charges: Charge[]) => charges.toSorted((a, b) => (a.entry < b.entry ? -1 : 1));

  it('are written 25 at a time, each as it is, and none again', async () => {
    const key = `key_${randomUUID()}`;
    const charges = Array.from({ length: 30 }, () => chargeOf(key));
    const sent = watch();
    const group = new ChargeGroup();

    await put(group, charges);
    await put(group, [{ ...(charges[0] as Charge), cost: 99, team: undefined } as never]);

    expect(named(sent, 'BatchExecuteStatementCommand')).toEqual([1, 25, 4, 1]);
    expect(named(sent, 'PutItemCommand')).toEqual([]);
    expect(byEntry(await chargesOf(key))).toEqual(byEntry(charges));
  });

  it('are written without what they lack', async () => {
    const charge = { ...chargeOf(`key_${randomUUID()}`), team: undefined } as unknown as Charge;

    const sent = watch();
    await put(new ChargeGroup(), [charge]);

    expect(named(sent, 'PutItemCommand')).toEqual([]);
    expect(await chargesOf(charge.key_id)).toEqual([JSON.parse(JSON.stringify(charge))]);
  });

  it.each([
    [
      'one that is refused alone',
      1,
      (responses: object[]) =>
        Object.assign(responses[0] as object, { Error: { Code: 'ThrottlingError' } }),
    ],
    ['those that nothing is said of', 5, (responses: object[]) => responses.splice(0)],
  ])('are written alone where the group was not: %s', async (_, alone, change) => {
    const key = `key_${randomUUID()}`;
    const charges = Array.from({ length: 5 }, () => chargeOf(key));
    const group = new ChargeGroup();
    await put(group, [chargeOf(key)]);
    const sent = watch(({ Responses = [] }) => void (Responses.length === 4 && change(Responses)));

    await put(group, charges);

    expect(named(sent, 'PutItemCommand')).toHaveLength(alone === 5 ? 4 : 1);
    expect(await chargesOf(key)).toHaveLength(6);
  });

  it('are written alone where the group fails, which the log tells', async () => {
    const key = `key_${randomUUID()}`;
    const sent = watch(() => {
      throw new ThrottlingException({ message: 'Too hot', $metadata: {} });
    });

    await put(new ChargeGroup(), [chargeOf(key), chargeOf(key), chargeOf(key)]);

    expect(named(sent, 'PutItemCommand')).toHaveLength(3);
    expect(await chargesOf(key)).toHaveLength(3);
    const told = writtenLines().map((line) => JSON.parse(line));
    expect(told.filter(({ level }) => level === 'warn')).toMatchObject(
      [1, 2].map((charges) => ({ message: 'charges not written together', charges })),
    );
  });
});

describe('credits that come together', () => {
  const noLimits = {
    ...{ budget_usd: usd(1_000), duration: null },
    ...{ requests_per_minute: null, max_concurrent: null },
  };

  async function newAccount(duration: string | null = null) {
    const id = `key_${randomUUID()}`;
    await openAccount(id, new Date().toISOString(), { ...noLimits, duration });
    return id;
  }

  /** Holds 10 on an account. Returns what it holds of the call. */
  async function hold(key_id: string, isRequest = true) {
    const heldAtMs = Date.now();
    const { isHeld, account } = await holdOnAccount(
      key_id,
      { holdNanoUsd: 10 },
      heldAtMs,
      isRequest,
    );
    expect(isHeld).toBe(true);
    const { window_number: window = 0 } = account;
    return { key_id, holdNanoUsd: 10, heldAtMs, window, isRequest, isCharged: true };
  }

  it('are one update of their account, epoch and window, with what they add up to', async () => {
    const [key, other] = [await newAccount(), await newAccount()];
    const early = [await hold(key), await hold(key), await hold(key, false), await hold(other)];
    pass(4 * minuteMs);
    const late = [await hold(key), await hold(key)];
    const groups = new CreditGroups(0);
    const first = groups.add(early[0] as (typeof early)[0], 1);
    const sent = watch();

    const credited = await Promise.all([
      first,
      ...[...early.slice(1), ...late].map((part) => groups.add(part, 3)),
    ]);

    expect(credited.every(({ isCertain }) => isCertain)).toBe(true);
    // Of the first alone, the other account, and two epochs.
    expect(named(sent, 'UpdateItemCommand')).toHaveLength(4 - 1);
    expect(await accountOf(key)).toMatchObject({ held: 0, spent: 13, running: 0, available: 987 });
    expect(await accountOf(other)).toMatchObject({ held: 0, spent: 3, running: 0 });
    expect(credited[1]?.account?.key_id).toBe(key);
  });

  it('cost in the windows of their holds', async () => {
    const key = await newAccount('10s');
    const before = await hold(key);
    pass(10_000);
    await renewWindow(await accountOf(key), Date.now());
    const after = await hold(key);
    const groups = new CreditGroups(0);
    await groups.add(await hold(key, false), 0);

    await Promise.all([groups.add(before, 5), groups.add(after, 3)]);

    expect(await accountOf(key)).toMatchObject({ held: 0, spent: 3, running: 0, available: 997 });
  });

  it('wait for each other until they are asked for', async () => {
    const key = await newAccount();
    const parts = [await hold(key), await hold(key)] as const;
    const groups = new CreditGroups(60_000);
    await groups.add(parts[0], 4);
    let isThere = false;
    const second = groups.add(parts[1], 4).then(() => {
      isThere = true;
    });
    expect(await accountOf(key)).toMatchObject({ held: 10 });
    expect(isThere).toBe(false);

    expect(await groups.flush('key_other')).toBe(false);
    expect(await groups.flush(key)).toBe(true);

    await second;
    expect(await accountOf(key)).toMatchObject({ held: 0, spent: 8 });
    expect(await groups.flush(key)).toBe(false);
    expect(groups['groups'].size).toBe(0);
  });

  it.each<[string, string, (id: string) => [string, string?]]>([
    ['a key', '', (id) => [id]],
    ['a part of a key', '#63', (id) => [id]],
    ['a team', '', (id) => ['key_other', id]],
    ['a team of which another part is asked', '#1', (id) => ['key_other', `${id}#2`]],
  ])('are written before a refusal: of %s', async (_, part, asked) => {
    const id = `key_${randomUUID()}`;
    await openAccount(`${id}${part}`, new Date().toISOString(), noLimits);
    const leases = new Leases({ pauseMs: 60_000 });
    await leases.credits.add(await hold(`${id}${part}`), 0);
    void leases.credits.add(await hold(`${id}${part}`), 4);
    const [keyId, teamId] = asked(id);

    expect(await leases.giveBack(keyId, teamId)).toBe(true);

    expect(await accountOf(`${id}${part}`)).toMatchObject({ held: 0, spent: 4 });
    expect(await leases.giveBack(keyId, teamId)).toBe(false);
  });

  it('are written when the process ends, of all accounts', async () => {
    const keys = [await newAccount(), await newAccount()];
    const leases = new Leases({ pauseMs: 60_000 });
    for (const key of keys) {
      await leases.credits.add(await hold(key), 1);
      void leases.credits.add(await hold(key), 1);
    }

    await leases.close();

    for (const key of keys) expect(await accountOf(key)).toMatchObject({ held: 0, spent: 2 });
  });
});
