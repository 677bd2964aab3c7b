import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchExecuteStatementCommand,
  DynamoDBDocumentClient,
  ExecuteStatementCommand,
  PutCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, it } from 'vitest';
import { setting } from '../../../shared/config.ts';
import { useStore } from '../../support/worlds/store.ts';
import { startStoreProxy, type Units } from './store-proxy.ts';

await useStore();
const counted: [string, Units][] = [];
const proxy = await startStoreProxy({
  url: process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string,
  onUnits: ({ operation }, units) => counted.push([operation, units]),
});
const client = new DynamoDBClient({ endpoint: proxy.url });
const store = DynamoDBDocumentClient.from(client);
afterAll(() => {
  client.destroy();
  proxy.close();
});

it('each kind of request is counted, also those whose items are written by statements', async () => {
  const TableName = setting('KEYS_TABLE');
  const item = (id: string) => ({ id, name: 'counted' });
  await store.send(new PutCommand({ TableName, Item: item('counted_1') }));
  const insert = (id: string) => ({
    Statement: `INSERT INTO "${TableName}" VALUE ?`,
    Parameters: [item(id)],
  });
  await store.send(
    new BatchExecuteStatementCommand({ Statements: [insert('counted_2'), insert('counted_3')] }),
  );
  const Statement = `SELECT name FROM "${TableName}" WHERE id = 'counted_2'`;
  await store.send(new ExecuteStatementCommand({ Statement, ConsistentRead: true }));

  expect(counted.map(([operation, { write, read }]) => [operation, write, read > 0])).toEqual([
    ['PutItem', expect.any(Number), false],
    ['BatchExecuteStatement', expect.any(Number), false],
    ['ExecuteStatement', 0, true],
  ]);
  const [put = 0, batch = 0] = counted.map(([, { write }]) => write);
  expect(put).toBeGreaterThanOrEqual(1);
  expect(batch).toBe(2 * put);
});
