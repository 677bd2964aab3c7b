import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { requestsAttribute } from '../../shared/ledger/account/account.ts';
import { changeAccountLimits } from '../../shared/ledger/change-limits.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { type Hold, reserve, reserveByPlan } from '../../shared/ledger/reserve.ts';
import { release, settle, settleWith } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { nameAccount, putInTeam } from '../../shared/ledger/team.ts';
import type { HoldPlan } from '../../shared/ledger/terms/hold-plan.ts';
import { BudgetExceededError } from '../../shared/ledger/terms/limit-errors.ts';
import { cases, isExhaustive, some } from '../support/run/cases.ts';
import { dayMs, minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import {
  type Fault,
  inEveryOrder,
  inSomeOrders,
  interleave,
} from '../support/worlds/interleave.ts';
import {
  accountOf,
  chargesOf,
  expectAtRest,
  followAccounts,
  sum,
  usd,
} from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore();

const expectSoundAccounts = followAccounts();

useStoppedClock('2027-03-01T00:00:00.000Z');

const subject = { model: 'gpt-5-mini', tags: ['chat'] };
const costing = (costNanoUsd: number) =>
  ({ costNanoUsd, figures: 'exact', promptTokens: 1, completionTokens: 1 }) as const;

interface Limits {
  budget?: number;
  duration?: string;
  requests?: number;
}

async function open(of: 'key' | 'team', { budget = 1000, duration, requests }: Limits = {}) {
  const id = `${of}_${randomUUID()}`;
  await openAccount(id, new Date().toISOString(), {
    budget_usd: usd(budget),
    duration: duration ?? null,
    requests_per_minute: requests ?? null,
    max_concurrent: null,
  });
  if (of === 'team') await nameAccount(id, 'Acme');
  return id;
}

async function openIn(teamId: string | null, limits?: Limits): Promise<string> {
  const keyId = await open('key', limits);
  await putInTeam(keyId, teamId);
  return keyId;
}

const spend = async (keyId: string, cost: number) =>
  settle(await reserve(keyId, cost, subject), costing(cost));

/** Long after every call: the sweeps come. */
async function passTimeAndSweep(): Promise<void> {
  pass(27 * minuteMs);
  await sweepLedger();
  await sweepLedger();
}

const moneyOf = async (id: string) => {
  const { available, held, spent, running = 0 } = await accountOf(id);
  return { available, held, spent, running };
};

describe('a key in a team', () => {
  it('holds on both accounts, and settles both with one charge', async () => {
    const team = await open('team', { budget: 500 });
    const key = await openIn(team);

    const hold = await reserve(key, 100, subject);
    const held = [await moneyOf(key), await moneyOf(team)];
    await settle(hold, costing(40));

    expect(held).toEqual([
      { available: 900, held: 100, spent: 0, running: 1 },
      { available: 400, held: 100, spent: 0, running: 0 },
    ]);
    expect(await moneyOf(key)).toMatchObject({ available: 960, held: 0, spent: 40 });
    expect(await moneyOf(team)).toMatchObject({ available: 460, held: 0, spent: 40 });
    expect(await chargesOf(key)).toMatchObject([{ cost: 40, window: 0, team, team_window: 0 }]);
    expect(await chargesOf(team)).toEqual([]);
  });

  it('gives back on both accounts what a released call held', async () => {
    const team = await open('team');
    const key = await openIn(team);

    await release(await reserve(key, 100, subject));

    for (const id of [key, team]) {
      expect(await moneyOf(id)).toEqual({ available: 1000, held: 0, spent: 0, running: 0 });
    }
  });

  it('gives back on both accounts the cost of a call whose product is there already', async () => {
    const team = await open('team');
    const key = await openIn(team);
    const product = {
      Put: {
        TableName: process.env['LEDGER_TABLE'] ?? '',
        Item: { key_id: key, entry: 'product' },
        ConditionExpression: 'attribute_not_exists(entry)',
      },
    };

    await settleWith(await reserve(key, 100, subject), costing(40), { writes: [product] });
    await settleWith(await reserve(key, 100, subject), costing(70), { writes: [product] });

    for (const id of [key, team]) expect(await moneyOf(id)).toMatchObject({ held: 0, spent: 40 });
  });

  it('has no more than its team has, and the team no more than its ceiling, of many calls at once', async () => {
    const team = await open('team', { budget: 1000 });
    const keys = await Promise.all([300, 5000, 5000].map((budget) => openIn(team, { budget })));
    const calls = keys.flatMap((key) => Array.from({ length: 20 }, () => key));

    // Some are refused because others hold for a moment what they are refused in the end.
    const outcomes = await Promise.allSettled(calls.map((key) => spend(key, 50)));
    for (const key of keys) await spendAllOf(key, 50);

    const spent = await Promise.all(keys.map(async (key) => (await accountOf(key)).spent));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(BudgetExceededError);
    }
    expect(spent[0]).toBeLessThanOrEqual(300);
    expect(sum(spent)).toBe(1000);
    expect(await moneyOf(team)).toMatchObject({ available: 0, held: 0, spent: 1000 });
  });
});

async function spendAllOf(keyId: string, cost: number): Promise<void> {
  for (;;) {
    const hold = await reserve(keyId, cost, subject).catch((error: unknown) => error);
    if (hold instanceof BudgetExceededError) return;
    await settle(hold as Hold, costing(cost));
  }
}

/** Runs something in each order of requests, or in the quick run in a few. Returns how many these are. */
const inOrders = (run: Parameters<typeof inEveryOrder>[0]) =>
  isExhaustive ? inEveryOrder(run) : inSomeOrders(4, run);

describe('in every order of requests', () => {
  it.each<[string, boolean]>([
    ['whose team the function knows', true],
    ['that the function sees for the first time', false],
  ])(
    'a call of a key %s is paid by both accounts or by neither, whatever dies or is lost',
    async (_, isKnown) => {
      const faults: (Fault | undefined)[] = [
        undefined,
        ...[0, 1, 2, 3, 4].flatMap((at) =>
          (['dies before', 'fails', 'answer lost'] as const).map((kind) => ({ at, kind })),
        ),
      ];
      const accounts: [key: string, team: string][] = [];
      for (const fault of some(4, faults)) {
        const orders = await inOrders(async (pick) => {
          const team = await open('team');
          const key = await openIn(team);
          if (isKnown) await release(await reserve(key, 1, subject));
          accounts.push([key, team]);
          await interleave([{ run: () => spend(key, 100), fault }], pick);
        });
        if (!fault && isExhaustive) expect(orders).toBe(isKnown ? 12 : 6);
      }
      await expectSoundAccounts();

      await passTimeAndSweep();

      for (const [key, team] of accounts) {
        const cost = sum((await chargesOf(key)).map(({ cost = 0 }) => cost));
        for (const account of [await accountOf(key), await accountOf(team)]) {
          expectAtRest(account);
          expect(account.spent).toBe(cost);
        }
      }
    },
  );

  it('one of two keys gets the last of their team, and the other has nothing held or counted', async () => {
    const orders = await inOrders(async (pick) => {
      const team = await open('team', { budget: 100 });
      const keys = [await openIn(team), await openIn(team)];
      for (const key of keys) await release(await reserve(key, 1, subject, { asRequest: false }));

      const exits = await interleave(
        keys.map((key) => ({ run: () => reserve(key, 60, subject) })),
        pick,
      );

      const won = exits.findIndex((exit) => exit?.status === 'fulfilled');
      const [winner = '', loser = ''] = won === 0 ? keys : keys.toReversed();
      expect(exits[1 - won]).toMatchObject({ reason: expect.any(BudgetExceededError) });
      expect(await moneyOf(winner)).toMatchObject({ held: 60, running: 1 });
      expect(await moneyOf(loser)).toEqual({ available: 1000, held: 0, spent: 0, running: 0 });
      expect((await accountOf(loser))[requestsAttribute(Date.now())]).toBe(0);
      expect(await moneyOf(team)).toMatchObject({ available: 40, held: 60 });
    });

    expect(orders).toBeGreaterThanOrEqual(cases(4, 24));
  });

  it('a key that can’t pay leaves nothing held, and holds another key up at most for a moment', async () => {
    await inOrders(async (pick) => {
      const team = await open('team', { budget: 100 });
      const [poor, rich] = [await openIn(team, { budget: 10 }), await openIn(team)];
      for (const key of [poor, rich]) await release(await reserve(key, 1, subject));

      const [refused, other] = await interleave(
        [poor, rich].map((key) => ({ run: () => reserve(key, 60, subject) })),
        pick,
      );

      expect(refused).toMatchObject({ reason: { details: { budget: { limit: 'budget' } } } });
      if (other?.status === 'rejected') expect(other.reason).toMatchObject({ isHeldUp: true });
      expect(await moneyOf(poor)).toMatchObject({ available: 10, held: 0, running: 0 });
      expect(await moneyOf(team)).toMatchObject({ held: other?.status === 'fulfilled' ? 60 : 0 });
    });
  });

  it('a key that moves has each call paid by the team that it was held on', async () => {
    const moved: [key: string, teams: string[]][] = [];
    await inOrders(async (pick) => {
      const teams = [await open('team'), await open('team')];
      const key = await openIn(teams[0] ?? null);
      await release(await reserve(key, 1, subject));
      moved.push([key, teams]);

      await interleave<unknown>(
        [
          { run: async () => settle(await reserve(key, 100, subject), costing(40)) },
          { run: () => putInTeam(key, teams[1] ?? null) },
        ],
        pick,
      );

      const charge = (await chargesOf(key)).find(({ cost }) => cost === 40);
      expect(teams).toContain(charge?.team);
      for (const team of teams) {
        const spent = charge?.team === team ? 40 : 0;
        expect(await moneyOf(team)).toMatchObject({ held: 0, spent });
      }
    });

    await passTimeAndSweep();

    for (const [key, teams] of moved) {
      const spent = await Promise.all(teams.map(async (id) => (await accountOf(id)).spent));
      expect(spent.sort()).toEqual([0, 40]);
      expect(await accountOf(key)).toMatchObject({ spent: 40 });
    }
  });
});

describe('a key that goes from team to team', () => {
  it('settles on the team that held the call, and holds on the other', async () => {
    const [before, after] = [await open('team'), await open('team')];
    const key = await openIn(before);
    const hold = await reserve(key, 100, subject);

    await putInTeam(key, after);
    const next = await reserve(key, 200, subject);
    await settle(hold, costing(40));

    expect(next.charge.team).toBe(after);
    expect(await moneyOf(before)).toMatchObject({ available: 960, held: 0, spent: 40 });
    expect(await moneyOf(after)).toMatchObject({ available: 800, held: 200, spent: 0 });
  });

  it('needs nothing of a team that it has left, and that has nothing', async () => {
    const team = await open('team', { budget: 10 });
    const key = await openIn(team);
    await expect(reserve(key, 100, subject)).rejects.toBeInstanceOf(BudgetExceededError);

    await putInTeam(key, null);
    const hold = await reserve(key, 100, subject);

    expect(hold.charge).not.toHaveProperty('team');
    expect(await moneyOf(team)).toMatchObject({ available: 10, held: 0 });
  });

  it('leaves its charges for the audit of the team that it has left', async () => {
    const team = await open('team');
    const key = await openIn(team);
    const hold = await reserve(key, 100, subject);

    await putInTeam(key, null);
    await interleave(
      [{ run: () => settle(hold, costing(40)), fault: { at: 1, kind: 'dies before' } }],
      () => 0,
    );
    const left = [await moneyOf(key), await moneyOf(team)];
    await passTimeAndSweep();

    expect(left).toMatchObject([{ held: 100 }, { held: 100 }]);
    for (const id of [key, team]) {
      expectAtRest(await accountOf(id));
      expect(await moneyOf(id)).toMatchObject({ spent: 40 });
    }
  });
});

describe('the windows of a team', () => {
  it('are its own: a cost counts in the window of each account in which it was held', async () => {
    const team = await open('team', { budget: 100, duration: '1d' });
    const key = await openIn(team, { budget: 1000 });
    pass(dayMs - minuteMs);
    await spend(key, 80);
    const late = await reserve(key, 20, subject);

    pass(minuteMs);
    const hold = await reserve(key, 70, subject);
    await settle(hold, costing(60));
    await settle(late, costing(15));

    expect(hold.charge).toMatchObject({ window: 0, team_window: 1 });
    expect(await moneyOf(team)).toMatchObject({ available: 40, held: 0, spent: 60 });
    expect(await moneyOf(key)).toMatchObject({ available: 845, held: 0, spent: 155 });
    await passTimeAndSweep();
    expect(await moneyOf(team)).toMatchObject({ available: 40, held: 0, spent: 60 });
  });
});

describe('a hold that is chosen by what there is', () => {
  const third: HoldPlan = {
    fit: ({ available }) =>
      available >= 900
        ? { holdNanoUsd: 300, from: 900 }
        : { holdNanoUsd: Math.max(10, Math.floor(available / 3)), below: 900 },
  };

  it.each([
    ['its key', 90, 5000],
    ['its team', 5000, 90],
  ])('fits the account that has less: %s', async (_, own, teams) => {
    const team = await open('team', { budget: teams });
    const key = await openIn(team, { budget: own });

    const first = await reserveByPlan(key, third, subject);
    await release(first.hold);
    const second = await reserveByPlan(key, third, subject);

    expect(first.chosen.holdNanoUsd).toBe(30);
    expect(second.chosen.holdNanoUsd).toBe(30);
    expect(await moneyOf(key)).toMatchObject({ held: 30 });
    expect(await moneyOf(team)).toMatchObject({ held: 30 });
  });

  it('grows when the team gets more', async () => {
    const team = await open('team', { budget: 90 });
    const key = await openIn(team, { budget: 5000 });
    await release((await reserveByPlan(key, third, subject)).hold);

    await changeAccountLimits(team, {
      budget_usd: usd(1200),
      duration: null,
      requests_per_minute: null,
      max_concurrent: null,
    });
    const { chosen } = await reserveByPlan(key, third, subject);

    expect(chosen.holdNanoUsd).toBe(300);
    expect(await moneyOf(key)).toMatchObject({ held: 300 });
    expect(await moneyOf(team)).toMatchObject({ held: 300 });
  });
});

describe('a refusal', () => {
  const refusalOf = async (key: string, nanoUsd: number) => {
    const error = await reserve(key, nanoUsd, subject).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BudgetExceededError);
    return error as BudgetExceededError & { details: { budget: Record<string, unknown> } };
  };

  it('by the team says that it is the team’s budget, and its figures', async () => {
    const team = await open('team', { budget: 300, duration: '1d' });
    const key = await openIn(team);
    await spend(await openIn(team), 250);

    const error = await refusalOf(key, 100);

    expect(error.code).toBe('budget_exceeded');
    expect(error.message).toMatch(
      /^Budget exceeded: this request may cost up to \$0.0000001, and of the budget of this key's team, Acme, \$0.00000005 of \$0.0000003 remain/,
    );
    expect(error.retryAfterSeconds).toBe(86_400);
    expect(error.details.budget).toEqual({
      limit: 'team_budget',
      max_usd: usd(300),
      used_usd: usd(250),
      held_usd: 0,
      remaining_usd: usd(50),
      reset_at: '2027-03-02T00:00:00.000Z',
      request_max_usd: usd(100),
    });
    expect(JSON.stringify([error.message, error.details])).not.toMatch(/key_|team_[0-9a-f]{8}/);
  });

  it.each([
    ['the team, whose budget never renews', { duration: '1d' }, {}, 'team_budget'],
    ['the key, whose budget never renews', {}, { duration: '1d' }, 'budget'],
    ['the key, if neither does', {}, {}, 'budget'],
  ])('by both is about the one to be waited for longer: %s', async (_, own, teams, limit) => {
    const team = await open('team', { budget: 20, ...teams });
    const key = await openIn(team, { budget: 20, ...own });
    await spend(key, 15);

    const { details } = await refusalOf(key, 10);

    expect(details.budget['limit']).toBe(limit);
  });

  it('of a key that can’t pay doesn’t touch the team when it asks again', async () => {
    const team = await open('team');
    const key = await openIn(team, { budget: 10 });
    await spend(key, 5);
    await refusalOf(key, 100);
    const before = await accountOf(team);
    let requests = 0;

    await interleave(
      [{ run: () => refusalOf(key, 100) }],
      () => 0,
      async () => {
        requests += 1;
        expect(await accountOf(team)).toEqual(before);
      },
    );

    expect(requests).toBe(1);
  });

  it('by the team counts no request of the key', async () => {
    const team = await open('team', { budget: 100 });
    const key = await openIn(team, { requests: 1 });

    await refusalOf(key, 101);
    const { account } = await reserve(key, 100, subject);

    expect(account).toMatchObject({ [requestsAttribute(Date.now())]: 1, running: 1 });
  });

  it('of a minute’s requests holds nothing on the team', async () => {
    const team = await open('team');
    const key = await openIn(team, { requests: 1 });
    await release(await reserve(key, 10, subject));

    await expect(reserve(key, 10, subject)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });

    expect(await moneyOf(team)).toMatchObject({ available: 1000, held: 0 });
    vi.setSystemTime(Date.now() + minuteMs);
    expect((await reserve(key, 10, subject)).charge.team).toBe(team);
  });
});
