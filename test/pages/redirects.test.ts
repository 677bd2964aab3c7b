import { createServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { allow, read, readText, redirect, resolveToLoopback, startSite } from './site.ts';

describe('a redirect to what is forbidden is not followed:', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://169.254.169.254/latest/meta-data/iam/security-credentials/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://168.63.129.16/',
    'http://10.0.0.1/',
    'http://localhost/',
    '//127.0.0.1/',
    'http:\\\\127.0.0.1\\',
    '\\\\127.0.0.1\\',
    'http://１２７.０.０.１/',
    'http://name:secret@example.com/',
    'https://example.com:8443/',
    'http://127.0.0.1:9001/2018-06-01/runtime/invocation/next',
    'file:///proc/self/environ',
    'ftp://example.com/',
    'data:text/html,hello',
    'javascript:alert(1)',
    `/${'a'.repeat(2_048)}`,
  ])('%s', async (location) => {
    const { origin, requests } = await startSite({ '/': redirect(location) });

    expect(await read(origin)).toEqual({ unreadable: 'forbidden_address' });
    expect(requests).toEqual(['/robots.txt', '/']);
  });

  it('another port of the same host', async () => {
    const other = await startSite({ '/': '<p>secret' });
    const site = await startSite({ '/': redirect(`http://127.0.0.1:${other.port}/`) });

    expect(await read(site.origin)).toEqual({ unreadable: 'forbidden_address' });
    expect(other.requests).toEqual([]);
  });
});

it('each redirect has its name resolved and its rules asked for', async () => {
  const { origin } = await startSite({ '/': redirect('http://example.com/') });
  const resolve = vi.fn(resolveToLoopback);

  expect(await read(origin, { resolve })).toEqual({ unreadable: 'forbidden_address' });
  expect(resolve.mock.calls.flat()).toEqual([
    new URL(origin).hostname,
    new URL(origin).hostname,
    'example.com',
  ]);
});

it.each([301, 302, 303, 307, 308])(
  '%i is followed, and the page is from where it ended',
  async (status) => {
    const { origin } = await startSite({
      '/a/b': redirect('../c?d=e#f', status),
      '/c?d=e': '<p>hello',
    });

    expect(await readText(`${origin}/a/b#top`)).toEqual({
      url: `${origin}/c?d=e`,
      title: 'c',
      text: 'hello',
    });
  },
);

it('five redirects are followed, and no sixth', async () => {
  const { origin, requests } = await startSite({
    '/6': redirect('/5'),
    '/5': redirect('/4'),
    '/4': redirect('/3'),
    '/3': redirect('/2'),
    '/2': redirect('/1'),
    '/1': redirect('/0'),
    '/0': '<p>hello',
  });

  expect(await readText(`${origin}/5`)).toMatchObject({ text: 'hello' });
  requests.length = 0;
  expect(await read(`${origin}/6`)).toEqual({ unreadable: 'unreachable' });
  expect(requests).toEqual(['/6', '/5', '/4', '/3', '/2', '/1']);
});

it.each([
  ['a loop', redirect('/')],
  ['a redirect without a location', redirect('')],
  ['300', redirect('/a', 300)],
  ['304', redirect('/a', 304)],
] as const)('%s is unreachable', async (_name, handler) => {
  const { origin } = await startSite({ '/': handler, '/a': '<p>hello' });

  expect(await read(origin)).toEqual({ unreadable: 'unreachable' });
});

it('a body under a redirect is not waited for', async () => {
  const { origin } = await startSite({
    '/': (_request, response) => {
      response.writeHead(302, { location: '/a' }).write('never ends');
    },
    '/a': '<p>hello',
  });

  expect(await readText(origin)).toMatchObject({ text: 'hello' });
});

it('no connection is used twice, and neither is a cookie', async () => {
  const ports: (number | undefined)[] = [];
  const cookies: (string | undefined)[] = [];
  const { origin } = await startSite({
    '/': (request, response) => {
      ports.push(request.socket.remotePort);
      response.writeHead(302, { location: '/a', 'set-cookie': 'a=b' }).end();
    },
    '/a': (request, response) => {
      ports.push(request.socket.remotePort);
      cookies.push(request.headers.cookie, request.headers.referer, request.headers.connection);
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello');
    },
  });

  await readText(origin);

  expect(new Set(ports).size).toBe(2);
  expect(cookies).toEqual([undefined, undefined, 'close']);
});

it('TLS names the host, though the connection goes to its address', async () => {
  const { promise: hello, resolve: gotHello } = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => {
    socket.once('data', (data: Buffer) => {
      gotHello(data);
      socket.destroy();
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  const origin = `https://secure.test:${port}`;
  allow(origin);

  const reading = await read(origin);

  server.close();
  expect(reading).toEqual({ unreadable: 'unreachable' });
  expect((await hello).includes('secure.test')).toBe(true);
});
