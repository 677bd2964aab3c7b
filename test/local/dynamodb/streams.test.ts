import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, expect, it, vi } from 'vitest';
import { type DynamoDbEngine, startDynamoDb } from '../../../lib/local/dynamodb/dynoxide.ts';
import { StreamReader } from '../../../lib/local/dynamodb/stream-reader.ts';
import { openStreams } from '../../../lib/local/dynamodb/streams.ts';
import { clientConfig } from '../../../lib/local/engines/client-config.ts';

// The streams of the stage's own engine are tested, whatever DynamoDB the run names.
delete process.env['AWS_ENDPOINT_URL_DYNAMODB'];

const folder = mkdtempSync(join(tmpdir(), 'quire-streams-'));
const file = join(folder, 'dynamodb.db');
const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<DynamoDbEngine & { client: DynamoDBClient }> {
  const engine = await startDynamoDb(file, () => {});
  const client = new DynamoDBClient(clientConfig(engine.url));
  return { ...engine, client };
}

/** Makes a table with a stream; returns the stream's ARN. */
async function makeTable(client: DynamoDBClient, TableName: string): Promise<string> {
  const { TableDescription } = await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    }),
  );
  return TableDescription?.LatestStreamArn ?? '';
}

const put = (client: DynamoDBClient, TableName: string, id: string) =>
  client.send(new PutItemCommand({ TableName, Item: { id: { S: id } } }));

/** Reads what the stream still holds. */
async function recordsOf(url: string, streamArn: string): Promise<DynamoDBRecord[]> {
  const stream = new StreamReader(url, streamArn);
  return (await stream.read(await stream.iteratorAfter(undefined), 100)).records;
}

const idsOf = (records: DynamoDBRecord[]) =>
  records.map(({ dynamodb }) => dynamodb?.Keys?.['id']?.S);

it('tells followers of new records of their table, and drops what all of them have delivered', {
  tags: 'exhaustive',
}, async () => {
  const { streams, client, url, close } = await start();
  const [ships, ports] = [await makeTable(client, 'ships'), await makeTable(client, 'ports')];
  const told: string[] = [];
  const next = Promise.withResolvers<void>();
  const [first, second] = [streams?.follow(ships), streams?.follow(ships)];
  streams?.follow(ports).onRecords(() => told.push('ports'));
  first?.onRecords(() => told.push('ships'));
  second?.onRecords(next.resolve);

  for (const id of ['a', 'b', 'c']) await put(client, 'ships', id);
  await next.promise;
  const records = await recordsOf(url, ships);
  first?.delivered(records[2]?.dynamodb?.SequenceNumber ?? '');
  second?.delivered(records[1]?.dynamodb?.SequenceNumber ?? '');
  await close();
  const again = await start();
  closers.push(again.close);

  expect(told).toContain('ships');
  expect(told).not.toContain('ports');
  expect(idsOf(records)).toEqual(['a', 'b', 'c']);
  expect(idsOf(await recordsOf(again.url, ships))).toEqual(['b', 'c']);
});

it('reports that it can no longer read its file, and can still be closed', async () => {
  const path = join(folder, 'broken.db');
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE _stream_records (id INTEGER PRIMARY KEY, table_name, shard_id, sequence_number)`);
  const onDeath = vi.fn();
  const streams = await openStreams(path, onDeath);
  streams.follow('arn:aws:dynamodb:::table/ships/stream/1');

  db.exec('DROP TABLE _stream_records');
  await vi.waitFor(() => expect(onDeath).toHaveBeenCalled());
  await streams.close();
  db.close();

  expect(onDeath.mock.calls).toEqual([
    [expect.stringMatching(/^The engine streams stopped by itself: .*no such table/)],
  ]);
});
