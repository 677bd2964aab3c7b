import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, expect, it } from 'vitest';
import { clientConfig } from '../../../lib/local/engines/client-config.ts';
import { startSecretsServer } from '../../../lib/local/secrets/secrets-server.ts';
import { shared } from '../../support/run/shared.ts';

const secretId = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:a';
const [{ queuesUrl }, secrets] = await Promise.all([
  shared('engines'),
  startSecretsServer({ [secretId]: 'a value' }),
]);

afterAll(() => secrets.close());

const clients = [
  [
    'a secret',
    secrets.url,
    async (endpoint: string) =>
      (
        await new SecretsManagerClient({ ...clientConfig(endpoint), maxAttempts: 1 }).send(
          new GetSecretValueCommand({ SecretId: secretId }),
        )
      ).SecretString,
  ],
  [
    'the queues',
    queuesUrl,
    (endpoint: string) =>
      new SQSClient({ ...clientConfig(endpoint), maxAttempts: 1 }).send(new ListQueuesCommand()),
  ],
  [
    'the buckets',
    queuesUrl,
    (endpoint: string) =>
      new S3Client({ ...clientConfig(endpoint), maxAttempts: 1 }).send(new ListBucketsCommand()),
  ],
] as const;

it.each(clients)('gives %s to who knows the token, and to nobody else', async (_, url, ask) => {
  const { origin } = new URL(url);

  await expect(ask(url)).resolves.toBeTruthy();
  for (const elsewhere of [origin, `${origin}/${crypto.randomUUID()}`, `${url}0`]) {
    await expect(ask(elsewhere)).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
  }
});
