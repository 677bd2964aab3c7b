import { createRequire } from 'node:module';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clientConfig } from '../../../lib/local/engines/client-config.ts';
import type { FunctionHost } from '../../../lib/local/lambda/function-host.ts';
import type { Grant } from '../../../lib/local/permissions/policies.ts';
import { permissionsFor } from '../../support/fixtures/permissions.ts';
import { shared } from '../../support/run/shared.ts';
import { useJsonServer } from '../../support/servers/json-server.ts';
import { TinyFunctions } from '../lambda/tiny-functions.ts';

const { resolve } = createRequire(import.meta.url);
const engines = await shared('engines');
const tiny = new TinyFunctions();
let reached = 0;
/** Stands for Secrets Manager, Textract and Lambda: whatever reaches it is answered. */
const json = await useJsonServer(() => {
  reached += 1;
  return { body: { SecretString: 'secret', Blocks: [] } };
});

const environment = {
  AWS_ENDPOINT_URL_DYNAMODB: engines.dynamodbUrl,
  AWS_ENDPOINT_URL_SQS: engines.queuesUrl,
  AWS_ENDPOINT_URL_S3: engines.queuesUrl,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: json.url,
  AWS_ENDPOINT_URL_TEXTRACT: json.url,
  AWS_ENDPOINT_URL_LAMBDA: json.url,
};
const packages = {
  DynamoDB: 'dynamodb',
  S3: 's3',
  SQS: 'sqs',
  SecretsManager: 'secrets-manager',
  Textract: 'textract',
  Lambda: 'lambda',
};
const files = Object.entries(packages).map(([client, name]) => [
  client,
  resolve(`@aws-sdk/client-${name}`),
]);
const preamble = `
  const files = ${JSON.stringify(Object.fromEntries(files))};
  const sdkOf = async (client) => (await import(files[client])).default;
  const clients = {};`;
const body = `
  const given = event.text === undefined ? {} : { Body: event.text };
  const sdk = await sdkOf(event.client);
  try {
    const command = new sdk[event.command + 'Command']({ ...event.input, ...given });
    clients[event.client] ??= new sdk[event.client + 'Client']({ maxAttempts: 1 });
    const { $metadata, Body, ...output } = await clients[event.client].send(command);
    return { status: $metadata.httpStatusCode };
  } catch (error) {
    return { name: error.name, message: error.message, status: error.$metadata?.httpStatusCode };
  }`;

interface Call {
  client: keyof typeof packages;
  command: string;
  input: object;
  text?: string;
}

/** The functions by what they were granted: each loads the SDK, which takes most of a call's time. */
const functions = new Map<string, FunctionHost>();

/** Makes a call as a function that was granted this alone. */
function callAs(grants: Grant[], call: Call) {
  const granted = JSON.stringify(grants);
  const host =
    functions.get(granted) ??
    tiny.start(body, { preamble, environment, permissions: permissionsFor(...grants) });
  functions.set(granted, host);
  return host.invoke(call) as Promise<{ name?: string; message?: string; status?: number }>;
}

const own = 'us-east-1:000000000000';
const table = `arn:aws:dynamodb:${own}:table/guarded`;
const queue = `arn:aws:sqs:${own}:guarded`;
const QueueUrl = `${engines.queuesUrl}/000000000000/guarded`;
const object = 'arn:aws:s3:::guarded/key_1/a%20b.txt';
const Key = { id: { S: 'a' } };
const Item = Key;
const Entries = [{ Id: '0', MessageBody: 'b' }];
const document = { Document: { Bytes: {} } };
const update = { TableName: 'guarded', Key, UpdateExpression: 'SET a = id' };
const byIndex = {
  TableName: 'guarded',
  KeyConditionExpression: 'id = :id',
  ExpressionAttributeValues: { ':id': { S: 'a' } },
};

beforeAll(async () => {
  const dynamodb = new DynamoDBClient(clientConfig(engines.dynamodbUrl));
  const keys = {
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' as const }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' as const }],
  };
  await dynamodb.send(
    new CreateTableCommand({
      ...keys,
      TableName: 'guarded',
      BillingMode: 'PAY_PER_REQUEST',
      GlobalSecondaryIndexes: [
        { IndexName: 'ready', KeySchema: keys.KeySchema, Projection: { ProjectionType: 'ALL' } },
      ],
    }),
  );
  const sqs = new SQSClient(clientConfig(engines.queuesUrl));
  await sqs.send(new CreateQueueCommand({ QueueName: 'guarded' }));
  await new S3Client(clientConfig(engines.queuesUrl)).send(
    new CreateBucketCommand({ Bucket: 'guarded' }),
  );
});
beforeEach(() => {
  reached = 0;
});
afterAll(() => tiny.close());

const db = (command: string, input: object): Call => ({ client: 'DynamoDB', command, input });
const sqs = (command: string, input: object): Call => ({ client: 'SQS', command, input });
const s3 = (command: string, text?: string): Call => ({
  client: 'S3',
  command,
  input: { Bucket: 'guarded', Key: 'key_1/a b.txt' },
  ...(text !== undefined && { text }),
});

const calls: [Call, action: string, resource: string, refusal: [name: string, status: number]][] = [
  [
    db('PutItem', { TableName: 'guarded', Item }),
    'dynamodb:PutItem',
    table,
    ['AccessDeniedException', 400],
  ],
  [
    db('GetItem', { TableName: 'guarded', Key }),
    'dynamodb:GetItem',
    table,
    ['AccessDeniedException', 400],
  ],
  [db('Query', byIndex), 'dynamodb:Query', table, ['AccessDeniedException', 400]],
  [
    db('Query', { ...byIndex, IndexName: 'ready' }),
    'dynamodb:Query',
    `${table}/index/ready`,
    ['AccessDeniedException', 400],
  ],
  [
    db('BatchWriteItem', { RequestItems: { guarded: [{ PutRequest: { Item } }] } }),
    'dynamodb:BatchWriteItem',
    table,
    ['AccessDeniedException', 400],
  ],
  [
    db('TransactWriteItems', { TransactItems: [{ Update: update }] }),
    'dynamodb:UpdateItem',
    table,
    ['AccessDeniedException', 400],
  ],
  [
    sqs('SendMessage', { QueueUrl, MessageBody: 'a' }),
    'sqs:SendMessage',
    queue,
    ['AccessDeniedException', 403],
  ],
  [
    sqs('SendMessageBatch', { QueueUrl, Entries }),
    'sqs:SendMessage',
    queue,
    ['AccessDeniedException', 403],
  ],
  [s3('PutObject', 'a text'), 's3:PutObject', object.replace('%20', ' '), ['AccessDenied', 403]],
  [s3('GetObject'), 's3:GetObject', object.replace('%20', ' '), ['AccessDenied', 403]],
  [s3('DeleteObject'), 's3:DeleteObject', object.replace('%20', ' '), ['AccessDenied', 403]],
  [
    { client: 'SecretsManager', command: 'GetSecretValue', input: { SecretId: 'openai' } },
    'secretsmanager:GetSecretValue',
    `arn:aws:secretsmanager:${own}:secret:openai`,
    ['AccessDeniedException', 400],
  ],
  [
    { client: 'Textract', command: 'DetectDocumentText', input: document },
    'textract:DetectDocumentText',
    '*',
    ['AccessDeniedException', 400],
  ],
  [
    { client: 'Lambda', command: 'Invoke', input: { FunctionName: 'quire-Test-callee' } },
    'lambda:InvokeFunction',
    `arn:aws:lambda:${own}:function:quire-Test-callee`,
    ['AccessDeniedException', 403],
  ],
];
const named = calls.map(
  ([call, ...rest]) => [`${call.client} ${call.command}`, call, ...rest] as const,
);
/** Grants that are close to those of each call. */
const close = calls.flatMap(([, action, resource]) => [
  { action, resource: `${resource}-2` },
  { action: `${action}s`, resource: '*' },
]);

describe('a call of a function', () => {
  it.each(named)('%s reaches the service when it is granted', async (_, call, action, resource) => {
    const { status } = await callAs([{ action, resource }], call);

    expect(status).toBeLessThan(300);
  });

  it.each(named)(
    '%s is refused without its grant, and not sent',
    async (_, call, action, resource, [name, status]) => {
      const refused = await callAs(close, call);

      expect(refused).toMatchObject({ name, status });
      expect(refused.message).toBe(
        `User: ${permissionsFor().userArn} is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`,
      );
      expect(reached).toBe(0);
    },
  );

  it('is refused if one item of a transaction is not granted', async () => {
    const mixed = db('TransactWriteItems', {
      TransactItems: [
        { Update: update },
        { Put: { TableName: 'guarded', Item: { id: { S: 'mixed' } } } },
      ],
    });

    const refused = await callAs([{ action: 'dynamodb:UpdateItem', resource: table }], mixed);

    expect(refused.name).toBe('AccessDeniedException');
    expect(refused.message).toContain('dynamodb:PutItem');
  });

  it('is refused if one table of a batch is not granted', async () => {
    const RequestItems = { guarded: { Keys: [Key] }, other: { Keys: [Key] } };

    const refused = await callAs(
      [{ action: 'dynamodb:BatchGetItem', resource: table }],
      db('BatchGetItem', { RequestItems }),
    );

    expect(refused.message).toContain(
      'on resource: arn:aws:dynamodb:us-east-1:000000000000:table/other',
    );
  });

  it('with the credentials of another is refused', async () => {
    const host = tiny.start(
      `const sdk = await sdkOf('DynamoDB');
       const other = { accessKeyId: 'LOCALOTHER', secretAccessKey: 'x' };
       const client = new sdk.DynamoDBClient({ credentials: other, maxAttempts: 1 });
       return client.send(new sdk.ListTablesCommand({})).catch(({ name }) => name);`,
      { preamble, environment, permissions: permissionsFor({ action: '*', resource: '*' }) },
    );

    expect(await host.invoke({})).toBe('UnrecognizedClientException');
  });

  it('that is not one of AWS is none of the stage’s business', async () => {
    const host = tiny.start(
      `const { request } = await import('node:http');
       return new Promise((resolve) => {
         request('${json.url}', { method: 'PUT' }, ({ statusCode }) => resolve(statusCode)).end();
       });`,
    );

    expect(await host.invoke({})).toBe(200);
  });

  it('leaves the client ready for the next after a refusal', async () => {
    const host = tiny.start(body, {
      preamble,
      environment,
      permissions: permissionsFor({ action: 'dynamodb:GetItem', resource: table }),
    });
    const read = db('GetItem', { TableName: 'guarded', Key });

    const refused = await host.invoke(db('PutItem', { TableName: 'guarded', Item }));
    const answered = await host.invoke(read);

    expect(refused).toMatchObject({ name: 'AccessDeniedException' });
    expect(answered).toEqual({ status: 200 });
  });
});
