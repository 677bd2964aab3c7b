import { randomUUID } from 'node:crypto';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, vi } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { setting } from '../../shared/config.ts';
import type { AccountLimits } from '../../shared/ledger/account/account.ts';
import { undoHold } from '../../shared/ledger/account/credit.ts';
import { holdOnAccount } from '../../shared/ledger/account/hold-account.ts';
import { changeAccountLimits } from '../../shared/ledger/change-limits.ts';
import { closeParts } from '../../shared/ledger/parts/close.ts';
import { grow } from '../../shared/ledger/parts/grow.ts';
import { everInTeam } from '../../shared/ledger/parts/members.ts';
import { happens, moving } from '../../shared/ledger/parts/move.ts';
import { findWhole } from '../../shared/ledger/parts/whole.ts';
import { raiseHold } from '../../shared/ledger/raise-hold.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { type Hold, reserve, reserveByPlan } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import {
  BudgetExceededError,
  ConcurrencyError,
  RequestsPerMinuteError,
} from '../../shared/ledger/terms/limit-errors.ts';
import { cases } from '../support/run/cases.ts';
import { minuteMs, pass, useFreshHour } from '../support/worlds/clock.ts';
import { inSomeOrders, interleave, type Process } from '../support/worlds/interleave.ts';
import { accountOf, followAccounts, partsOf, sum, usd } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore({ queues: true });

useFreshHour();

const expectSoundAccounts = followAccounts();

const subject = { model: 'gpt-5-mini', tags: ['chat'] };
const noLimits = { duration: null, requests_per_minute: null, max_concurrent: null };

/** Opens the account of a key, or of a team, with so many parts. */
async function newAccount(
  parts: number,
  budget: number,
  limits: Partial<AccountLimits> = {},
  of = 'key',
): Promise<string> {
  const id = `${of}_${randomUUID()}`;
  await openAccount(id, new Date().toISOString(), {
    ...noLimits,
    budget_usd: usd(budget),
    ...limits,
  });
  for (let open = 1; open < parts; open *= 2) expect(await grow(id)).toBe(true);
  return id;
}

const inTheWay = () =>
  new TransactionCanceledException({
    $metadata: {},
    message: 'a write is in the way',
    CancellationReasons: [{ Code: 'TransactionConflict' }],
  });

const costing = (hold: Hold) =>
  ({
    costNanoUsd: hold.charge.hold,
    figures: 'exact',
    promptTokens: 1,
    completionTokens: 1,
  }) as const;

/** Lets callers make calls at once, each until it is refused. Returns the refusals. */
async function callAllAtOnce(callers: number, call: () => Promise<unknown>): Promise<unknown[]> {
  return Promise.all(
    Array.from({ length: callers }, async () => {
      for (;;) {
        try {
          await call();
        } catch (error) {
          return error;
        }
      }
    }),
  );
}

it('shares what an account may spend and make among its parts', async () => {
  const id = await newAccount(4, 1000, { requests_per_minute: 40, max_concurrent: 8 });

  const parts = await partsOf(id);

  expect(parts.map(({ key_id }) => key_id)).toEqual([id, `${id}#1`, `${id}#2`, `${id}#3`]);
  expect(parts.map(({ available }) => available)).toEqual([250, 250, 250, 250]);
  expect(parts.map((part) => part.requests_per_minute)).toEqual([10, 10, 10, 10]);
  expect(parts.map((part) => part.max_concurrent)).toEqual([2, 2, 2, 2]);
});

it('spends a budget to the last call that fits by 64 callers at once on 8 parts, and its first refusal is true', async () => {
  const id = await newAccount(8, 4_000);
  const refusals: BudgetExceededError[] = [];

  const ends = await callAllAtOnce(64, async () => {
    const hold = await reserve(id, 30, subject).catch((error: BudgetExceededError) => {
      refusals.push(error);
      throw error;
    });
    await settle(hold, costing(hold));
  });

  expect((await findWhole(id))?.spent).toBe(3_990);
  expect(ends.every((error) => error instanceof BudgetExceededError)).toBe(true);
  expect(refusals).toHaveLength(64);
  for (const { details = {} } of refusals) {
    const { max_usd, used_usd, held_usd, remaining_usd } = details['budget'] as Record<
      string,
      number
    >;
    expect(max_usd).toBe(usd(4_000));
    expect(remaining_usd).toBeLessThan(usd(30));
    expect((used_usd ?? 0) + (held_usd ?? 0) + (remaining_usd ?? 0)).toBeCloseTo(usd(4_000), 12);
  }
  await expectSoundAccounts();
}, 60_000);

it('fits a hold to what all parts have, not to one of them', async () => {
  const id = await newAccount(4, 1000);
  const seen: number[] = [];
  const plan = {
    fit: ({ available }: { available: number }) => {
      seen.push(available);
      return available >= 900
        ? { holdNanoUsd: 90, from: 900 }
        : { holdNanoUsd: Math.floor(available / 10), below: 900 };
    },
  };

  const holds = [
    await reserveByPlan(id, plan, subject),
    await reserveByPlan(id, plan, subject),
    await reserveByPlan(id, plan, subject),
  ];

  expect(holds.map(({ hold }) => hold.charge.hold)).toEqual([90, 90, 82]);
  expect(seen.at(-1)).toBe(820);
});

it('holds all of a budget for one call, wherever its cents lie', async () => {
  const id = await newAccount(8, 1000);

  const hold = await reserve(id, 1000, subject);

  expect(hold.account).toMatchObject({ ceiling: 1000, held: 1000, available: 0 });
  await expect(reserve(id, 1, subject)).rejects.toBeInstanceOf(BudgetExceededError);
});

it('refuses in truth and spends to the last cent though no transaction can read its parts', async () => {
  const id = await newAccount(4, 1000);
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === 'TransactGetItemsCommand') throw inTheWay();
        return next(args);
      },
    { step: 'initialize', name: 'inTheWay' },
  );
  try {
    await callAllAtOnce(8, async () => {
      const hold = await reserve(id, 30, subject);
      await settle(hold, costing(hold));
    });
    expect((await findWhole(id))?.spent).toBe(990);
  } finally {
    dynamodb.middlewareStack.remove('inTheWay');
  }
  await expectSoundAccounts();
}, 30_000);

it('counts as many requests in a minute as an account may make, on whatever parts', async () => {
  const id = await newAccount(8, 1_000_000, { requests_per_minute: 50 });
  let calls = 0;

  const ends = await callAllAtOnce(16, async () => {
    await reserve(id, 1, subject);
    calls += 1;
  });

  expect(calls).toBe(50);
  expect(ends.every((error) => error instanceof RequestsPerMinuteError)).toBe(true);
  expect(ends[0]).toMatchObject({ requestsPerMinute: 50 });
});

it('lets no minute have more requests because parts came in it', async () => {
  const id = await newAccount(1, 1_000_000, { requests_per_minute: 20 });
  for (let calls = 0; calls < 15; calls += 1) await reserve(id, 1, subject);

  expect(await grow(id)).toBe(true);
  let calls = 15;
  await callAllAtOnce(4, async () => {
    await reserve(id, 1, subject);
    calls += 1;
  });

  expect(calls).toBe(20);
  pass(minuteMs);
  await callAllAtOnce(4, async () => {
    await reserve(id, 1, subject);
    calls += 1;
  });
  expect(calls).toBe(40);
});

it('has as many requests under way as an account may, on whatever parts', async () => {
  const id = await newAccount(4, 1_000_000, { max_concurrent: 9 });
  const holds: Hold[] = [];
  const holdOne = async () => {
    holds.push(await reserve(id, 1, subject));
  };

  const ends = await callAllAtOnce(8, holdOne);

  expect(holds).toHaveLength(9);
  expect(ends[0]).toMatchObject({ maxConcurrent: 9 });
  expect(ends.every((error) => error instanceof ConcurrencyError)).toBe(true);
  const [first] = holds;
  if (first) await settle(first, costing(first));
  await holdOne();
  expect(holds).toHaveLength(10);
});

it('takes no hold on any part once its limit is lowered below what is spent, until as much has come back', async () => {
  const id = await newAccount(4, 1000);
  const holds = await Promise.all(Array.from({ length: 8 }, () => reserve(id, 100, subject)));

  await changeAccountLimits(id, { ...noLimits, budget_usd: usd(300) });

  await expect(reserve(id, 1, subject)).rejects.toBeInstanceOf(BudgetExceededError);
  const onClosed = [...Map.groupBy(holds, ({ charge }) => charge.key_id)].find(
    ([partId, of]) => partId !== id && of.length > 1,
  );
  const [first, second] = onClosed?.[1] ?? [];
  if (!first || !second) throw new Error('no closed part has two holds');
  await settle(first, { ...costing(first), costNanoUsd: 0 });
  // What came back makes up for what the account owes, and is nobody's to spend.
  expect(await raiseHold(second, 1)).toBe(0);
  expect(await raiseHold(second, 1, { orLess: true })).toBe(0);
  await expect(reserve(id, 1, subject)).rejects.toBeInstanceOf(BudgetExceededError);
  // Another function may not know yet that parts were closed, and some have what came back.
  for (const { key_id } of await partsOf(id)) {
    const attempt = await holdOnAccount(key_id, { holdNanoUsd: 1 }, Date.now(), false);
    expect(attempt.isHeld).toBe(false);
  }
  const others = holds.filter((hold) => hold !== first);
  for (const hold of others) await settle(hold, { ...costing(hold), costNanoUsd: 10 });
  expect(await findWhole(id)).toMatchObject({ ceiling: 300, spent: 70, available: 230 });
  await reserve(id, 230, subject);
  await expectSoundAccounts();
});

it('opens no part again while a limit that was lowered is below what its calls took, on whatever parts', async () => {
  const id = await newAccount(4, 1000, { requests_per_minute: 400, max_concurrent: 400 });
  // Its parts are known with the first call.
  const holds = [await reserve(id, 1, subject)];
  for (let calls = 0; calls < 40; calls += 1) holds.push(await reserve(id, 1, subject));
  const onOwn = holds.filter(({ charge }) => charge.key_id === id);
  expect(holds.length - onOwn.length).toBeGreaterThan(8);

  await changeAccountLimits(id, {
    ...{ budget_usd: usd(1000), duration: null, requests_per_minute: 8, max_concurrent: 4 },
  });

  expect(await grow(id)).toBe(false);
  await expect(reserve(id, 1, subject)).rejects.toBeInstanceOf(RequestsPerMinuteError);
  pass(minuteMs);
  expect(await grow(id)).toBe(false);
  await expect(reserve(id, 1, subject)).rejects.toBeInstanceOf(ConcurrencyError);
  for (const hold of holds) await settle(hold, costing(hold));
  // What the closed parts kept for their calls comes back first.
  expect(await grow(id)).toBe(false);
  expect(await grow(id)).toBe(true);
  for (let calls = 0; calls < 8; calls += 1) {
    const hold = await reserve(id, 1, subject);
    await settle(hold, costing(hold));
  }
  await expect(reserve(id, 1, subject)).rejects.toBeInstanceOf(RequestsPerMinuteError);
  expect(await findWhole(id)).toMatchObject({ requests_per_minute: 8, max_concurrent: 4 });
  await expectSoundAccounts();
});

it('keeps its parts when its limits change, and gives them shares of the new ones', async () => {
  const id = await newAccount(4, 1000);

  await changeAccountLimits(id, {
    ...noLimits,
    budget_usd: usd(4000),
    requests_per_minute: 4000,
    max_concurrent: 400,
  });

  const parts = await partsOf(id);
  expect(parts.map(({ ceiling }) => ceiling)).toEqual([1000, 1000, 1000, 1000]);
  expect(sum(parts.map((part) => part.requests_per_minute))).toBe(4000);
  expect(sum(parts.map((part) => part.max_concurrent))).toBe(400);
});

it('renews each part of a window that has ended, and its account with the first of them', async () => {
  const id = await newAccount(4, 1000, { duration: '10m' });
  for (let calls = 0; calls < 10; calls += 1) {
    const hold = await reserve(id, 100, subject);
    await settle(hold, costing(hold));
  }
  await expect(reserve(id, 1, subject)).rejects.toBeInstanceOf(BudgetExceededError);

  pass(10 * minuteMs);
  let spent = 0;
  await callAllAtOnce(8, async () => {
    const hold = await reserve(id, 100, subject);
    spent += 100;
    await settle(hold, costing(hold));
  });

  expect(spent).toBe(1000);
  expect(await findWhole(id)).toMatchObject({ spent: 1000, window_number: 1 });
  await expectSoundAccounts();
});

it('raises a hold by what other parts have, also on a part that was closed', async () => {
  const id = await newAccount(4, 1000);
  const hold = await reserve(id, 10, subject);
  expect(await raiseHold(hold, 700)).toBe(700);

  const holds = await Promise.all(Array.from({ length: 8 }, () => reserve(id, 5, subject)));
  await closeParts(id);
  const onClosed = holds.find(({ charge }) => charge.key_id !== id) ?? hold;

  expect(await raiseHold(onClosed, 200)).toBe(200);
  expect(await raiseHold(onClosed, 500, { orLess: true })).toBe(50);
  expect(await raiseHold(onClosed, 1)).toBe(0);
  await expectSoundAccounts();
});

it('gives an account more parts once a minute has many requests, and takes them back when it is quiet', async () => {
  const id = await newAccount(1, 1_000_000_000);
  for (let calls = 0; calls < 550; calls += 50) {
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const hold = await reserve(id, 1, subject);
        await settle(hold, costing(hold));
      }),
    );
  }
  await expect.poll(async () => (await accountOf(id)).open_parts).toBe(8);

  pass(20 * minuteMs);
  await sweepLedger();
  pass(20 * minuteMs);
  await sweepLedger();

  const [own, other] = await partsOf(id);
  expect(own).toMatchObject({ open_parts: 1, parts: 8 });
  expect(other).toMatchObject({ closed: true, available: 0 });
  expect(await findWhole(id)).toMatchObject({ ceiling: 1_000_000_000, spent: 550 });
  await expectSoundAccounts();
}, 60_000);

it('pays calls of a key in parts by its team in parts, each to the last call that fits', async () => {
  const team = await newAccount(4, 900, {}, 'team');
  const key = await newAccount(1, 2000);
  await putInTeam(key, team);
  for (let open = 1; open < 4; open *= 2) expect(await grow(key)).toBe(true);

  await callAllAtOnce(16, async () => {
    const hold = await reserve(key, 40, subject);
    await settle(hold, costing(hold));
  });
  // A hold that one account takes in vain can hold up another call for a moment.
  for (;;) {
    const hold = await reserve(key, 40, subject).catch(() => undefined);
    if (!hold) break;
    await settle(hold, costing(hold));
  }

  expect((await findWhole(team))?.spent).toBe(880);
  expect((await findWhole(key))?.spent).toBe(880);
  pass(20 * minuteMs);
  await sweepLedger();
  expect((await findWhole(team))?.spent).toBe(880);
  await expectSoundAccounts();
}, 60_000);

/** Runs processes at once on a new key of two parts, in some orders, and looks at what each left. */
async function inOrders(
  run: (id: string) => Process<unknown>[],
  expectOf: (id: string) => Promise<void>,
): Promise<void> {
  await inSomeOrders(cases(12, 100), async (pick) => {
    const id = await newAccount(2, 1000);
    const exits = await interleave(run(id), pick);
    for (const exit of exits) if (exit?.status === 'rejected') throw exit.reason;
    await expectOf(id);
    await expectSoundAccounts();
  });
}

it('has all its parts in one team, in whatever order it grows and is put into that', () => {
  const team = `team_${randomUUID()}`;
  return inOrders(
    (id) => [{ run: () => grow(id) }, { run: () => putInTeam(id, team) }, { run: () => grow(id) }],
    async (id) => {
      const parts = await partsOf(id);
      expect(parts.map((part) => part.team)).toEqual(parts.map(() => team));
      const noted = await Array.fromAsync(everInTeam(team));
      expect(noted).toEqual(expect.arrayContaining(parts.map(({ key_id }) => key_id)));
    },
  );
}, 30_000);

it(
  'has the limits that it was given last, in whatever order they change beside growth and calls',
  () =>
    inOrders(
      (id) => [
        { run: () => changeAccountLimits(id, { ...noLimits, budget_usd: usd(700) }) },
        { run: () => reserve(id, 400, subject) },
        { run: () => grow(id) },
        { run: () => closeParts(id) },
      ],
      async (id) => {
        expect(await findWhole(id)).toMatchObject({ ceiling: 700, available: 300, held: 400 });
        await reserve(id, 300, subject);
        await expect(reserve(id, 1, subject)).rejects.toBeInstanceOf(BudgetExceededError);
      },
    ),
  30_000,
);

it(
  'says of each part whether it takes holds, in whatever order it grows and is closed',
  () =>
    inOrders(
      (id) => [{ run: () => grow(id) }, { run: () => closeParts(id) }, { run: () => grow(id) }],
      async (id) => {
        const parts = await partsOf(id);
        const [own, ...others] = parts;
        expect(sum(parts.map(({ ceiling }) => ceiling))).toBe(1000);
        const open = own?.open_parts ?? 1;
        expect(others.map(({ closed = false }) => closed)).toEqual(
          others.map((_, index) => index + 1 >= open),
        );
      },
    ),
  30_000,
);

/** Has something done before each plain update of an account that names a text, until the test has ended. */
function beforeUpdates(text: string, act: (update: number) => Promise<unknown>): () => void {
  let updates = 0;
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const isMeant =
          commandName === 'UpdateItemCommand' && JSON.stringify(args.input).includes(text);
        if (isMeant) await act(updates++);
        return next(args);
      },
    { step: 'initialize', name: 'beforeUpdates' },
  );
  return () => void dynamodb.middlewareStack.remove('beforeUpdates');
}

/** Holds as little on each part of an account, for a moment or for good, by other calls than those that are looked at. */
const holdALittle = async (id: string) => {
  for (const { key_id } of await partsOf(id)) {
    await holdOnAccount(key_id, { holdNanoUsd: 1 }, Date.now(), false);
  }
};

it('raises a hold by what other parts have though other calls come first, a few times', async () => {
  const id = await newAccount(4, 1000);
  const hold = await reserve(id, 10, subject);
  const end = beforeUpdates('available >= :v0 AND attribute_exists(', async (update) => {
    if (update < 6) await holdALittle(id);
  });

  const raised = await raiseHold(hold, 700);
  end();

  expect(raised).toBe(700);
  await expectSoundAccounts();
});

it('raises a hold to all that its account has, with what other parts gave for it', async () => {
  const id = await newAccount(4, 1000);
  const hold = await reserve(id, 10, subject);
  const end = beforeUpdates('available >= :v0 AND attribute_exists(', async (update) => {
    if (update < 6) await holdALittle(id);
  });

  const raised = await raiseHold(hold, 5_000, { orLess: true });
  end();

  expect(raised).toBeGreaterThan(900);
  expect(await findWhole(id)).toMatchObject({ available: 0 });
});

it('calls a key busy whose parts have enough, but are always changed first by other calls', async () => {
  const id = await newAccount(4, 100_000);
  const end = beforeUpdates('90000', () => holdALittle(id));

  const refusal = await reserve(id, 90_000, subject).catch((error: unknown) => error);
  end();

  expect(refusal).toMatchObject({ statusCode: 503, code: 'busy', retryAfterSeconds: 1 });
  await reserve(id, 90_000, subject);
});

it('calls a key of one part busy that is always changed first by other calls', async () => {
  const id = await newAccount(1, 100_000);
  const plan = {
    fit: ({ available }: { available: number }) => ({ holdNanoUsd: 90, below: available + 1 }),
  };
  await reserve(id, 10, subject);
  let back = 1;
  const end = beforeUpdates('available < ', () => changeBudget(id, 100_000 + back++));

  const refusal = await reserveByPlan(id, plan, subject).catch((error: unknown) => error);
  end();

  expect(refusal).toMatchObject({ statusCode: 503, code: 'busy', retryAfterSeconds: 1 });
});

const changeBudget = (id: string, budget: number) =>
  changeAccountLimits(id, { ...noLimits, budget_usd: usd(budget) });

it('is as busy for a reader of all its parts that never finds them at rest', async () => {
  const id = await newAccount(4, 1000);
  const moving = { from: `${id}#1`, moves: 0 };
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'TransactGetItemsCommand') throw inTheWay();
        const isMoving = JSON.stringify(args.input).includes('#1');
        if (commandName === 'GetItemCommand' && isMoving) await touch(moving.from, moving.moves++);
        return next(args);
      },
    { step: 'initialize', name: 'inTheWay' },
  );

  const reading = findWhole(id);
  await expect(reading).rejects.toMatchObject({ statusCode: 503, code: 'busy' });
  dynamodb.middlewareStack.remove('inTheWay');

  expect(moving.moves).toBeLessThan(60);
});

/** Counts a move on a part, as if it had given something. */
const touch = (key_id: string, moves: number) =>
  dynamodb.send(
    new UpdateCommand({
      TableName: setting('LEDGER_TABLE'),
      Key: { key_id, entry: 'account' },
      UpdateExpression: 'SET moves = :moves',
      ExpressionAttributeValues: { ':moves': 1_000 + moves },
    }),
  );

it('makes the last request of a minute by the limit of one part and what another has given back', async () => {
  const id = await newAccount(2, 1000, { requests_per_minute: 2 });
  // A call is counted on a part, goes to another with the limit, and is undone where it was.
  const partId = `${id}#1`;
  const attempt = await holdOnAccount(partId, { holdNanoUsd: 0 }, Date.now(), true);
  expect(attempt.isHeld).toBe(true);
  await closeParts(id);
  const heldAtMs = Date.now();
  const { window_number: window = 0 } = attempt.account;
  const [own, part] = await partsOf(id);
  if (!own || !part) throw new Error('no parts');
  expect(
    await happens(
      moving([{ from: part, share: { nanoUsd: 0, requests: 1, atOnce: 0 } }], own, heldAtMs),
    ),
  ).toBe(true);
  await undoHold({ key_id: partId, holdNanoUsd: 0, heldAtMs, window, isRequest: true });

  await reserve(id, 1, subject);
  await reserve(id, 1, subject);

  await expect(reserve(id, 1, subject)).rejects.toBeInstanceOf(RequestsPerMinuteError);
});

it('is named in the log by its key, with its number beside it', async () => {
  const id = await newAccount(2, 1000);
  await holdOnAccount(`${id}#1`, { holdNanoUsd: 10 }, Date.now(), false);
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => Boolean(lines.push(`${line}`)));

  pass(20 * minuteMs);
  await sweepLedger();

  const told = lines.map((line) => JSON.parse(line)).filter(({ key_id }) => key_id?.includes(id));
  expect(told).toMatchObject([{ message: 'account put right', key_id: id, part: 1, leaked: 10 }]);
});

it('is audited until the counts that came with a share are gone, also if that comes beside its audit', async () => {
  const countsLeft = async (id: string) =>
    (await partsOf(id)).flatMap((part) => Object.keys(part).filter((name) => /_\d+$/.test(name)));
  await inSomeOrders(cases(30, 200), async (pick) => {
    const id = await newAccount(2, 1000, { requests_per_minute: 40 });
    for (let calls = 0; calls < 12; calls += 1) await reserve(id, 1, subject);
    pass(20 * minuteMs);
    for (let calls = 0; calls < 3; calls += 1) {
      await holdOnAccount(id, { holdNanoUsd: 1 }, Date.now(), true);
    }
    const give = async () => {
      const [own, part] = await partsOf(id);
      if (!own || !part) throw new Error('no parts');
      const share = { nanoUsd: 0, requests: 10, atOnce: 0 };
      await happens(moving([{ from: own, share }], part, Date.now()));
    };

    await interleave([{ run: give }, { run: sweepLedger }], pick);
    for (let sweeps = 0; sweeps < 3; sweeps += 1) {
      pass(20 * minuteMs);
      await sweepLedger();
    }

    expect(await countsLeft(id)).toEqual([]);
  });
}, 120_000);
