import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchSigned } from '../../shared/aws/fetch-signed.ts';

let respond: RequestListener;
const paths: (string | undefined)[] = [];
const server = createServer((request, response) => {
  paths.push(request.url);
  respond(request, response);
});
let origin: string;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env['AWS_ENDPOINT_URL_S3'] = origin;
});
afterAll(() => {
  delete process.env['AWS_ENDPOINT_URL_S3'];
  server.closeAllConnections();
  server.close();
});

const fetchLink = (url = `${origin}/object?X-Amz-Signature=secret`, ms = 10_000) =>
  fetchSigned(url, 100, AbortSignal.timeout(ms));

it.each([
  ['whose length was told', { 'content-length': '100' }],
  ['whose length was not told', {}],
])('an object is fetched %s', async (_, headers) => {
  respond = (_request, response) => response.writeHead(200, headers).end(Buffer.alloc(100, 'x'));

  const bytes = await fetchLink();

  expect(bytes).toEqual(Buffer.alloc(100, 'x'));
});

it.each([
  ['that says so', { 'content-length': '1000000' }],
  ['that does not say so', {}],
])('a larger object than is wanted %s is left', async (_, headers) => {
  const left = Promise.withResolvers<void>();
  respond = (_request, response) => {
    response.on('close', left.resolve);
    response.writeHead(200, headers).write(Buffer.alloc(101, 'x'));
  };

  const bytes = await fetchLink();

  expect(bytes).toBeUndefined();
  await left.promise;
});

it('no redirect is followed', async () => {
  respond = (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end();

  await expect(fetchLink()).rejects.toThrow('fetch failed');

  expect(paths).not.toContain('/elsewhere');
});

it('what is no object is an error, which does not name the link', async () => {
  respond = (_request, response) => response.writeHead(403).end('<Error/>');

  const error = await fetchLink().catch((thrown: Error) => thrown);

  expect(error).toMatchObject({ message: 'An object was asked for, and the response was 403' });
});

it.each<[string, RequestListener]>([
  ['that does not begin', () => {}],
  ['that stops in the middle', (_request, response) => response.writeHead(200).write('x')],
])('a response %s ends with the time there is', async (_, responding) => {
  respond = responding;

  await expect(fetchLink(undefined, 100)).rejects.toMatchObject({ name: 'TimeoutError' });
});

it.each([
  'http://169.254.169.254/latest/meta-data',
  'http://localhost:1/object',
  'file:///etc/passwd',
  'data:text/plain,x',
])('nothing is fetched from %s', async (url) => {
  await expect(fetchLink(url)).rejects.toThrow('Objects are fetched by https alone');
});

it('where no local object store is named, https alone is left', async () => {
  const url = `${origin}/object`;
  delete process.env['AWS_ENDPOINT_URL_S3'];

  const refused = fetchLink(url);

  await expect(refused).rejects.toThrow('Objects are fetched by https alone');
});
