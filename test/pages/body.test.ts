import { createServer, type Socket } from 'node:net';
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { version } from '../../shared/version.ts';
import { allow, type Handler, read, readText, send, startSite } from './site.ts';

const tooLarge = { unreadable: 'too_large' };
const broken = { unreadable: 'broken' };
const unreachable = { unreadable: 'unreachable' };
const timeout = { unreadable: 'timeout' };

const siteWith = async (page: Handler) => (await startSite({ '/': page })).origin;

/** Writes as fast as its reader reads, without an end. */
const endless =
  (chunk: Uint8Array, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', ...headers });
    const more = () => {
      if (!response.destroyed) response.write(chunk, more);
    };
    more();
  };

const servers: { close(): void }[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A server that speaks no HTTP but what a test has it say. There are no rules for robots. */
async function rawSite(say: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', (request) => {
      const isRobots = request.toString().startsWith('GET /robots.txt');
      if (isRobots) socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
      else say(socket);
    });
  });
  servers.push(server);
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  const origin = `http://raw-${port}.test:${port}`;
  allow(origin);
  return origin;
}

const ok = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n';

it('a request says who asks, and what can be read', async () => {
  const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
  const origin = await siteWith((request, response) => {
    resolve({ method: request.method, ...request.headers });
    send('<p>hello')(request, response);
  });

  await readText(origin);

  expect(await promise).toEqual({
    method: 'GET',
    host: new URL(origin).host,
    'user-agent': `Quire/${version} (reads pages that answer a user's question; robots.txt: Quire)`,
    accept: 'text/html,application/xhtml+xml,text/markdown,text/plain,application/pdf;q=0.9',
    'accept-encoding': 'gzip, deflate, br',
    connection: 'close',
  });
});

describe('a compressed page is read:', () => {
  const page = '<p>hello wörld';

  it.each<[string, Uint8Array]>([
    ['gzip', gzipSync(page)],
    ['x-gzip', gzipSync(page)],
    ['GZIP', gzipSync(page)],
    ['deflate', deflateSync(page)],
    ['deflate', deflateRawSync(page)],
    ['br', brotliCompressSync(page)],
    ['identity', Buffer.from(page)],
  ])('%s', async (encoding, body) => {
    const origin = await siteWith(send(body, { 'content-encoding': encoding }));

    expect(await readText(origin)).toMatchObject({ text: 'hello wörld' });
  });
});

describe('a page that lies about its compression is broken:', () => {
  it.each<[string, Uint8Array]>([
    ['gzip', Buffer.from('<p>hello')],
    ['deflate', Buffer.from('<p>hello')],
    ['br', Buffer.from('<p>hello')],
    ['br', gzipSync('<p>hello')],
    ['gzip', gzipSync('<p>hello').subarray(0, -10)],
    ['gzip', new Uint8Array()],
    ['gzip, gzip', gzipSync(gzipSync('<p>hello'))],
    ['zstd', zstdCompressSync('<p>hello')],
    ['constructor', Buffer.from('<p>hello')],
  ])('%s', async (encoding, body) => {
    const origin = await siteWith(send(body, { 'content-encoding': encoding }));

    expect(await read(origin)).toEqual(broken);
  });
});

describe('a bomb is too large, and takes little time and memory to find that out:', () => {
  const zeros = Buffer.alloc(10 * 2 ** 20);
  const gigabyte = Buffer.concat(Array.from({ length: 100 }, () => gzipSync(zeros)));

  it.each<[string, Uint8Array]>([
    ['gzip', gigabyte],
    ['deflate', deflateSync(Buffer.alloc(2 ** 27))],
    ['br', brotliCompressSync(zeros)],
  ])('%s', async (encoding, body) => {
    const origin = await siteWith(send(body, { 'content-encoding': encoding }));
    const before = process.cpuUsage();

    expect(await read(origin)).toEqual(tooLarge);

    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_000);
    expect(body.length).toBeLessThan(2 ** 21);
  });
});

describe('a page that is too large is left alone:', () => {
  const megabyte = Buffer.alloc(2 ** 20, 'a ');

  it('by its declared length, before it is read', async () => {
    const origin = await siteWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '5000001' });
      response.write('<p>');
    });

    expect(await read(origin)).toEqual(tooLarge);
  });

  it('when it goes on and on', async () => {
    const origin = await siteWith(endless(megabyte));

    expect(await read(origin)).toEqual(tooLarge);
  });

  it('when its compressed bytes do', async () => {
    const origin = await siteWith(endless(megabyte, { 'content-encoding': 'gzip' }));

    expect(await read(origin)).toEqual(tooLarge);
  });

  it('but not at five million bytes', async () => {
    const origin = await siteWith(send(Buffer.alloc(5_000_000, 'a ')));

    expect((await readText(origin)).text.length).toBe(50_000);
  });
});

describe('a page that lies about its length', () => {
  it('is broken if there is less', async () => {
    const origin = await rawSite((socket) => socket.end(`${ok}content-length: 100\r\n\r\nhello`));

    expect(await read(origin)).toEqual(broken);
  });

  it('is what it says if there is more', async () => {
    const origin = await rawSite((socket) => socket.end(`${ok}content-length: 5\r\n\r\nhello you`));

    expect(await readText(origin)).toMatchObject({ text: 'hello' });
  });

  it.each([
    ['a negative length', `${ok}content-length: -1\r\n\r\nhello`],
    ['two lengths', `${ok}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`],
    [
      'a length and chunks',
      `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['no HTTP', 'hello'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['nothing', ''],
    [
      'another protocol on request',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
    ['large headers', `HTTP/1.1 200 OK\r\na: ${'a'.repeat(20_000)}\r\n\r\nhello`],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(100_000)}`],
    ['a large status line', `HTTP/1.1 200 ${'O'.repeat(100_000)}K\r\n\r\nhello`],
  ])('with %s is unreachable', async (_what, response) => {
    const origin = await rawSite((socket) => socket.end(response));

    expect(await read(origin)).toEqual(unreachable);
  });

  it.each([
    ['a chunk without a length', `${ok}transfer-encoding: chunked\r\n\r\nhello`],
    ['a chunk that breaks off', `${ok}transfer-encoding: chunked\r\n\r\nff\r\nhello`],
  ])('by %s is broken', async (_what, response) => {
    const origin = await rawSite((socket) => socket.end(response));

    expect(await read(origin)).toEqual(broken);
  });
});

describe('a page ends in a timeout', () => {
  const deadlineMs = 300;

  it.each<[string, (socket: Socket) => void]>([
    ['if there is no response', () => {}],
    [
      'if headers come byte by byte',
      (socket) => drip(socket, `${ok}content-length: 5\r\n\r\nhello`),
    ],
    ['if the body stops', (socket) => socket.write(`${ok}content-length: 5\r\n\r\nhe`)],
    [
      'if the body comes byte by byte',
      (socket) => {
        socket.write(`${ok}content-length: 1000\r\n\r\n`);
        drip(socket, 'a'.repeat(1000));
      },
    ],
    [
      'if it is announced without end',
      (socket) => {
        const more = () => {
          if (!socket.destroyed) socket.write('HTTP/1.1 102 Processing\r\n\r\n', more);
        };
        more();
      },
    ],
  ])('%s', async (_why, say) => {
    const origin = await rawSite(say);
    const startedAt = performance.now();

    expect(await read(origin, { deadlineMs })).toEqual(timeout);

    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('if its name is never resolved', async () => {
    const resolve = () => new Promise<never>(() => {});

    expect(await read('http://example.com', { deadlineMs, resolve })).toEqual(timeout);
  });

  it('if all its redirects together take longer', async () => {
    const origin = await siteWith((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 100);
    });

    expect(await read(origin, { deadlineMs })).toEqual(timeout);
  });
});

function drip(socket: Socket, text: string): void {
  const letters = [...text];
  const timer = setInterval(() => {
    const letter = letters.shift();
    if (letter === undefined || socket.destroyed) clearInterval(timer);
    else socket.write(letter);
  }, 100);
}

it.each([400, 401, 403, 404, 410, 429, 451, 500, 503, 204, 206])(
  'a page with status %i is unreachable',
  async (status) => {
    const origin = await siteWith((_request, response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('<p>hello'),
    );

    expect(await read(origin)).toEqual(unreachable);
  },
);

it('a site that refuses the connection is unreachable', async () => {
  allow('http://127.0.0.1:1');

  expect(await read('http://127.0.0.1:1')).toEqual(unreachable);
});
