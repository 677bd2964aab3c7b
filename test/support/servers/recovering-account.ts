import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll } from 'vitest';
import { clientConfig } from '../../../lib/local/engines/client-config.ts';

type Items = Record<string, AttributeValue>[];

export interface RecoveringAccount {
  url: string;
  /** Keeps what the tables hold as what they held at an instant. */
  remember(at: Date, tables: readonly string[]): Promise<void>;
  /** The tables that have point-in-time recovery. */
  recoverable: Set<string>;
}

/**
 * Gives a test file an account with one stack, and a DynamoDB that can be restored: an engine's, before which this
 * answers what the engine has no operation for. A restored table is being made at first, and has no stream, time to live or
 * backups, as on AWS.
 */
export async function useRecoveringAccount(
  engineUrl: string,
  stack: { name: string; outputs: Record<string, string>; resources: [type: string, id: string][] },
): Promise<RecoveringAccount> {
  const dynamodb = new DynamoDBClient(clientConfig(engineUrl));
  const remembered: { at: Date; items: Map<string, Items> }[] = [];
  const recoverable = new Set<string>();
  const beingMade = new Map<string, number>();
  let isFirstAsked = true;

  async function restore(source: string, target: string, to: Date): Promise<void> {
    const { items } = remembered.findLast(({ at }) => at <= to) ?? {};
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: source }));
    await dynamodb.send(
      new CreateTableCommand({
        TableName: target,
        KeySchema: Table?.KeySchema,
        AttributeDefinitions: Table?.AttributeDefinitions,
        BillingMode: 'PAY_PER_REQUEST',
        GlobalSecondaryIndexes: Table?.GlobalSecondaryIndexes?.map(
          ({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection }),
        ),
      }),
    );
    for (const Item of items?.get(source) ?? []) {
      const RequestItems = { [target]: [{ PutRequest: { Item } }] };
      await dynamodb.send(new BatchWriteItemCommand({ RequestItems }));
    }
    beingMade.set(target, 1);
  }

  async function answer(request: IncomingMessage, body: string): Promise<[number, string]> {
    const [, operation] = String(request.headers['x-amz-target'] ?? '').split('.');
    if (!operation) return [200, cloudFormation(new URLSearchParams(body), stack)];
    const input = JSON.parse(body);
    const { TableName } = input;
    if (operation === 'DescribeContinuousBackups') {
      return [200, JSON.stringify({ ContinuousBackupsDescription: recovery(TableName) })];
    }
    if (operation === 'UpdateContinuousBackups') {
      if (isFirstAsked) {
        isFirstAsked = false;
        return failed('ContinuousBackupsUnavailableException', 'Backups are being enabled');
      }
      recoverable.add(TableName);
      return [200, '{}'];
    }
    if (operation === 'RestoreTableToPointInTime') {
      const { SourceTableName, TargetTableName, RestoreDateTime } = input;
      const isTaken = await dynamodb
        .send(new DescribeTableCommand({ TableName: TargetTableName }))
        .catch(() => undefined);
      if (isTaken) {
        return failed('TableAlreadyExistsException', 'Table already exists');
      }
      await restore(SourceTableName, TargetTableName, new Date(RestoreDateTime * 1000));
      return [200, '{}'];
    }
    const passed = await fetch(engineUrl, {
      method: 'POST',
      headers: Object.entries(request.headers)
        .filter(([name]) => !['host', 'connection', 'content-length'].includes(name))
        .map(([name, value]) => [name, String(value)]),
      body,
    });
    const answered = await passed.text();
    const left = beingMade.get(TableName) ?? 0;
    if (operation !== 'DescribeTable' || left === 0) return [passed.status, answered];
    beingMade.set(TableName, left - 1);
    return [200, answered.replace('"TableStatus":"ACTIVE"', '"TableStatus":"CREATING"')];
  }

  const recovery = (table: string) => {
    if (!recoverable.has(table)) return { ContinuousBackupsStatus: 'ENABLED' };
    const [{ at } = { at: new Date() }] = remembered;
    return {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: {
        PointInTimeRecoveryStatus: 'ENABLED',
        EarliestRestorableDateTime: at.getTime() / 1000,
        LatestRestorableDateTime: Date.now() / 1000,
      },
    };
  };

  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const [status, answered] = await answer(request, await text(request));
    const type = answered.startsWith('<') ? 'text/xml' : 'application/x-amz-json-1.0';
    response.writeHead(status, { 'content-type': type }).end(answered);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    dynamodb.destroy();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    recoverable,
    async remember(at, tables) {
      const items = new Map<string, Items>();
      for (const TableName of tables) {
        items.set(TableName, (await dynamodb.send(new ScanCommand({ TableName }))).Items ?? []);
      }
      remembered.push({ at, items });
    },
  };
}

const failed = (code: string, message: string): [number, string] => [
  400,
  JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${code}`, message }),
];

/** Answers as CloudFormation does about the one stack that there is. */
function cloudFormation(
  asked: URLSearchParams,
  {
    outputs,
    resources,
  }: { outputs: Record<string, string>; resources: [type: string, id: string][] },
): string {
  const action = asked.get('Action') ?? '';
  const xmlns = 'http://cloudformation.amazonaws.com/doc/2010-05-15/';
  const members = (texts: string[]) => texts.map((each) => `<member>${each}</member>`).join('');
  const result =
    action === 'DescribeStacks'
      ? `<Stacks><member><Outputs>${members(
          Object.entries(outputs).map(
            ([name, value]) => `<OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue>`,
          ),
        )}</Outputs></member></Stacks>`
      : `<StackResourceSummaries>${members(
          resources.map(
            ([type, id]) =>
              `<ResourceType>${type}</ResourceType><PhysicalResourceId>${id}</PhysicalResourceId>`,
          ),
        )}</StackResourceSummaries>`;
  return `<${action}Response xmlns="${xmlns}"><${action}Result>${result}</${action}Result></${action}Response>`;
}
