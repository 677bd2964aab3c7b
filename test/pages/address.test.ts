import type { LookupAddress } from 'node:dns';
import { describe, expect, it, vi } from 'vitest';
import { checkAddress, isPublic, parseUrl } from '../../shared/pages/address.ts';
import { readPage } from '../../shared/pages/read-page.ts';
import { freePorts } from '../support/servers/free-ports.ts';
import { allow, read, readText, startSite } from './site.ts';

const publicAddress: LookupAddress = { address: '93.184.215.14', family: 4 };
const loopback: LookupAddress = { address: '127.0.0.1', family: 4 };

describe('a literal address that is not public is refused without asking the resolver:', () => {
  it.each([
    // Loopback, in all forms that a URL parser takes.
    'http://127.0.0.1/',
    'http://127.0.0.1./',
    'http://127.1/',
    'http://127.0.1/',
    'http://127.255.255.254/',
    'http://2130706433/',
    'http://017700000001/',
    'http://0177.0.0.1/',
    'http://0x7f.0.0.1/',
    'http://0x7f000001/',
    'http://0X7F.1/',
    'http://0/',
    'http://0.0.0.0/',
    'http://00000000000000000000000177.0.0.1/',
    'HTTP://127.0.0.1/',
    'http://%31%32%37.0.0.1/',
    'http://127%2e0%2e0%2e1/',
    'http://１２７.０.０.１/',
    'http://127。0。0。1/',
    'http://①②⑦.⓪.⓪.①/',
    'http://1②7｡0.0.1/',
    'http:\\\\127.0.0.1\\',
    'http:/127.0.0.1/',
    'http:127.0.0.1/',
    'http:///127.0.0.1/',
    ' http://127.0.0.1/ ',
    'ht\ntp://127.0.0.1/',
    'http://127.0.0.1\t/',
    'http://127.0.0.1:80/',
    'https://127.0.0.1/',
    'https://127.0.0.1:443/',
    'http://127.0.0.1#@example.com/',
    'http://127.0.0.1?@example.com/',
    'http://127.0.0.1\\@example.com/',
    // Networks of one's own, and metadata services.
    'http://10.0.0.1/',
    'http://10.255.255.255/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.0.1/',
    'http://100.64.0.1/',
    'http://100.100.100.200/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://169.254.170.2/',
    'http://169.254.43518/',
    'http://168.63.129.16/',
    'http://0xa83f8110/',
    'http://192.0.0.192/',
    // Reserved for documentation, tests and multicast.
    'http://192.0.2.1/',
    'http://192.88.99.1/',
    'http://198.18.0.1/',
    'http://198.51.100.1/',
    'http://203.0.113.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    // IPv6.
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:ffff:127.0.0.1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[::127.0.0.1]/',
    'http://[::8.8.8.8]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b::8.8.8.8]/',
    'http://[64:ff9b:1::127.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[2002:808:808::]/',
    'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
    'http://[2001:db8::1]/',
    'http://[3fff::1]/',
    'http://[100::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fd20:ce::254]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[5f00::1]/',
    'http://[4000::1]/',
    // Zone ids are no part of a URL's address.
    'http://[fe80::1%25eth0]/',
    'http://[::1%25lo]/',
    'http://[::1%lo]/',
  ])('%s', async (url) => {
    const resolve = vi.fn(async () => [publicAddress]);

    expect(await read(url, { resolve })).toEqual({ unreadable: 'forbidden_address' });
    expect(resolve).not.toHaveBeenCalled();
  });
});

describe('a URL that is none of the public web is refused:', () => {
  it.each([
    'https://name:secret@example.com/',
    'https://name@example.com/',
    'https://:secret@example.com/',
    'http://example.com@127.0.0.1/',
    'http://example.com%40127.0.0.1/',
    'http://example.com:8080/',
    'http://example.com:22/',
    'https://example.com:8443/',
    'http://example.com:0/',
    'http://example.com:65536/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'data:text/html,hello',
    'javascript:alert(1)',
    'blob:https://example.com/1',
    'ws://example.com/',
    'about:blank',
    'unix:/var/run/docker.sock',
    '//example.com/',
    '/path',
    'example.com',
    'http://',
    'http://exa mple.com/',
    'http://exa%00mple.com/',
    'http://[::1/',
    'http://127.0.0.256/',
    '',
    `https://example.com/${'a'.repeat(2_048)}`,
  ])('%s', async (url) => {
    const resolve = vi.fn(async () => [publicAddress]);

    expect(await read(url, { resolve })).toEqual({ unreadable: 'forbidden_address' });
    expect(resolve).not.toHaveBeenCalled();
  });
});

describe('a name is refused', () => {
  it.each<[string, LookupAddress[]]>([
    ['its only address is not public', [loopback]],
    ['its second address is not public', [publicAddress, loopback]],
    ['its IPv6 address is not public', [publicAddress, { address: '::1', family: 6 }]],
    ['an address is mapped', [publicAddress, { address: '::ffff:8.8.8.8', family: 6 }]],
    ['an address is that of the Azure host', [{ address: '168.63.129.16', family: 4 }]],
    ['an address has a zone', [{ address: '2606:4700::1111%eth0', family: 6 }]],
    ['an address is no address', [{ address: 'localhost', family: 4 }]],
  ])('if %s', async (_why, addresses) => {
    expect(await read('http://example.com/', { resolve: async () => addresses })).toEqual({
      unreadable: 'forbidden_address',
    });
  });

  it.each(['http://localhost/', 'http://LOCALHOST/', 'http://ｌocalhost:443/'])(
    'if the system resolves it to loopback: %s',
    async (url) => {
      expect(await readPage(url)).toEqual({ unreadable: 'forbidden_address' });
    },
  );
});

it('the resolver is asked for a name as DNS knows it', async () => {
  const resolve = vi.fn(async () => [publicAddress]);

  await checkAddress(parseUrl('https://BÜCHER.example/'), resolve);
  await checkAddress(parseUrl('https://ｅxample.com:443/'), resolve);
  await checkAddress(parseUrl('http://example.com.:443/'), resolve);

  expect(resolve.mock.calls).toEqual([
    ['xn--bcher-kva.example'],
    ['example.com'],
    ['example.com.'],
  ]);
});

it('a public address is let through, IPv4 before IPv6', async () => {
  const six = { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 };
  const check = (url: string, addresses: LookupAddress[]) =>
    checkAddress(parseUrl(url), async () => addresses);

  expect(await check('http://example.com', [six, publicAddress])).toEqual(publicAddress);
  expect(await check('https://example.com', [six])).toEqual(six);
  expect(await check('http://93.184.215.14', [])).toEqual(publicAddress);
  expect(await check(`http://[${six.address}]`, [])).toEqual(six);
  expect(['1.1.1.1', '8.8.8.8', '2606:4700:4700::1111'].map(isPublic)).toEqual([true, true, true]);
});

it('a name that nobody knows is unreachable', async () => {
  const unknown = async () => {
    throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  };

  expect(await read('http://example.com', { resolve: unknown })).toEqual({
    unreadable: 'unreachable',
  });
  expect(await read('http://example.com', { resolve: async () => [] })).toEqual({
    unreadable: 'unreachable',
  });
});

it('the connection goes to the address that was checked, whatever the name resolves to by then', async () => {
  const [port = 0] = await freePorts(1);
  const bad = await startSite({ '/': '<p>bad' }, { host: '127.0.0.2', port });
  const good = await startSite({ '/': '<p>good' }, { port });
  const answers = [loopback];
  const resolve = async () => [answers.shift() ?? { address: '127.0.0.2', family: 4 }];

  const page = await readText(good.origin, { resolve });

  expect(page.text).toBe('good');
  expect(good.requests).toEqual(['/']);
  // The rules of robots were asked for after the page's address was checked, and on their own.
  expect(bad.requests).toEqual(['/robots.txt']);
});

describe('the local origin', () => {
  it('is read from loopback, by name and by address', async () => {
    const { origin, port } = await startSite({ '/': '<p>hello' });

    expect(await readText(origin)).toMatchObject({ text: 'hello' });
    allow(`http://127.0.0.1:${port}`);
    expect(await readText(`http://127.0.0.1:${port}/`)).toMatchObject({ text: 'hello' });
  });

  it('must be exactly the same', async () => {
    const { origin, port, requests } = await startSite({ '/': '<p>hello' });
    const others = [
      origin.replace('http:', 'https:'),
      origin.replace(/:\d+$/, ''),
      origin.replace(/:\d+$/, ':1'),
      origin.replace('.test', '.test.'),
      origin.replace('//', '//name@'),
      `http://127.0.0.1:${port}`,
      `http://localhost:${port}`,
    ];

    for (const url of others) {
      expect(await read(url), url).toEqual({ unreadable: 'forbidden_address' });
    }
    expect(requests).toEqual([]);
  });

  it('must be an origin', async () => {
    allow('http://127.0.0.1:4711/');

    await expect(checkAddress(parseUrl('http://127.0.0.1:4711'), async () => [])).rejects.toThrow(
      'READ_PAGE_LOCAL_ORIGIN: should be an origin',
    );
  });
});
