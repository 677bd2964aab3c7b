import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateBucketCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { chromium, type Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { clientConfig } from '../../lib/local/engines/client-config.ts';
import { shared } from '../support/run/shared.ts';
import { listenersOf } from '../support/servers/listeners.ts';

const { base_url, api_key, dataDir, dynamodb_url, outputs, secret_access_key } =
  await shared('chatStage');
const browser = await chromium.connect(process.env['QUIRE_TEST_BROWSER'] ?? '');
const site = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Another site</h1>');
}).listen(0, '127.0.0.1');
afterAll(async () => {
  await browser.close();
  site.close();
});

/** A page that has nothing to do with the stage. */
async function otherPage(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}`);
  return page;
}

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** What a page reads of an answer; `blocked` if the browser keeps it from the page. */
const readBy = (page: Page, url: string, sent: Sent = {}): Promise<string> =>
  page.evaluate(
    ([from, how]) =>
      fetch(from, how).then(
        (response) => response.text(),
        () => 'blocked',
      ),
    [url, sent] as const,
  );

/** A request as DynamoDB's clients send it, but for the signature: nobody has told the page the secret key. */
const dynamodbRequest = (operation: string, input: object): Sent => ({
  method: 'POST',
  headers: {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${operation}`,
    'x-amz-date': '20260101T000000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  },
  body: JSON.stringify(input),
});

const TableName = outputs['KeysTable'] ?? '';
const credentials = { accessKeyId: 'local', secretAccessKey: secret_access_key ?? '' };
const configOf = (url: string) => ({ ...clientConfig(url), credentials });

/** Every port that the stage has, on whichever address. */
const portsOfStage = () => listenersOf(dataDir).map(({ port }) => port);

/** Puts a text into the stage's S3. Returns a link to it, as a job's result has one. */
async function linkToObject(text: string): Promise<string> {
  const client = new S3Client(configOf(new URL(outputs['ChatQueue'] ?? '').origin));
  const object = { Bucket: 'linked-to', Key: 'result.txt' };
  await client.send(new CreateBucketCommand(object));
  await client.send(new PutObjectCommand({ ...object, Body: text, ContentType: 'text/plain' }));
  return getSignedUrl(client, new GetObjectCommand(object), { expiresIn: 60 });
}

describe('a page of another origin', () => {
  it('reads no table of the stage, at no port of this machine', async () => {
    const page = await otherPage();
    const urls = [dynamodb_url, ...portsOfStage().map((port) => `http://127.0.0.1:${port}`)];

    const read = await Promise.all(
      urls.flatMap((url) =>
        ['ListTables', 'Scan'].map((operation) =>
          readBy(page, url, dynamodbRequest(operation, { TableName })),
        ),
      ),
    );

    expect(read.length).toBeGreaterThanOrEqual(2 * 8);
    expect(new Set(read)).toEqual(new Set(['blocked']));
  });

  it('puts no key in', async () => {
    const page = await otherPage();
    const Key = { id: { S: 'key_of_a_page' } };
    const put = dynamodbRequest('PutItem', { TableName, Item: Key });

    for (const port of portsOfStage()) await readBy(page, `http://127.0.0.1:${port}`, put);

    const client = new DynamoDBClient(configOf(dynamodb_url));
    const { Item } = await client.send(new GetItemCommand({ TableName, Key }));
    client.destroy();
    expect(Item).toBeUndefined();
  });

  it('reads nothing of the gateway, even with a key', async () => {
    const page = await otherPage();

    const headers = { authorization: `Bearer ${api_key}` };
    expect(await readBy(page, `${base_url}/user/limits`, { headers })).toBe('blocked');
    expect(await readBy(page, `${base_url}/console`)).toBe('blocked');
  });

  it('links to an object, which opens, and which it can’t read', async () => {
    const page = await otherPage();
    const link = await linkToObject('a long result');

    expect(await readBy(page, link)).toBe('blocked');
    await page.evaluate((href) => {
      const element = document.createElement('a');
      Object.assign(element, { href, textContent: 'The result' });
      document.body.append(element);
    }, link);
    await page.getByText('The result').click();

    await page.getByText('a long result').waitFor();
  });
});
