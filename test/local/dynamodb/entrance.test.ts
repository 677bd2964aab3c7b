import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, it } from 'vitest';
import { startEntrance } from '../../../lib/local/dynamodb/entrance.ts';
import { clientConfig } from '../../../lib/local/engines/client-config.ts';

const answers: ((response: ServerResponse) => unknown)[] = [];
const engine = createServer((request, response) => {
  const answer = answers.shift() ?? ((each) => each.end('{"TableNames":["one"]}'));
  request.resume().once('end', () => answer(response));
});
await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
const entrance = await startEntrance(`http://127.0.0.1:${(engine.address() as AddressInfo).port}`);
const client = new DynamoDBClient({ ...clientConfig(entrance.url), maxAttempts: 1 });
const list = () => client.send(new ListTablesCommand());

afterAll(async () => {
  client.destroy();
  await entrance.close();
  engine.closeAllConnections();
  engine.close();
});

it('passes on what the engine answers', async () => {
  expect(await list()).toMatchObject({ TableNames: ['one'] });
});

it('passes on a refusal of the engine', async () => {
  answers.push((response) =>
    response.writeHead(400).end('{"__type":"com.amazon.coral.service#ThrottlingException"}'),
  );

  await expect(list()).rejects.toMatchObject({
    name: 'ThrottlingException',
    $metadata: { httpStatusCode: 400 },
  });
});

it.each<[string, (response: ServerResponse) => unknown]>([
  ['before its answer', (response) => response.destroy()],
  [
    'in the middle of it',
    (response) =>
      response
        .writeHead(200, { 'content-length': 1_000 })
        .write('{"TableNames":[', () => response.destroy()),
  ],
])('breaks a connection off that the engine breaks off %s, and goes on', async (_, breakOff) => {
  answers.push(breakOff);

  await expect(list()).rejects.toThrow();

  expect(await list()).toMatchObject({ TableNames: ['one'] });
});
