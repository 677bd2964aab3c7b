import { userInfo } from 'node:os';
import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { reach } from '../../lib/cli/target.ts';
import { readStageFile } from '../../lib/local/stage-file.ts';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { historyOf, type KeyChange, lastChanges } from '../../shared/keys/history.ts';
import { admit, changeKey, issueKey, listKeys, readKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import type { KeyRecord } from '../../shared/keys/key-record.ts';
import { rotateKey } from '../../shared/keys/rotate.ts';
import { changeTeam, createTeam, readTeam, type TeamRecord } from '../../shared/keys/team.ts';
import { maxBudgetNanoUsd } from '../../shared/ledger/terms/nano-usd.ts';
import { removeWebhook, setWebhook } from '../../shared/webhooks/set-webhook.ts';
import { findWebhook } from '../../shared/webhooks/webhook.ts';
import { cases } from '../support/run/cases.ts';
import { shared } from '../support/run/shared.ts';
import { runCommand } from '../support/servers/command.ts';
import { accountOf } from '../support/worlds/ledger-world.ts';
import { startCloudFormationStub } from './cloudformation-stub.ts';

const { base_url, dataDir } = await shared('stage');
const me = userInfo().username;

beforeAll(() => reach({ data: dataDir }, 'KEYS_TABLE', 'LEDGER_TABLE', 'WEBHOOKS_TABLE'));

const keys = (...args: string[]) => runCommand('keys', dataDir, [...args, '--data', dataDir]);

async function answer<Answer>(...args: string[]): Promise<Answer> {
  const { stdout, stderr } = await keys(...args, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Answer;
}

const changesOf = async (...args: string[]) =>
  (await answer<{ changes: KeyChange[] }>('history', ...args)).changes;

describe.concurrent('history', () => {
  it('tells of every command that changes a key who, when and what, and no secret', {
    tags: 'exhaustive',
  }, async () => {
    const { id } = await answer<KeyRecord>('create', '--name', 'h', '--budget-usd', '5');
    await keys('set', id, '--budget-usd', '7.5', '--models', 'gpt-5', '--name', 'h2');
    await keys('rotate', id, '--grace', '1h');
    await keys('revoke', id);

    const changes = await changesOf(id);
    const { stdout } = await keys('history', id);

    expect(changes.map(({ number, action, by }) => [number, action, by])).toEqual([
      [4, 'revoked', me],
      [3, 'rotated', me],
      [2, 'changed', me],
      [1, 'created', me],
    ]);
    const [revoked, rotated, changed, created] = changes;
    expect(revoked?.fields).toEqual({ state: { old: 'active', new: 'revoked' } });
    expect(rotated?.fields).toEqual({});
    expect(Date.parse(rotated?.old_secret_until ?? '') - Date.parse(rotated?.at ?? '')).toSatisfy(
      (graceMs: number) => Math.abs(graceMs - 3_600_000) < 60_000,
    );
    expect(changed?.fields).toEqual({
      name: { old: 'h', new: 'h2' },
      budget_usd: { old: 5, new: 7.5 },
      models: { old: null, new: ['gpt-5'] },
    });
    expect(created?.fields).toMatchObject({ name: { old: null, new: 'h' } });
    expect(stdout).toMatch(/^ {2}budget_usd: \$5\.00 → \$7\.50$/m);
    const { secret_hash } = await readKey(id);
    for (const text of [stdout, JSON.stringify(changes)]) {
      expect(text).not.toMatch(/sk-[0-9A-Za-z]{43}|[0-9a-f]{64}/);
      expect(text).not.toContain(secret_hash);
    }
  });

  it('tells where a webhook led and leads, and neither its path nor its secret', async () => {
    const { id } = await answer<KeyRecord>(
      'create',
      '--name',
      'wh',
      '--webhook',
      'https://a.example/p?token=1',
    );
    await keys('set', id, '--webhook', 'https://b.example:8443/secret-path');
    await keys('set', id, '--webhook', 'none');
    await keys('set', id, '--webhook', 'none');

    const changes = await changesOf(id);
    const { stdout } = await keys('history', id);

    expect(changes.slice(0, -1).map(({ action, by, fields }) => ({ action, by, fields }))).toEqual(
      [
        { old: 'https://b.example:8443', new: null },
        { old: 'https://a.example', new: 'https://b.example:8443' },
        { old: null, new: 'https://a.example' },
      ].map((webhook) => ({ action: 'changed', by: me, fields: { webhook } })),
    );
    expect(stdout).toContain('\n  webhook: https://a.example → https://b.example:8443\n');
    expect(stdout + JSON.stringify(changes)).not.toMatch(/whsec_|token|secret-path/);
  });

  it('tells who changed a team, when and what, apart from the keys', {
    tags: 'exhaustive',
  }, async () => {
    const run = async <Answer>(...args: string[]) => {
      const { stdout } = await runCommand('teams', dataDir, [...args, '--data', dataDir]);
      return JSON.parse(stdout) as Answer;
    };
    const { id } = await run<TeamRecord>('create', '--name', 'told', '--budget-usd', '5', '--json');
    await run('set', id, '--budget-usd', '7.5', '--duration', '30d', '--json');

    const { changes } = await run<{ changes: KeyChange[] }>('history', id, '--json');
    const all = await run<{ changes: KeyChange[] }>('history', '--limit', '10000', '--json');

    expect(changes).toMatchObject([
      {
        ...{ key_id: id, number: 2, action: 'changed', by: me },
        fields: { budget_usd: { old: 5, new: 7.5 }, duration: { old: null, new: '30d' } },
      },
      {
        ...{ key_id: id, number: 1, action: 'created', by: me },
        fields: { name: { old: null, new: 'told' }, budget_usd: { old: null, new: 5 } },
      },
    ]);
    expect(all.changes).toEqual(expect.arrayContaining(changes));
    expect(all.changes.every(({ key_id }) => key_id.startsWith('team_'))).toBe(true);
    const ofKeys = await lastChanges('key', 10_000);
    expect(ofKeys.every(({ key_id }) => key_id.startsWith('key_'))).toBe(true);
    expect(await run<TeamRecord>('show', id, '--json')).not.toHaveProperty('changes');
  });

  it('of all keys has the latest first, as many as are asked for', {
    tags: 'exhaustive',
  }, async () => {
    const first = await issueKey('one', defaultLimits);
    const second = await issueKey('two', defaultLimits);

    const changes = await changesOf('--limit', '10000');
    const latest = await changesOf('--limit', '1');

    const ids = changes.map(({ key_id }) => key_id);
    expect(ids.indexOf(second.id)).toBeLessThan(ids.indexOf(first.id));
    expect(ids).toContain(first.id);
    expect(latest).toHaveLength(1);
  });

  it('is nothing that a listing or the authorizer takes for a key', async () => {
    const { id } = await issueKey('with a history', defaultLimits);
    const [change] = await historyOf(await readKey(id), 1);

    expect(change?.id).toBe(`history#${id}#1`);
    expect((await listKeys()).every((key) => key.id.startsWith('key_'))).toBe(true);
    expect(await admit(`history#${id}#1`)).toEqual({ refused: 'unknown' });
  });

  it('of any changes at once is one entry each, from where the last ended, and the account is as the last says', async () => {
    const budgets = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(budgets, fc.boolean(), async (all, rotates) => {
        const { id } = await issueKey('contended', defaultLimits);

        const outcomes = await Promise.allSettled([
          ...all.map((budget_usd) => changeKey(id, { budget_usd })),
          ...(rotates ? [rotateKey(id, 0)] : []),
        ]);

        const key = await readKey(id);
        const changes = (await historyOf(key, 100)).toReversed();
        const made = outcomes.filter(({ status }) => status === 'fulfilled').length;
        expect(changes).toHaveLength(made + 1);
        expect(key.changes).toBe(made + 1);
        let budget: unknown = null;
        for (const { fields } of changes) {
          const { budget_usd } = fields;
          if (!budget_usd) continue;
          expect(budget_usd.old).toBe(budget);
          budget = budget_usd.new;
        }
        expect(key.budget_usd).toBe(budget);
        const { ceiling } = await accountOf(id);
        expect(ceiling).toBe(budget === null ? maxBudgetNanoUsd : Number(budget) * 1e9);
      }),
      { numRuns: cases(2, 10) },
    );
  });
});

it('of budgets and webhooks of a team, changed at once, is one entry each, from where the last ended', async () => {
  const aBudget = fc.integer({ min: 0, max: 5 }).map((budget_usd) => ({ budget_usd }));
  const aWebhook = fc.constantFrom('https://a.example', 'https://b.example', null);
  const aChange = fc.oneof(
    aBudget,
    aWebhook.map((webhook) => ({ webhook })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(aChange, { minLength: 1, maxLength: 5 }), async (all) => {
      const { id } = await createTeam({ name: 'contended', budget_usd: null, duration: null });

      await Promise.all(
        all.map((change) => {
          if ('budget_usd' in change) return changeTeam(id, change);
          return change.webhook ? setWebhook(id, change.webhook) : removeWebhook(id);
        }),
      );

      const team = await readTeam(id);
      const changes = (await historyOf(team, 100)).toReversed();
      expect(changes).toHaveLength(team.changes ?? 0);
      const last: Record<string, unknown> = { budget_usd: null, webhook: null };
      for (const { fields } of changes) {
        for (const [name, field] of Object.entries(fields)) {
          if (!(name in last)) continue;
          expect(field.old).toBe(last[name]);
          last[name] = field.new;
        }
      }
      expect(last['budget_usd']).toBe(team.budget_usd);
      expect(last['webhook']).toBe((await findWebhook(id))?.url ?? null);
      const { ceiling } = await accountOf(id);
      expect(ceiling).toBe(team.budget_usd === null ? maxBudgetNanoUsd : team.budget_usd * 1e9);
    }),
    { numRuns: cases(3, 15) },
  );
});

it('the account is as the key says, though the earlier of two changes comes to it later', async () => {
  const { id } = await issueKey('overtaken', defaultLimits);
  const send = dynamodb.send.bind(dynamodb) as (command: object) => Promise<object>;
  let later: Promise<unknown> | undefined;
  vi.spyOn(dynamodb, 'send').mockImplementation(async (command: object) => {
    // The account's limits change in a transaction, after the key's or the team's own.
    const isAccount =
      command instanceof TransactWriteCommand &&
      command.input.TransactItems?.some(({ Update }) => Update?.Key?.['entry'] === 'account');
    if (isAccount && !later) {
      later = changeKey(id, { budget_usd: 3 });
      await later;
    }
    return send(command);
  });

  await changeKey(id, { budget_usd: 2 });

  expect(await readKey(id)).toMatchObject({ budget_usd: 3, changes: 3 });
  expect((await accountOf(id)).ceiling).toBe(3e9);
});

it("a team's account is as the team says, though the earlier of two changes comes to it later", async () => {
  const { id } = await createTeam({ name: 'overtaken', budget_usd: null, duration: null });
  const send = dynamodb.send.bind(dynamodb) as (command: object) => Promise<object>;
  let later: Promise<unknown> | undefined;
  vi.spyOn(dynamodb, 'send').mockImplementation(async (command: object) => {
    // The account's limits change in a transaction, after the key's or the team's own.
    const isAccount =
      command instanceof TransactWriteCommand &&
      command.input.TransactItems?.some(({ Update }) => Update?.Key?.['entry'] === 'account');
    if (isAccount && !later) {
      later = changeTeam(id, { budget_usd: 3, name: 'later' });
      await later;
    }
    return send(command);
  });

  await changeTeam(id, { budget_usd: 2, name: 'earlier' });

  expect(await readTeam(id)).toMatchObject({ budget_usd: 3, name: 'later', changes: 3 });
  expect(await accountOf(id)).toMatchObject({ ceiling: 3e9, name: 'later' });
});

it('of a webhook that another sets meanwhile begins where that led', async () => {
  const key = await issueKey('hooked twice', defaultLimits);
  const send = dynamodb.send.bind(dynamodb) as (command: object) => Promise<object>;
  let other: Promise<unknown> | undefined;
  vi.spyOn(dynamodb, 'send').mockImplementation(async (command: object) => {
    const found = await send(command);
    const isWebhook = command instanceof GetCommand && command.input.Key?.['entry'] === 'webhook';
    if (isWebhook && !other) {
      other = setWebhook(key.id, 'https://other.example');
      await other;
    }
    return found;
  });

  await setWebhook(key.id, 'https://this.example');

  const changes = await historyOf(await readKey(key.id), 2);
  expect(changes.map(({ fields }) => fields['webhook'])).toEqual([
    { old: 'https://other.example', new: 'https://this.example' },
    { old: null, new: 'https://other.example' },
  ]);
  expect((await findWebhook(key.id))?.url).toBe('https://this.example');
});

describe.concurrent('on a deployed stack', () => {
  let stub: Awaited<ReturnType<typeof startCloudFormationStub>>;
  beforeAll(async () => {
    const { outputs } = readStageFile(dataDir) ?? {};
    stub = await startCloudFormationStub({ 'quire-test': { BaseUrl: base_url, ...outputs } });
  });
  afterAll(() => stub.close());

  const create = async (name: string, stsUrl: string) => {
    const args = ['create', '--name', name, '--json', '--stack', 'quire-test'];
    const { stdout, stderr } = await runCommand('keys', dataDir, args, {
      AWS_ENDPOINT_URL_CLOUDFORMATION: stub.url,
      AWS_ENDPOINT_URL_STS: stsUrl,
      AWS_ENDPOINT_URL_DYNAMODB: readStageFile(dataDir)?.dynamodb_url ?? '',
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
      AWS_SECRET_ACCESS_KEY: readStageFile(dataDir)?.secret_access_key ?? '',
    });
    const [change] = await historyOf(await readKey((JSON.parse(stdout) as KeyRecord).id), 1);
    return { by: change?.by, stderr };
  };

  it('who is the AWS identity', async () => {
    expect(await create('by an identity', stub.url)).toEqual({ by: stub.arn, stderr: '' });
  });

  it('who is the access key where AWS says no more, and that is told', async () => {
    const { by, stderr } = await create('by an access key', 'http://127.0.0.1:1');

    expect(by).toBe('access key AKIAEXAMPLE');
    expect(stderr).toMatch(/^AWS did not say who you are: /);
  });
});
