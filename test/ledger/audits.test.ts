import { randomUUID } from 'node:crypto';
import { BatchGetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, vi } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { setting } from '../../shared/config.ts';
import { accountKey, openAccount } from '../../shared/ledger/account.ts';
import { sweepLedger } from '../../shared/ledger/audit.ts';
import { auditLaneOf, lanesOf } from '../../shared/ledger/audit-lane.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { writtenLines } from '../support/run/output.ts';
import { minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { accountOf, expectAtRest } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore();

useStoppedClock('2027-03-01T00:00:00.000Z');

const none = { budget_usd: null, duration: null, requests_per_minute: null, max_concurrent: null };

/** Opens accounts and has each make a call that costs 200. */
async function usedAccounts(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `key_${randomUUID()}`);
  await Promise.all(ids.map((id) => openAccount(id, new Date().toISOString(), none)));
  await Promise.all(ids.map(spend));
  return ids;
}

async function spend(keyId: string): Promise<void> {
  const hold = await reserve(keyId, 300, { model: 'gpt-5-mini', tags: ['chat'] });
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

/** Puts an account into the lane that a version before had for all. */
const asBefore = (keyId: string) => change(keyId, 'audit_lane', 'accounts');

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

it('accounts of a version before, all in one lane, move to their own at their audit', async () => {
  const ids = await usedAccounts(3);
  await Promise.all(ids.map(asBefore));
  pass(20 * minuteMs);

  await sweepLedger();

  for (const id of ids) {
    const account = await accountOf(id);
    expectAtRest(account);
    expect(account.audit_lane).toBe(auditLaneOf(id));
  }
});

it.each([1, 3, 16])('%i sweeps audit each account once, whatever its lane', async (of) => {
  const ids = await usedAccounts(20);
  await Promise.all(ids.slice(0, 5).map(asBefore));
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
  await Promise.all(ids.map(asBefore));
  await Promise.all(ids.map((id) => change(id, 'audit_at', now)));
  const commands = sentCommands();
  const startedAt = performance.now();

  await sweepLedger();

  const pages = commands.sent.flatMap((command, index) =>
    command instanceof QueryCommand &&
    command.input.ExpressionAttributeValues?.[':lane'] === 'accounts'
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
