import {
  CreateBucketCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientConfig } from '../../../lib/local/engines/client-config.ts';
import { startEngineThread } from '../../../lib/local/engines/engine.ts';
import type { Grant } from '../../../lib/local/permissions/policies.ts';
import { permissionsFor } from '../../support/fixtures/permissions.ts';
import { poll } from '../../support/servers/poll.ts';

const thread = new URL('../../../lib/local/queues/fauxqs-thread.ts', import.meta.url);
const queues = await startEngineThread(thread, {});
afterAll(() => queues.close());

const Bucket = 'linked';
const Key = 'key_1/a text (1).txt';
const config = clientConfig(queues.url);
const client = new S3Client(config);
const allow = (...grants: Grant[]) => queues.tell({ permissions: [permissionsFor(...grants)] });
const getObject = { action: 's3:GetObject', resource: `arn:aws:s3:::${Bucket}/key_1/*` };

/** A link that a function with these credentials has signed. */
const linkBy = (accessKeyId: string) =>
  getSignedUrl(
    new S3Client({ ...config, credentials: { ...config.credentials, accessKeyId } }),
    new GetObjectCommand({ Bucket, Key }),
    { expiresIn: 60 },
  );

async function used(link: string) {
  const response = await fetch(link);
  return { status: response.status, text: await response.text() };
}

beforeAll(async () => {
  await client.send(new CreateBucketCommand({ Bucket }));
  await client.send(new PutObjectCommand({ Bucket, Key, Body: 'a text' }));
});

it('a link works for what the function that signed it may read', async () => {
  allow(getObject);

  expect(await used(await linkBy('LOCALTEST'))).toEqual({ status: 200, text: 'a text' });
});

it.each<[string, Grant[]]>([
  ['nothing', []],
  ['other objects', [{ ...getObject, resource: `arn:aws:s3:::${Bucket}/key_2/*` }]],
  ['to write it', [{ ...getObject, action: 's3:PutObject' }]],
])(
  'a link is refused when it is used, by the grants of its function then: %s',
  async (_, grants) => {
    allow(getObject);
    const link = await linkBy('LOCALTEST');
    expect(await used(link)).toMatchObject({ status: 200 });

    allow(...grants);

    // A message to a thread may come after a request that was sent later.
    const { text } = await poll(
      () => used(link),
      ({ status }) => status === 403,
    );
    expect(text).toContain('<Code>AccessDenied</Code>');
    expect(text).toContain(
      `not authorized to perform: s3:GetObject on resource: arn:aws:s3:::${Bucket}/${Key}`,
    );
  },
);

it('a link of credentials that no function has is refused, and one of the stage itself is not', async () => {
  expect(await used(await linkBy('LOCALOTHER'))).toMatchObject({ status: 403 });
  expect(await used(await linkBy(config.credentials.accessKeyId))).toMatchObject({ status: 200 });
});
