import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { postMessages } from '../../shared/pages/post-messages.ts';
import { resolveToLoopback, send, startSite } from './site.ts';

const message = { headers: { 'webhook-id': 'evt_1' }, body: '{"a":"ü"}' };

const post = (url: string, options = {}) =>
  postMessages({ url, messages: [message] }, { resolve: resolveToLoopback, ...options });

it('posts each message with its headers, and returns the statuses in order', async () => {
  const got: unknown[] = [];
  const { origin } = await startSite({
    '/hook': async (request, response) => {
      const body = await text(request);
      got.push([
        request.method,
        request.headers['webhook-id'],
        request.headers['content-type'],
        body,
      ]);
      response.writeHead(body === '2' ? 500 : 204).end();
    },
  });

  const outcomes = await postMessages(
    { url: `${origin}/hook`, messages: [message, { headers: {}, body: '2' }] },
    { resolve: resolveToLoopback },
  );

  expect(outcomes).toEqual([{ status: 204 }, { status: 500 }]);
  expect(got).toContainEqual(['POST', 'evt_1', 'application/json', '{"a":"ü"}']);
});

it('follows no redirect', async () => {
  const site = await startSite({
    '/hook': (_request, response) => response.writeHead(307, { location: '/other' }).end(),
    '/other': 'reached',
  });

  expect(await post(`${site.origin}/hook`)).toEqual([{ status: 307 }]);
  expect(site.requests).toEqual(['/hook']);
});

it('gives a receiver up that takes the message and never answers', async () => {
  const { origin } = await startSite({ '/hook': () => {} });

  expect(await post(`${origin}/hook`, { deadlineMs: 100 })).toEqual([{ error: 'timeout' }]);
});

it('gives a resolver up that never answers', async () => {
  const resolve = () => new Promise<never>(() => {});

  expect(await post('https://example.com/', { deadlineMs: 50, resolve })).toEqual([
    { error: 'timeout' },
  ]);
});

it('waits for no body', async () => {
  const { origin } = await startSite({
    '/hook': (_request, response) => void response.writeHead(200).write('on and on'),
  });

  expect(await post(`${origin}/hook`)).toEqual([{ status: 200 }]);
});

it.each([
  'http://127.0.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'https://[::1]/',
  'https://10.1.2.3/',
  'https://example.com:8443/',
  'https://user:pass@example.com/',
  'ftp://example.com/',
  'nonsense',
])('reaches nothing at %s', async (url) => {
  const resolve = async () => [{ address: '93.184.216.34', family: 4 }];

  expect(await post(url, { resolve })).toEqual([{ error: 'forbidden_address' }]);
});

it.each(['127.0.0.1', '10.0.0.1', '192.168.1.1', '169.254.169.254', 'fd00::1'])(
  'reaches no public name that resolves to %s',
  async (address) => {
    const { requests } = await startSite({ '/': send('in') });
    const family = address.includes(':') ? 6 : 4;
    const resolve = async () => [
      { address: '93.184.216.34', family: 4 },
      { address, family },
    ];

    expect(await post('https://example.com/', { resolve })).toEqual([
      { error: 'forbidden_address' },
    ]);
    expect(requests).toEqual([]);
  },
);

it('says that nobody listens', async () => {
  const { origin } = await startSite({});
  const { hostname } = new URL(origin);
  process.env['READ_PAGE_LOCAL_ORIGIN'] = `http://${hostname}:1`;

  expect(await post(`http://${hostname}:1/`)).toEqual([{ error: 'unreachable' }]);
});
