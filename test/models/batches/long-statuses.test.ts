import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anthropicBatches } from '../../../shared/models/batches/anthropic-batches.ts';
import { openaiBatches } from '../../../shared/models/batches/openai-batches.ts';

const mb = 2 ** 20;
let sent = 0;
let closed = Promise.withResolvers<void>();

/** A provider whose every answer goes on for 200 MB. */
const server = createServer(async (request, response) => {
  request.resume();
  response.once('close', () => closed.resolve());
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":"batch_1","x":"');
  for (; sent < 200 && !response.destroyed; sent++) {
    await new Promise((resolve) => response.write('x'.repeat(mb), resolve));
  }
  response.end('"}');
});
let client: OpenAI;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  client = new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  sent = 0;
  closed = Promise.withResolvers();
});

const { signal } = new AbortController();
const wanted = { tag: 'tag', count: 1, sinceMs: 0 };

describe.each([
  ['OpenAI', openaiBatches],
  ['Anthropic', anthropicBatches],
])('what a provider of batches of %s says without an end', (_, batches) => {
  it.each([
    ['a batch', () => batches.read(client, 'batch_1', signal)],
    ['its list of batches', () => batches.find(client, wanted, signal)],
  ])('of %s is read to a bound, and is a 503', async (_of, ask) => {
    await expect(ask()).rejects.toMatchObject({ statusCode: 503 });

    await closed.promise;
    expect(sent).toBeLessThan(60);
  });

  it('of a batch that it cancels is not read', async () => {
    await batches.cancel(client, 'batch_1', signal);

    await closed.promise;
    expect(sent).toBeLessThan(60);
  });
});
