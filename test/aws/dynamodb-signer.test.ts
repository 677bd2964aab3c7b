import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { requireSignature } from '../../lib/local/engines/signature.ts';
import { getItem } from '../../shared/aws/dynamodb.ts';
import { dynamodbSigner } from '../../shared/aws/dynamodb-signer.ts';

const region = 'eu-central-1';

/** Any request as the client makes it, before it is signed. */
const anyRequest = fc.record({
  body: fc.json(),
  host: fc.domain(),
  target: fc.constantFrom('GetItem', 'UpdateItem', 'TransactWriteItems'),
});

type Asked = typeof anyRequest extends fc.Arbitrary<infer Value> ? Value : never;

const anyCredentials = fc.record(
  {
    accessKeyId: fc.string({ minLength: 1, unit: 'grapheme-ascii' }),
    secretAccessKey: fc.string({ minLength: 1 }),
    sessionToken: fc.base64String({ minLength: 4 }),
  },
  { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
);

const anyDate = fc.date({
  min: new Date('2026-01-01T00:00:00Z'),
  max: new Date('2036-01-01T00:00:00Z'),
  noInvalidDate: true,
});

const requestOf = ({ body, host, target }: Asked) => ({
  method: 'POST',
  protocol: 'https:',
  hostname: host,
  path: '/',
  query: {},
  headers: {
    host,
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${target}`,
    'x-amz-another': target,
  },
  body,
});

it('signs as the SDK does: any request, at any time, with any credentials', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(anyRequest, anyDate), { minLength: 1, maxLength: 4 }),
      anyCredentials,
      async (requests, given) => {
        const { sessionToken, ...keys } = given;
        const credentials = { ...keys, ...(sessionToken && { sessionToken }) };
        const { config } = new DynamoDBClient({ region, credentials });
        const ours = dynamodbSigner(() => config);
        const theirs = await config.signer({
          name: 'sigv4',
          signingName: 'dynamodb',
          signingRegion: region,
          properties: {},
        });
        for (const [asked, signingDate] of requests) {
          const request = requestOf(asked);
          const [expected, signed] = [
            await theirs.sign(request, { signingDate }),
            await ours.sign({ ...request, headers: { ...request.headers } }, { signingDate }),
          ];
          expect(signed.headers).toEqual(expected.headers);
          expect(signed.body).toBe(asked.body);
        }
      },
    ),
    { numRuns: 200 },
  );
});

it('signs each try of the one client, with a session token', async () => {
  let tries = 0;
  const server = createServer((_request, response) => {
    tries += 1;
    response.writeHead(tries === 1 ? 500 : 200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end('{"Item":{"id":{"S":"a"}}}');
  });
  requireSignature(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  Object.assign(process.env, clientEnvironment, {
    AWS_SESSION_TOKEN: 'a token',
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
  });

  const item = await getItem('any', { id: 'a' });

  server.close();
  expect({ item, tries }).toEqual({ item: { id: 'a' }, tries: 2 });
});
