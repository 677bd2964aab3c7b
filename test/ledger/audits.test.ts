import { randomUUID } from 'node:crypto';
import { BatchGetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { setting } from '../../shared/config.ts';
import { accountKey } from '../../shared/ledger/account/account.ts';
import { auditLaneOf } from '../../shared/ledger/account/audit-lane.ts';
import { putCharge } from '../../shared/ledger/account/put-charge.ts';
import { bookLateCalls } from '../../shared/ledger/book-late.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { type Hold, reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { lanesOf, sweepLedger } from '../../shared/ledger/sweep.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import type { Charge } from '../../shared/ledger/terms/charge.ts';
import { cases, some } from '../support/run/cases.ts';
import { writtenLines } from '../support/run/output.ts';
import { eventOf, recordOf } from '../support/servers/queue.ts';
import { minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { dyingBefore, requestsOf } from '../support/worlds/dying.ts';
import { inSomeOrders, interleave } from '../support/worlds/interleave.ts';
import { accountOf, expectAtRest, partsOf } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';
import { drawBy, expectSpentAsCharged, inParts } from './exact-accounts.ts';

await useStore({ queues: true });

useStoppedClock('2027-03-01T00:00:00.000Z');

const none = { budget_usd: null, duration: null, requests_per_minute: null, max_concurrent: null };

/** Opens accounts and has each make a call that costs 200. */
async function usedAccounts(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `key_${randomUUID()}`);
  await Promise.all(ids.map((id) => openAccount(id, new Date().toISOString(), none)));
  await Promise.all(ids.map(spend));
  return ids;
}

const subject = { model: 'gpt-5-mini', tags: ['chat'] };

async function spend(keyId: string): Promise<void> {
  const hold = await reserve(keyId, 300, subject);
  await settle(hold, { costNanoUsd: 200, figures: 'exact', promptTokens: 1, completionTokens: 1 });
}

const change = (keyId: string, attribute: 'audit_lane' | 'audit_at', value: string) =>
  dynamodb.send(
    new UpdateCommand({
      TableName: setting('LEDGER_TABLE'),
      Key: accountKey(keyId),
      UpdateExpression: `SET ${attribute} = :value`,
      ExpressionAttributeValues: { ':value': value },
    }),
  );

/** Notes the commands that are sent from now on. */
function sentCommands() {
  const sent: object[] = [];
  const send = dynamodb.send.bind(dynamodb) as (command: object) => Promise<object>;
  vi.spyOn(dynamodb, 'send').mockImplementation(async (command: object) => {
    sent.push(command);
    return send(command);
  });
  return {
    sent,
    of: <Command>(kind: new (...input: never[]) => Command) =>
      sent.filter((command) => command instanceof kind) as Command[],
  };
}

it('accounts that are in use all the time are audited with one query and one write each', async () => {
  const ids = await usedAccounts(40);
  for (let minute = 0; minute < 21; minute += 3) {
    pass(3 * minuteMs);
    await Promise.all(ids.map(spend));
  }
  const commands = sentCommands();

  await sweepLedger();

  const lanes = new Set(ids.map(auditLaneOf)).size;
  const ofLanes = commands.of(QueryCommand).filter(({ input }) => input.IndexName);
  expect(commands.of(UpdateCommand)).toHaveLength(ids.length);
  expect(commands.of(QueryCommand)).toHaveLength(ids.length + ofLanes.length);
  expect(commands.of(BatchGetCommand)).toHaveLength(lanes);
  expect(commands.sent).toHaveLength(2 * ids.length + ofLanes.length + lanes);
});

it.each([1, 3, 16])('%i sweeps audit each account once, whatever its lane', async (of) => {
  const ids = await usedAccounts(20);
  pass(20 * minuteMs);
  const commands = sentCommands();

  for (let sweep = 0; sweep < of; sweep += 1) await sweepLedger({ sweep, of });

  expect(commands.of(UpdateCommand)).toHaveLength(ids.length);
  for (const id of ids) expectAtRest(await accountOf(id));
});

it('the lanes are parted among sweeps, none left out and none twice', () => {
  for (let of = 1; of <= 16; of += 1) {
    const lanes = Array.from({ length: of }, (_, sweep) => lanesOf({ sweep, of })).flat();

    expect(new Set(lanes).size).toBe(lanes.length);
    expect(lanes.toSorted()).toEqual(lanesOf({ sweep: 0, of: 1 }).toSorted());
  }
});

it('a lane is read ahead, and at a pace that its partition takes', async () => {
  const ids = Array.from({ length: 201 }, () => `key_${randomUUID()}`);
  const now = new Date().toISOString();
  await Promise.all(ids.map((id) => openAccount(id, now, none)));
  await Promise.all(ids.map((id) => change(id, 'audit_lane', 'accounts_0')));
  await Promise.all(ids.map((id) => change(id, 'audit_at', now)));
  const commands = sentCommands();
  const startedAt = performance.now();

  await sweepLedger();

  const pages = commands.sent.flatMap((command, index) =>
    command instanceof QueryCommand &&
    command.input.ExpressionAttributeValues?.[':lane'] === 'accounts_0'
      ? index
      : [],
  );
  const firstWrite = commands.sent.findIndex((command) => command instanceof UpdateCommand);
  expect(pages).toHaveLength(3);
  expect(pages[1]).toBeLessThan(firstWrite);
  expect(performance.now() - startedAt).toBeGreaterThan(500);
});

it('an account that another sweep has audited meanwhile is left as it is', async () => {
  const [id = ''] = await usedAccounts(1);
  pass(20 * minuteMs);
  const commands = sentCommands();

  await Promise.all([sweepLedger(), sweepLedger()]);
  const account = await accountOf(id);
  const writes = commands.of(UpdateCommand).length;
  await sweepLedger();

  expectAtRest(account);
  expect(account.spent).toBe(200);
  expect(commands.of(UpdateCommand)).toHaveLength(writes);
});

it('an account that is due too soon is due again when its oldest epoch is', async () => {
  const [id = ''] = await usedAccounts(1);
  const { audit_at } = await accountOf(id);
  await change(id, 'audit_at', new Date().toISOString());

  await sweepLedger();

  const account = await accountOf(id);
  expect(account).toMatchObject({ audit_at, spent: 200 });
  pass(20 * minuteMs);
  await sweepLedger();
  expectAtRest(await accountOf(id));
});

it('says so where its time was too short', async () => {
  await usedAccounts(1);
  pass(20 * minuteMs);

  const sweep = sweepLedger({ sweep: 0, of: 1 });
  pass(minuteMs);
  await sweep;

  expect(writtenLines().join('\n')).toContain('accounts left due');
  await sweepLedger();
});

describe('a team in four parts', () => {
  interface Team {
    teamId: string;
    keyIds: string[];
    holds: Hold[];
  }

  /** Two keys, one of them in two parts, make calls on all parts of their team: some end, some die, some have no credit. */
  async function usedTeam(calls = 16): Promise<Team> {
    drawBy(7);
    const teamId = `team_${randomUUID()}`;
    const keyIds = [`key_${randomUUID()}`, `key_${randomUUID()}`];
    const now = new Date().toISOString();
    for (const id of [teamId, ...keyIds]) await openAccount(id, now, none);
    for (const id of keyIds) await putInTeam(id, teamId);
    await inParts(keyIds[0] ?? '', 2);
    await inParts(teamId, 4);
    const holds: Hold[] = [];
    for (let call = 0; call < calls; call += 1) {
      const hold = await reserve(keyIds[call % 2] ?? '', 300, subject);
      holds.push(hold);
      if (call % 4 < 2) await settle(hold, { ...used, costNanoUsd: 200 });
      else if (call % 4 === 2) await putCharge(endedOf(hold));
    }
    expect(new Set(holds.map(({ charge }) => charge.team)).size).toBe(4);
    return { teamId, keyIds, holds };
  }

  const used = { figures: 'exact', promptTokens: 1, completionTokens: 1 } as const;

  const endedOf = ({ charge }: Hold): Charge => ({
    ...charge,
    ...{ status: 'settled', cost: 70, figures: 'exact', ended_at: new Date().toISOString() },
  });

  const expectRight = ({ teamId, keyIds, holds }: Team) =>
    expectSpentAsCharged(
      { keyIds, teamIds: [teamId] },
      holds.map((hold) => ({ hold })),
    );

  const isDue = ({ audit_at = '9' }: { audit_at?: string }) => audit_at <= new Date().toISOString();

  it('has its charges read once by a sweep, after which all its parts are right', async () => {
    const team = await usedTeam();
    pass(20 * minuteMs);
    const commands = sentCommands();

    await sweepLedger();

    await expectRight(team);
    const keyParts = (await Promise.all(team.keyIds.map(partsOf))).flat();
    const ids = keyParts.map(({ key_id }) => key_id);
    const asked = commands
      .of(QueryCommand)
      .map(({ input }) => input.ExpressionAttributeValues ?? {})
      .filter(({ ':from': from }) => String(from).startsWith('charge_'));
    // Once by the audit of each, and once by their team's.
    expect(asked.map((values) => values[':key']).sort()).toEqual([...ids, ...ids].sort());
  });

  it('has several epochs audited by one sweep, whichever of them a part was used in', async () => {
    const team = await usedTeam();
    pass(3 * minuteMs);
    for (const keyId of team.keyIds) team.holds.push(await reserve(keyId, 300, subject));
    pass(23 * minuteMs);

    await sweepLedger();

    await expectRight(team);
  });

  it('is right wherever its sweep dies: what was not audited stays due', async () => {
    await usedTeam();
    pass(20 * minuteMs);
    const requests = await requestsOf(sweepLedger);
    // The first of its requests are for the lanes. Three of any four writes in a row leave some parts and not others.
    const steps = Array.from({ length: requests }, (_, request) => request).slice(
      lanesOf({ sweep: 0, of: 1 }).length,
    );
    const tried = some(Math.ceil(steps.length / 2), steps);
    // Which requests are beside each other is left to chance: the other steps are tried too where none left a half.
    const others = steps.filter((step) => !tried.includes(step));
    let halves = 0;
    for (const step of [...tried, ...others]) {
      if (halves > 0 && others.includes(step)) break;
      const team = await usedTeam();
      pass(20 * minuteMs);

      await dyingBefore(step, sweepLedger);
      const due = (await partsOf(team.teamId)).filter(isDue);
      if (due.length % 4 !== 0) halves += 1;
      await sweepLedger();

      await expectRight(team);
    }
    expect(halves).toBeGreaterThan(0);
  });

  it('loses no call that is booked late while it is audited, in whatever order both write', async () => {
    await inSomeOrders(cases(8, 40), async (pick) => {
      const team = await usedTeam();
      // Its function died before it wrote the charge, and had handed it over.
      const late = team.holds.filter((_, call) => call % 4 === 3).map(endedOf);
      pass(20 * minuteMs);
      const messages = late.map((charge) =>
        recordOf(JSON.stringify({ charge, lacksCredit: false })),
      );
      const book = () => bookLateCalls(eventOf(...messages));

      await interleave<unknown>([{ run: sweepLedger }, { run: book }], pick);

      await sweepLedger();
      await book();
      await expectRight(team);
    });
  });
});
