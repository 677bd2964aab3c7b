import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { DetectDocumentTextCommand, TextractClient } from '@aws-sdk/client-textract';
import { afterAll, describe, expect, it } from 'vitest';
import { startDynamoDb } from '../../../lib/local/dynamodb/dynoxide.ts';
import { clientConfig } from '../../../lib/local/engines/client-config.ts';
import { startInvokeServer } from '../../../lib/local/lambda/invoke-server.ts';
import { startOfflineModel } from '../../../lib/local/offline-model/offline-model-server.ts';
import { startSecretsServer } from '../../../lib/local/secrets/secrets-server.ts';
import { startTextractServer } from '../../../lib/local/textract/textract-server.ts';
import { shared } from '../../support/run/shared.ts';
import { accessToken, askToken, useDrive } from '../../support/servers/drive.ts';
import { jpegHeader, pageOf } from '../../support/servers/textract.ts';
import { TinyFunctions } from '../lambda/tiny-functions.ts';
import { startTestWeb } from '../web/test-web.ts';
import { statusOf } from './status-of.ts';

delete process.env['AWS_ENDPOINT_URL_DYNAMODB'];
const tiny = new TinyFunctions();
const callee = tiny.start('return "called"');
const secretId = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:a';
const [{ queuesUrl }, dynamodb, secrets, invoke, textract, drive, web, model] = await Promise.all([
  shared('engines'),
  startDynamoDb(undefined, () => {}),
  startSecretsServer({ [secretId]: 'a value' }),
  startInvokeServer(() => callee),
  startTextractServer({ recognize: async () => pageOf('Read') }),
  useDrive(),
  startTestWeb(),
  startOfflineModel(),
]);
web.put('a.txt', 'a heron');
const driveToken = await accessToken(drive.serviceAccount);

afterAll(async () => {
  await Promise.all([dynamodb, secrets, invoke, textract, web, model].map((each) => each.close()));
  await tiny.close();
});

type Headers = Record<string, string>;
type Config = ReturnType<typeof configOf>;

/** Has an SDK's client send these headers too, signed as all others, or sign nothing. */
const configOf = (url: string, signer?: object) => ({
  ...clientConfig(url),
  maxAttempts: 1,
  ...(signer && { signer: signer as never }),
});
const noSigner = { sign: async (request: object) => request };

/** One of AWS's services, asked by its own client. */
const aws = (url: string, make: (config: Config) => object, command: object) => {
  const ask = async (headers: Headers, signer?: object): Promise<number> => {
    const client = make(configOf(url, signer)) as SQSClient;
    client.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as { headers: Headers }).headers, headers);
        return next(args);
      },
      { step: 'build', priority: 'high' },
    );
    const sent = client.send(command as ListQueuesCommand);
    const { $metadata } = await sent.catch((error) => error);
    return $metadata.httpStatusCode;
  };
  return { url, ask, askUnsigned: () => ask({}, noSigner), refusal: 403 };
};

/** A service that asks for a bearer's token, or for a path that only the stage knows. */
const other = (
  url: string,
  send: (headers: Headers) => Promise<number>,
  sendUnsigned: () => Promise<number>,
  refusal: number,
) => ({ url, ask: send, askUnsigned: sendUnsigned, refusal });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const chat = JSON.stringify({ model: 'offline', messages: [{ role: 'user', content: 'Hello' }] });
const post = (headers: Headers) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: chat,
});
const files = `${drive.url}/drive/v3/files`;
const completions = `${model.url}/chat/completions`;
const found = (url: string) => `${url}/search?q=heron&format=json`;

describe.each([
  [
    'DynamoDB',
    aws(dynamodb.entranceUrl, (config) => new DynamoDBClient(config), new ListTablesCommand()),
  ],
  ['SQS', aws(queuesUrl, (config) => new SQSClient(config), new ListQueuesCommand())],
  ['S3', aws(queuesUrl, (config) => new S3Client(config), new ListBucketsCommand())],
  [
    'Secrets Manager',
    aws(
      secrets.url,
      (config) => new SecretsManagerClient(config),
      new GetSecretValueCommand({ SecretId: secretId }),
    ),
  ],
  [
    'Systems Manager',
    aws(secrets.url, (config) => new SSMClient(config), new GetParameterCommand({ Name: 'a' })),
  ],
  [
    'Lambda',
    aws(
      invoke.url,
      (config) => new LambdaClient(config),
      new InvokeCommand({ FunctionName: callee.config.name }),
    ),
  ],
  [
    'Textract',
    aws(
      textract.url,
      (config) => new TextractClient(config),
      new DetectDocumentTextCommand({ Document: { Bytes: jpegHeader() } }),
    ),
  ],
  [
    'Drive',
    other(
      drive.url,
      (headers) => statusOf(files, { headers: { ...bearer(driveToken), ...headers } }),
      () => statusOf(files),
      401,
    ),
  ],
  [
    'Drive, by a path that is written otherwise,',
    other(
      drive.url,
      (headers) =>
        statusOf(`${drive.url}/%64rive/v3/files`, {
          headers: { ...bearer(driveToken), ...headers },
        }),
      () => statusOf(`${drive.url}/%64rive/v3/files`),
      401,
    ),
  ],
  [
    'the offline model',
    other(
      model.url,
      (headers) => statusOf(completions, post({ ...bearer(model.key), ...headers })),
      () => statusOf(completions, post(bearer('none'))),
      401,
    ),
  ],
  [
    'the search of the web',
    other(
      web.url,
      (headers) => statusOf(found(web.searchUrl), { headers }),
      () => statusOf(found(web.url)),
      404,
    ),
  ],
])('%s', (_, { url, ask, askUnsigned, refusal }) => {
  const { port } = new URL(url);

  it('answers the stage', async () => {
    expect(await ask({})).toBe(200);
  });

  it('refuses who has no credentials', async () => {
    expect(await askUnsigned()).toBe(refusal);
  });

  it.each(['https://elsewhere.example', 'null', 'http://localhost:8080'])(
    'refuses a page of the origin %s, even with credentials',
    async (origin) => {
      expect(await ask({ origin })).toBe(403);
    },
  );

  it.each([`elsewhere.example:${port}`, '127.0.0.1:1', '127.0.0.1'])(
    'refuses a request for the host %s, even with credentials',
    async (host) => {
      expect(await ask({ host })).toBe(403);
    },
  );

  it.each([`127.0.0.1:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`])(
    'answers by the name %s',
    async (host) => {
      expect(await ask({ host })).toBe(200);
    },
  );
});

describe('the token of the Drive', () => {
  it.each([{ origin: 'https://elsewhere.example' }, { host: 'elsewhere.example' }])(
    'is given to no page: %o',
    async (headers) => {
      const { token_uri } = drive.serviceAccount;

      expect(await statusOf(token_uri, { method: 'POST', headers })).toBe(403);
      expect((await askToken(drive.serviceAccount)).status).toBe(400);
    },
  );
});

describe('a page of the web', () => {
  const url = `${web.url}/pages/a.txt`;

  it.each<[string, number, Headers]>([
    ['is opened from its address', 200, {}],
    ['is opened by a link on another page', 200, { site: 'cross-site', mode: 'navigate' }],
    ['takes what is its own', 200, { site: 'same-origin', mode: 'no-cors' }],
    ['is no script of another page', 403, { site: 'cross-site', mode: 'no-cors' }],
    ['is no picture of a page at another port', 403, { site: 'same-site', mode: 'no-cors' }],
  ])('%s', async (_, status, { site, mode }) => {
    const headers = site && mode ? { 'sec-fetch-site': site, 'sec-fetch-mode': mode } : {};

    expect(await statusOf(url, { headers })).toBe(status);
  });

  it.each([{ origin: 'null' }, { host: 'elsewhere.example' }])(
    'is not read by one of another origin: %o',
    async (headers) => {
      expect(await statusOf(url, { headers })).toBe(403);
    },
  );
});
