import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { adoptionOf } from '../../lib/cli/adopt/adoption.ts';
import { outputOf } from '../../lib/cli/target.ts';
import { clientConfig, clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { readAssembly } from '../../lib/local/template/synthesize.ts';
import { resourcesOf } from '../../lib/local/template/template.ts';
import { setting } from '../../shared/config.ts';
import { issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import type { EndedCharge } from '../../shared/usage/figures.ts';
import { rollUpUsage } from '../../shared/usage/roll-up.ts';
import { shared } from '../support/run/shared.ts';
import { useFolder } from '../support/run/use-folder.ts';
import { runCommand } from '../support/servers/command.ts';
import { useRecoveringAccount } from '../support/servers/recovering-account.ts';
import { chargesOf } from '../support/worlds/ledger-world.ts';
import { spoil } from '../support/worlds/spoil-usage.ts';
import { useStore } from '../support/worlds/store.ts';
import { eventOf, usageOf } from '../support/worlds/usage-world.ts';

await useStore();
const home = useFolder();
const { dynamodbUrl } = await shared('engines');
const dynamodb = new DynamoDBClient(clientConfig(dynamodbUrl));
const { template } = readAssembly(await shared('unbundled'));
const ledger = setting('LEDGER_TABLE');
const stackName = ledger.replace(/-ledgertable.*$/, '');
const tables = resourcesOf(template, 'AWS::DynamoDB::GlobalTable').map(
  ([id]) => `${stackName}-${id}`,
);
const sessions = tables.find((name) => name.includes('chatsessions')) ?? '';
const buckets = resourcesOf(template, 'AWS::S3::Bucket').map(
  ([id]) => `${stackName}-${id.toLowerCase()}-1a`,
);
const secrets = resourcesOf(template, 'AWS::SecretsManager::Secret').map(
  ([id]) => `arn:aws:secretsmanager:us-east-1:000000000000:secret:${id}-1a2b-3c`,
);
const queues = resourcesOf(template, 'AWS::SQS::Queue').map(
  ([id]) => `https://sqs.us-east-1.amazonaws.com/000000000000/${stackName}-${id}-1a`,
);
const account = await useRecoveringAccount(dynamodbUrl, {
  name: stackName,
  outputs: Object.fromEntries(
    Object.entries(outputOf).map(([name, output]) => [output, process.env[name] ?? '']),
  ),
  resources: [
    ...tables.map((name): [string, string] => ['AWS::DynamoDB::GlobalTable', name]),
    ...buckets.map((name): [string, string] => ['AWS::S3::Bucket', name]),
    ...secrets.map((arn): [string, string] => ['AWS::SecretsManager::Secret', arn]),
    ...queues.map((url): [string, string] => ['AWS::SQS::Queue', url]),
    ['AWS::SNS::Topic', 'a-topic'],
  ],
});

const restore = (...args: string[]) =>
  runCommand('restore', home, args, {
    ...clientEnvironment,
    AWS_ENDPOINT_URL_CLOUDFORMATION: account.url,
    AWS_ENDPOINT_URL_DYNAMODB: account.url,
  });

async function callOf(keyId: string): Promise<void> {
  const hold = await reserve(keyId, 1_000, { model: 'gpt-5', tags: ['chat'] });
  await settle(hold, { costNanoUsd: 9, figures: 'exact', promptTokens: 1, completionTokens: 2 });
  const uncounted = (await chargesOf(keyId)).filter((charge) => !('counted_in' in charge));
  await rollUpUsage(eventOf(uncounted as EndedCharge[]));
}

/** The last full second: what is remembered at it, a restore finds. */
const lastSecond = () => new Date(Math.floor(Date.now() / 1000) * 1000);
const instant = lastSecond();
const to = instant.toISOString();
const suffix = to.replace(/[-:]|\.\d+/g, '');
let keyId: string;

beforeAll(async () => {
  for (const name of tables) if (name !== sessions) account.recoverable.add(name);
  const TimeToLiveSpecification = { AttributeName: 'expires_at', Enabled: true };
  await dynamodb.send(new UpdateTimeToLiveCommand({ TableName: ledger, TimeToLiveSpecification }));
  keyId = (await issueKey('shop', { ...defaultLimits, budget_usd: 5 })).id;
  await callOf(keyId);
  await account.remember(instant, tables);
  await callOf(keyId);
  await spoil(keyId, 0);
});

describe('a restore', () => {
  it('only says what it would do when it is asked to', async () => {
    const { code, stdout } = await restore('--stack', stackName, '--to', to, '--dry-run');

    expect(code).toBe(0);
    expect(stdout).toContain(`${ledger}-${suffix}`);
    expect(stdout).toContain(`Not restored, as it has no recovery: ${sessions}.`);
    await expect(
      dynamodb.send(new DescribeTableCommand({ TableName: `${ledger}-${suffix}` })),
    ).rejects.toThrow();
  });

  it('makes tables as they were, complete and checked, and says how to put them in place', async () => {
    const { code, stdout, stderr } = await restore('--stack', stackName, '--to', to);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Of 1 keys 1 agree: account, models and days with 1 charges.');
    const restored = `${ledger}-${suffix}`;
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: restored }));
    expect(Table?.StreamSpecification).toMatchObject({ StreamEnabled: true });
    const { TimeToLiveDescription } = await dynamodb.send(
      new DescribeTimeToLiveCommand({ TableName: restored }),
    );
    expect(TimeToLiveDescription).toMatchObject({ TimeToLiveStatus: 'ENABLED' });
    expect(account.recoverable).toContain(restored);
    expect((await usageOf(keyId))['total']?.requests, 'what is in use').toBeLessThan(1);
    const named = stdout.match(/npm run adopt -- \S+ \\\n((?: {4}\S+(?: \\)?\n)+)/)?.[1] ?? '';
    // The engine's tables lack the end that CloudFormation gives a name.
    const names = named
      .split(/[\s\\]+/)
      .filter(Boolean)
      .map((name) => (name === sessions ? `${name}-1ABC` : name));
    expect(adoptionOf(template, stackName, names).resourcesToImport).toContainEqual(
      expect.objectContaining({ ResourceIdentifier: { TableName: restored } }),
    );
  });

  it('goes on where an earlier one stopped', async () => {
    const { code, stderr } = await restore('--stack', stackName, '--to', to);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('exits with 1 where the instant’s own figures differ', async () => {
    const later = new Date(instant.getTime() + 1000);
    await account.remember(later, tables);

    const { code, stdout } = await restore('--stack', stackName, '--to', later.toISOString());

    expect(code).toBe(1);
    expect(stdout).toContain(`npm run usage -- rebuild ${keyId}`);
  });

  it.each([
    [['--to', to], '--stack is missing: it should be the name of a deployed stack.'],
    [
      ['--stack', stackName, '--to', '2026-11-24 10:00'],
      '--to should be an instant with its zone, as in 2026-11-24T10:00:00Z.',
    ],
    [
      ['--stack', stackName, '--to', '2020-01-01T00:00:00Z'],
      `--to should be an instant from ${to} to `,
    ],
  ])('refuses %j in a sentence', async (args, sentence) => {
    const { code, stdout, stderr } = await restore(...args);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(sentence);
  });
});
