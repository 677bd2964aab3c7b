import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, it, vi } from 'vitest';
import { dynamodb, getItem } from '../../shared/aws/dynamodb.ts';
import { isOutage } from '../../shared/aws/outage.ts';
import { schemaItem } from '../../shared/aws/schema.ts';
import { setting } from '../../shared/config.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { useStore } from '../support/worlds/store.ts';

const store = await useStore();
beforeEach(async () => {
  await store.renew();
  vi.unstubAllEnvs();
});

const storeSchema = (schema_version: number) =>
  dynamodb.send(
    new PutCommand({ TableName: setting('LEDGER_TABLE'), Item: { ...schemaItem, schema_version } }),
  );

/** A new process of a function. Its requests are of the store, but for what it reads of the schema. */
async function newFunction() {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'create-chat-completion');
  vi.resetModules();
  const fresh = await import('../../shared/aws/dynamodb.ts');
  const sent: string[] = [];
  fresh.dynamodb.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        sent.push(commandName);
        return next(args);
      },
    { step: 'build' },
  );
  const read = () => fresh.getItem(setting('LEDGER_TABLE'), { key_id: 'any', entry: 'account' });
  return { read, sent };
}

const open = () =>
  openAccount('any', new Date().toISOString(), { ...defaultLimits, budget_usd: 1 });

it('is written with the first account, and read once by a process of a function', async () => {
  await open();
  const { read, sent } = await newFunction();

  await Promise.all([read(), read()]);
  await read();

  expect(sent).toHaveLength(4);
  expect(await read()).toMatchObject({ key_id: 'any' });
  const { key_id, entry } = schemaItem;
  expect(await getItem(setting('LEDGER_TABLE'), { key_id, entry })).toEqual(schemaItem);
});

it('is none where nothing was stored', async () => {
  const { read } = await newFunction();

  expect(await read()).toBeUndefined();
});

it.each([
  [0, 'schema 0, and this version knows schema 1 alone. Deploy the version that stored it, and'],
  [2, 'schema 2, and this version knows schema 1 alone. Deploy the newer version again.'],
])(
  'of version %i is refused with what to do, for as long as it is there',
  async (version, words) => {
    await storeSchema(version);
    const { read, sent } = await newFunction();

    const error = await read().catch((reason: unknown) => reason);

    expect(String(error)).toContain(words);
    // Callers are told to try again, and jobs wait.
    expect(isOutage(error)).toBe(true);
    expect(sent).toHaveLength(1);
    vi.unstubAllEnvs();
    await expect(open()).rejects.toThrow(words);
    await storeSchema(schemaItem.schema_version);
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'create-chat-completion');
    expect(await read()).toBeUndefined();
  },
);
