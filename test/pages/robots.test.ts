import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Handler, read, readText, redirect, send, startSite } from './site.ts';

const rules = (...lines: string[]): Handler =>
  send(lines.join('\n'), { 'content-type': 'text/plain' });
const refused = { unreadable: 'refused_by_robots' };

afterEach(() => {
  vi.useRealTimers();
});

const siteWith = (robots: Handler) =>
  startSite({ '/robots.txt': robots, '/': '<p>hello', '/a': '<p>hello', '/a/b': '<p>hello' });

describe('a page is refused', () => {
  it.each<[string, string[]]>([
    ['all robots are kept out', ['User-agent: *', 'Disallow: /']],
    ['this one is', ['User-agent: Quire', 'Disallow: /', '', 'User-agent: *', 'Allow: /']],
    ['this one is, by any spelling', ['USER-AGENT:  quire/2.0 # a comment', 'disallow:/a']],
    ['this one is among others', ['User-agent: x', 'User-agent: Quire', 'Disallow: /a']],
    ['a pattern matches', ['User-agent: *', 'Disallow: /*b$', 'Allow: /$', 'Disallow: /a']],
    ['a longer rule overrules', ['User-agent: *', 'Allow: /', 'Disallow: /a']],
    ['there is a mark before', ['\ufeffUser-agent: *', 'Disallow: /a']],
  ])('if %s', async (_why, lines) => {
    const { origin, requests } = await siteWith(rules(...lines));

    expect(await read(`${origin}/a`)).toEqual(refused);
    expect(requests).toEqual(['/robots.txt']);
  });

  it('if its redirect leads to one that is', async () => {
    const { origin, requests } = await startSite({
      '/robots.txt': rules('User-agent: *', 'Disallow: /b'),
      '/a': redirect('/b'),
      '/b': '<p>hello',
    });

    expect(await read(`${origin}/a`)).toEqual(refused);
    expect(requests).toEqual(['/robots.txt', '/a']);
  });

  it('if the rules have moved', async () => {
    const { origin } = await startSite({
      '/robots.txt': redirect('/rules.txt'),
      '/rules.txt': rules('User-agent: *', 'Disallow: /'),
      '/': '<p>hello',
    });

    expect(await read(origin)).toEqual(refused);
  });
});

describe('a page is read', () => {
  it.each<[string, string[]]>([
    ['there are no rules', ['']],
    ['the rules are for others', ['User-agent: x', 'Disallow: /']],
    ['this one may', ['User-agent: *', 'Disallow: /', 'User-agent: Quire', 'Disallow:']],
    [
      'this one has no rule',
      ['User-agent: Quire', 'Crawl-delay: 1', 'User-agent: *', 'Disallow: /'],
    ],
    ['a longer rule overrules', ['User-agent: *', 'Disallow: /', 'Allow: /a']],
    ['the rules are a page', ['<!doctype html><p>User-agent: *<br>Disallow: /']],
  ])('if %s', async (_why, lines) => {
    const { origin } = await siteWith(rules(...lines));

    expect(await readText(`${origin}/a`)).toMatchObject({ text: 'hello' });
  });

  it.each<[string, Handler]>([
    ['are missing', (_request, response) => response.writeHead(404).end('Disallow: /')],
    ['fail with 500', (_request, response) => response.writeHead(500).end()],
    ['break off', (_request, response) => response.destroy()],
    [
      'are not compressed as they say',
      send('User-agent: *\nDisallow: /', { 'content-encoding': 'gzip' }),
    ],
    ['redirect to what is forbidden', redirect('http://169.254.169.254/')],
    ['redirect for ever', redirect('/robots.txt')],
  ])('if the rules %s', async (_why, robots) => {
    const { origin } = await siteWith(robots);

    expect(await readText(origin)).toMatchObject({ text: 'hello' });
  });

  it('if the rules never come', async () => {
    const { origin } = await siteWith(() => {});

    expect(await readText(origin, { deadlineMs: 1_000 })).toMatchObject({ text: 'hello' });
  });
});

it('of rules without an end the first half megabyte counts', async () => {
  const { origin } = await siteWith((_request, response) => {
    response.writeHead(200);
    const line = `${'#'.repeat(50_000)}\n`;
    response.write('User-agent: *\nDisallow: /a\n');
    const more = () => {
      if (!response.destroyed) response.write(line, more);
    };
    more();
  });

  expect(await read(`${origin}/a`)).toEqual(refused);
  expect(await readText(origin)).toMatchObject({ text: 'hello' });
});

it.each<[string, string]>([
  ['names and rules', 'User-agent: Quire\n'.repeat(10_000) + 'Disallow: /b\n'.repeat(20_000)],
  [
    'other names',
    `${'User-agent: x\n'.repeat(20_000)}User-agent: *\n${'Disallow: /b\n'.repeat(9_000)}`,
  ],
  ['patterns', `User-agent: *\nDisallow: /${'*a'.repeat(200_000)}`],
  ['spaces', `User-agent${' '.repeat(400_000)}`],
])('thousands of %s take little time', async (_what, text) => {
  const { origin } = await siteWith(rules(text));
  const path = `/a?${'a'.repeat(1_900)}`;
  const before = process.cpuUsage();

  expect(await read(`${origin}${path}`)).toEqual({ unreadable: 'unreachable' });

  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000);
});

it('the rules of a site are asked for once in ten minutes', async () => {
  const { origin, requests } = await siteWith(rules('User-agent: *', 'Disallow: /a'));
  const asked = () => requests.filter((path) => path === '/robots.txt').length;
  vi.useFakeTimers({ toFake: ['Date'] });

  await readText(origin);
  await read(`${origin}/a`);
  expect(asked()).toBe(1);

  vi.advanceTimersByTime(10 * 60_000 + 1);
  await readText(origin);
  expect(asked()).toBe(2);
});
