import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';

type Answer = (response: ServerResponse) => void;

let lambda: Server;
let requestPage: typeof import('../../shared/pages/request-page.ts')['requestPage'];
let answer: Answer;
const invocations: { path: string | undefined; event: unknown }[] = [];

/** A Lambda that answers each invocation as a test says. */
beforeAll(async () => {
  lambda = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    invocations.push({ path: request.url, event: JSON.parse(body) });
    answer(response);
  });
  await once(lambda.listen(0, '127.0.0.1'), 'listening');
  Object.assign(process.env, clientEnvironment, {
    AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`,
    AWS_MAX_ATTEMPTS: '1',
    READ_PAGE_FUNCTION: 'quire-read-page',
  });
  ({ requestPage } = await import('../../shared/pages/request-page.ts'));
});

afterEach(() => {
  invocations.length = 0;
});

afterAll(() => {
  lambda.close();
  lambda.closeAllConnections();
});

const url = 'https://example.com/secret?token=1';
const unreachable = { unreadable: 'unreachable' };
const request = (signal = AbortSignal.timeout(10_000)) => requestPage(url, signal);

it('a page is what the reader makes of it', async () => {
  const page = { url, title: 'A page', text: 'What it says' };
  answer = (response) => response.end(JSON.stringify(page));

  expect(await request()).toEqual(page);
  expect(invocations).toEqual([
    { path: '/2015-03-31/functions/quire-read-page/invocations', event: { url } },
  ]);
});

it('a reason is passed on', async () => {
  answer = (response) => response.end(JSON.stringify({ unreadable: 'timeout' }));

  expect(await request()).toEqual({ unreadable: 'timeout' });
});

it.each<[string, Answer]>([
  [
    'fails',
    (response) => response.writeHead(200, { 'x-amz-function-error': 'Unhandled' }).end('{}'),
  ],
  ['may not be invoked', (response) => response.writeHead(403).end('{}')],
  ['returns rubbish', (response) => response.end('rubbish')],
  ['breaks off', (response) => response.destroy()],
])('a reader that %s makes a page unreachable, and is logged', async (_how, answerSo) => {
  answer = answerSo;
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);

  const reading = await request();

  const lines = write.mock.calls.map(([line]) => String(line));
  write.mockRestore();
  expect(reading).toEqual(unreachable);
  expect(lines).toEqual([expect.stringContaining('"level":"warn","message":"page reader failed"')]);
  expect(lines[0]).not.toContain('secret');
});

it('a caller who stops waiting gets no page', async () => {
  answer = () => {};

  expect(await request(AbortSignal.timeout(100))).toEqual(unreachable);
  expect(await request(AbortSignal.abort())).toEqual(unreachable);
});
