import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { noteUse } from '../../shared/ledger/note-use.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { release, settle } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { nameAccount, putInTeam } from '../../shared/ledger/team.ts';
import { writtenLines } from '../support/run/output.ts';
import { minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { interleave } from '../support/worlds/interleave.ts';
import { accountOf, chargesOf, expectAtRest, sum, usd } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore();

useStoppedClock('2027-03-01T00:00:00.000Z');

const subject = { model: 'gpt-5-mini', tags: ['chat'] };
const costing = (costNanoUsd: number) =>
  ({ costNanoUsd, figures: 'exact', promptTokens: 1, completionTokens: 1 }) as const;

async function open(of: 'key' | 'team') {
  const id = `${of}_${randomUUID()}`;
  await openAccount(id, new Date().toISOString(), {
    budget_usd: usd(1_000_000),
    duration: null,
    requests_per_minute: null,
    max_concurrent: null,
  });
  return id;
}

async function openTeam(): Promise<string> {
  const teamId = await open('team');
  await nameAccount(teamId, 'Acme');
  return teamId;
}

/** What the metrics say that was swept. */
const swept = () => {
  const lines = writtenLines().map((line) => JSON.parse(line));
  return {
    calls: sum(lines.map(({ HoldsSwept = 0 }) => HoldsSwept)),
    nanoUsd: Math.round(1e9 * sum(lines.map(({ HoldsSweptUsd = 0 }) => HoldsSweptUsd))),
  };
};

/** A call of one of three keys, two of which are in a team, and whether its caller lives to its end. */
const aCall = fc.record({
  key: fc.nat(2),
  hold: fc.integer({ min: 1, max: 1_000 }),
  end: fc.constantFrom('settled', 'released', 'lost'),
  afterMs: fc.constantFrom(0, minuteMs, 4 * minuteMs),
});

describe('calls whose function died', () => {
  it('cost what was noted of them last, which the key and its team have spent', async () => {
    const teamId = await openTeam();
    const keyId = await open('key');
    await putInTeam(keyId, teamId);

    const hold = await reserve(keyId, 500, subject);
    for (const cost of [100, 300]) expect(await noteUse(hold, costing(cost))).toBe(true);
    const before = await chargesOf(keyId);
    pass(27 * minuteMs);
    await sweepLedger();

    expect(before).toEqual([]);
    expect(await chargesOf(keyId)).toMatchObject([
      { status: 'settled', cost: 300, figures: 'partial', hold: 500, team: teamId },
    ]);
    for (const id of [keyId, teamId]) {
      expect(await accountOf(id)).toMatchObject({ held: 0, spent: 300 });
    }
  });

  it('never cost more than was held for them', async () => {
    const keyId = await open('key');

    await noteUse(await reserve(keyId, 500, subject), costing(501));
    pass(27 * minuteMs);
    await sweepLedger();

    expect(await accountOf(keyId)).toMatchObject({ held: 0, spent: 500 });
  });

  it('cost nothing by notes that came before they ended', async () => {
    const keyId = await open('key');
    const settled = await reserve(keyId, 500, subject);
    pass(1);
    const released = await reserve(keyId, 1, subject);

    for (const hold of [settled, released]) await noteUse(hold, costing(1));
    await settle(settled, costing(200));
    await release(released);
    const isNoted = await noteUse(settled, costing(400));
    pass(27 * minuteMs);
    await sweepLedger();

    expect(isNoted).toBe(false);
    expect(await chargesOf(keyId)).toMatchObject([{ cost: 200 }, { status: 'released' }]);
    expectAtRest(await accountOf(keyId));
    expect(await accountOf(keyId)).toMatchObject({ spent: 200 });
  });

  it('are counted once each, with what they held, however many sweeps and teams there are', {
    tags: 'exhaustive',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(aCall, { maxLength: 12 }),
        fc.array(fc.nat(9), { minLength: 1, maxLength: 20 }),
        async (calls, order) => {
          const teamId = await openTeam();
          const keyIds = [await open('key'), await open('key'), await open('key')];
          for (const keyId of keyIds.slice(1)) await putInTeam(keyId, teamId);
          const before = swept();

          for (const { key, hold: most, end, afterMs } of calls) {
            pass(afterMs);
            const hold = await reserve(keyIds[key] ?? '', most, subject);
            if (end === 'settled') await settle(hold, costing(Math.ceil(most / 2)));
            if (end === 'released') await release(hold);
          }
          pass(80 * minuteMs);
          let step = 0;
          await interleave(
            [{ run: sweepLedger }, { run: sweepLedger }],
            () => order[step++ % order.length] ?? 0,
          );
          await sweepLedger();

          const lost = calls.filter(({ end }) => end === 'lost');
          const after = swept();
          expect({
            calls: after.calls - before.calls,
            nanoUsd: after.nanoUsd - before.nanoUsd,
          }).toEqual({ calls: lost.length, nanoUsd: sum(lost.map(({ hold }) => hold)) });
          for (const id of [teamId, ...keyIds]) expectAtRest(await accountOf(id));
        },
      ),
      { numRuns: 25 },
    );
  });

  it('are free to the caller where nothing was noted of them, who has paid what was settled before', async () => {
    const keyId = await open('key');

    await settle(await reserve(keyId, 300, subject), costing(200));
    await reserve(keyId, 500, subject);
    pass(27 * minuteMs);
    await sweepLedger();

    expect(await accountOf(keyId)).toMatchObject({ held: 0, spent: 200, available: 999_800 });
    expect(await chargesOf(keyId)).toMatchObject([{ cost: 200 }]);
  });

  it('are found by the next sweep though they began, by a clock that is behind, as this one took their account off its list', async () => {
    const keyId = await open('key');
    await settle(await reserve(keyId, 300, subject), costing(200));
    // Two seconds after an epoch has begun, of three minutes.
    pass(27 * minuteMs + 2_000 - (Date.now() % (3 * minuteMs)));
    const send = dynamodb.send.bind(dynamodb) as (command: object) => Promise<object>;
    let begun: Promise<unknown> | undefined;
    vi.spyOn(dynamodb, 'send').mockImplementation(async (command: object) => {
      const takesOff =
        command instanceof UpdateCommand &&
        /REMOVE .*audit_at/.test(command.input.UpdateExpression ?? '');
      if (takesOff && !begun) {
        pass(-5_000);
        begun = reserve(keyId, 500, subject);
        await begun;
        pass(5_000);
      }
      return send(command);
    });

    await sweepLedger();
    const left = await accountOf(keyId);
    pass(27 * minuteMs);
    await sweepLedger();

    expect(begun).toBeDefined();
    expect(left.held).toBe(500);
    expect(await accountOf(keyId)).toMatchObject({ held: 0, spent: 200, available: 999_800 });
  });

  it('wait for the next sweep where the time of this one is over', async () => {
    const keyId = await open('key');
    await reserve(keyId, 500, subject);
    pass(27 * minuteMs);

    const sweep = sweepLedger();
    pass(minuteMs);
    await sweep;
    const atFirst = await accountOf(keyId);
    await sweepLedger();

    expect(atFirst).toMatchObject({ held: 500 });
    expect(await accountOf(keyId)).toMatchObject({ held: 0 });
  });

  it('that are no requests under way, such as pages, count as one', async () => {
    const keyId = await open('key');

    for (const hold of [10, 20]) await reserve(keyId, hold, subject, { asRequest: false });
    pass(27 * minuteMs);
    await sweepLedger();

    expect(swept()).toEqual({ calls: 1, nanoUsd: 30 });
  });
});
