import {
  CreateBucketCommand,
  GetObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, describe, expect, it } from 'vitest';
import { clientConfig } from '../../../lib/local/engines/client-config.ts';
import { startSecretsServer } from '../../../lib/local/secrets/secrets-server.ts';
import { shared } from '../../support/run/shared.ts';
import { statusOf } from './status-of.ts';

const secretId = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:a';
const [{ queuesUrl }, secrets] = await Promise.all([
  shared('engines'),
  startSecretsServer({ [secretId]: 'a value' }),
]);

afterAll(() => secrets.close());

type Config = ReturnType<typeof clientConfig> & { maxAttempts: number };

const asks: [string, string, (config: Config) => Promise<unknown>][] = [
  [
    'a secret',
    secrets.url,
    (config) =>
      new SecretsManagerClient(config).send(new GetSecretValueCommand({ SecretId: secretId })),
  ],
  ['the queues', queuesUrl, (config) => new SQSClient(config).send(new ListQueuesCommand())],
  ['the buckets', queuesUrl, (config) => new S3Client(config).send(new ListBucketsCommand())],
];

const strangers = { accessKeyId: 'local', secretAccessKey: 'local' };
const refused = { $metadata: { httpStatusCode: 403 } };

it.each(asks)(
  'gives %s to who signs with the secret key, and to nobody else',
  async (_, url, ask) => {
    const config = { ...clientConfig(url), maxAttempts: 1 };

    await expect(ask(config)).resolves.toBeTruthy();
    await expect(ask({ ...config, credentials: strangers })).rejects.toMatchObject(refused);
    expect((await fetch(url)).status).toBe(403);
  },
);

it('takes no link in place of a signed request', async () => {
  const [asksFor, signer] = [
    new GetObjectCommand({ Bucket: 'a', Key: 'b' }),
    clientConfig(secrets.url),
  ];

  const link = await getSignedUrl(new S3Client(signer), asksFor, { expiresIn: 60 });

  expect((await fetch(link)).status).toBe(403);
});

describe('an object', () => {
  const client = new S3Client(clientConfig(queuesUrl));
  const Bucket = `signed-${crypto.randomUUID()}`;
  const Key = 'a folder/ö (1)+2!.txt';
  const link = (expiresIn: number) =>
    getSignedUrl(client, new GetObjectCommand({ Bucket, Key }), { expiresIn });
  const putIt = async () => {
    await client.send(new CreateBucketCommand({ Bucket }));
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'a text' }));
  };

  it('is read by a link, and no other is by the same', async () => {
    await putIt();
    const url = await link(60);

    expect(await (await fetch(url)).text()).toBe('a text');
    const others = [
      url.replace('a%20folder', 'another'),
      url.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000'),
      url.replace(/X-Amz-Signature=../, 'X-Amz-Signature=00'),
      url.replace(/\?.*/, ''),
    ];
    const answers = await Promise.all(others.map((each) => fetch(each)));
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
  });

  it('is opened by a link on a page, and no page reads it', async () => {
    await putIt();
    const url = await link(60);
    const fromAfar = { 'sec-fetch-site': 'cross-site' };

    const followed = { ...fromAfar, 'sec-fetch-mode': 'navigate' };
    expect(await statusOf(url, { headers: followed })).toBe(200);
    const shown = { ...fromAfar, 'sec-fetch-mode': 'no-cors' };
    expect(await statusOf(url, { headers: shown })).toBe(403);
    const fetched = { ...fromAfar, origin: 'https://elsewhere.example' };
    expect(await statusOf(url, { headers: fetched })).toBe(403);
  });

  it('is not read by a link that has expired', async () => {
    const command = new GetObjectCommand({ Bucket, Key });
    const signingDate = new Date(Date.now() - 61_000);

    const url = await getSignedUrl(client, command, { expiresIn: 60, signingDate });

    expect((await fetch(url)).status).toBe(403);
  });
});
