import { renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pdfOf } from '../../support/fixtures/pdfs.ts';
import { pathsOf, startTestWeb, type TestWeb } from './test-web.ts';

let web: TestWeb;
beforeEach(async () => {
  web = await startTestWeb();
});
afterEach(() => web.close());

const encrypted = await pdfOf([{ text: 'x' }], { userPassword: 'x' });

const filler = (sentences: number) =>
  Array.from({ length: sentences }, (_, n) => `Sentence ${n} speaks of the weather.`).join(' ');

describe('a search', () => {
  it('is answered as SearXNG does', async () => {
    web.put('birds/heron.html', '<title>The heron</title><p>A grey heron waits by the weir.</p>');

    const response = await fetch(`${web.searchUrl}/search?q=grey+heron&format=json&language=en`);

    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual({
      query: 'grey heron',
      number_of_results: 1,
      results: [
        {
          url: `${web.url}/pages/birds/heron.html`,
          title: 'The heron',
          content: 'A grey heron waits by the weir.',
          score: expect.any(Number),
        },
      ],
    });
  });

  it.each(['q=heron', 'q=heron&format=html', 'q=heron&format=csv', 'q=heron&format=', ''])(
    'for anything but JSON is forbidden: %s',
    async (query) => {
      const response = await fetch(`${web.searchUrl}/search?${query}`);

      expect(response.status).toBe(403);
      expect(await response.text()).toContain('403 Forbidden');
    },
  );

  it.each([
    ['format=json', 'No query'],
    ['q=&format=json', 'No query'],
  ])('is a bad request: %s', async (query, error) => {
    const response = await fetch(`${web.searchUrl}/search?${query}`);

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error });
  });

  it.each(['heron', ' ', '?!', 'the', '"', '\u0000'])(
    'that finds nothing has no results: %j',
    async (query) => {
      web.put('a.txt', 'The weir.');

      expect(await web.search(query)).toMatchObject({ number_of_results: 0, results: [] });
    },
  );

  it('has ten results at most', async () => {
    for (let n = 0; n < 12; n += 1) web.put(`${n}.txt`, `A heron, number ${n}.`);

    const { results, number_of_results } = await web.search('heron');

    expect(results).toHaveLength(10);
    expect(number_of_results).toBe(12);
  });
});

describe('the best result', () => {
  it('is the page with the words that few pages have', async () => {
    web.put('a.txt', `The tram, the tram and the tram. ${filler(20)}`);
    web.put('b.txt', `${filler(20)} The tram passes the copper weathercock. ${filler(20)}`);
    web.put('c.txt', filler(40));

    const found = await web.search('tram copper weathercock');

    expect(pathsOf(found)).toEqual(['b.txt', 'a.txt']);
    const [first = 0, second = 0] = found.results.map(({ score }) => score);
    expect(first).toBeGreaterThan(second);
  });

  it('is the page that is called so', async () => {
    web.put('a.html', '<title>Ferries</title><p>They cross the river at noon.</p>');
    web.put('b.html', '<title>Weirs</title><p>Ferries can cross none of them.</p>');

    expect(pathsOf(await web.search('ferries'))).toEqual(['a.html', 'b.html']);
  });

  it.each([
    ['in another case', 'HERON'],
    ['in the plural', 'herons'],
    ['without its accents', 'cafe'],
    ['by its beginning', 'weather'],
    ['beside others that no page has', 'heron zebra'],
    ['of a script without spaces', '鷺'],
  ])('is found by a word %s', async (_, query) => {
    web.put('a.txt', 'The heron of the Café sits on the weathercock. 灰色の鷺');

    expect(pathsOf(await web.search(query))).toEqual(['a.txt']);
  });
});

describe('the content of a result', () => {
  it('is the part of the page that has most of the words', async () => {
    web.put(
      'a.txt',
      `A tram. ${filler(40)} The tram stops at the copper weathercock. ${filler(40)}`,
    );

    const { results } = await web.search('tram weathercock');

    const content = results[0]?.content ?? '';
    expect(content).toContain('The tram stops at the copper weathercock.');
    expect(content).toMatch(/^… .* …$/);
    expect(content.length).toBeLessThanOrEqual(304);
  });

  it('is the beginning of a page that has them in its title alone', async () => {
    web.put('a.html', `<title>Herons</title><p>${filler(40)}`);

    const { results } = await web.search('herons');

    expect(results[0]?.content).toMatch(/^Sentence 0 speaks of the weather\. .* …$/);
  });

  it('holds one long word in part', async () => {
    web.put('a.html', `<title>Heron</title><p>${'x'.repeat(1000)}`);

    const { results } = await web.search('heron');

    expect(results[0]?.content).toBe(`${'x'.repeat(300)} …`);
  });
});

describe('a page', () => {
  it.each<[string, string, string, string]>([
    [
      'a.html',
      '<head><title> The\n heron </title><style>p { color: grey }</style></head><h1>Grey</h1>wei<b>rd</b>',
      'The heron',
      'Grey weird',
    ],
    [
      'a.HTM',
      '<table><tr><td>weird</td><td>5</td></tr><tr><td>6&amp;7</td></tr></table><h2>Grey <i>heron</i></h2>',
      'Grey heron',
      'weird 5 6&7 Grey heron',
    ],
    ['a.xhtml', '<p>weird<script>if (a < b) heron();</script>', 'a.xhtml', 'weird'],
    [
      'a.md',
      'Before.\n\n## The *heron*\n\n- a [weird](http://x) bird\n\n| a | b |\n|---|:--|\n| 1 | 2 |\n',
      'The *heron*',
      'Before. The heron a weird bird a b 1 2',
    ],
    ['a.markdown', 'weird', 'a.markdown', 'weird'],
    ['deep/er/a b?.txt', '\uFEFF# weird\r\n\r\nbird', 'a b?.txt', '# weird bird'],
  ])('is read: %s', async (path, source, title, content) => {
    web.put(path, source);

    const found = await web.search('weird');

    expect(pathsOf(found)).toEqual([path]);
    expect(found.results[0]).toMatchObject({ title, content });
  });

  it('is read from a PDF', async () => {
    const text = 'The heron stands by the copper weathercock.';
    web.put('birds/heron.pdf', await pdfOf([{ text: 'A first page.' }, { text }]));

    const { results } = await web.search('copper weathercock');

    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({
      url: `${web.url}/pages/birds/heron.pdf`,
      title: 'heron.pdf',
      content: `A first page. ${text}`,
    });
  });

  it.each([
    ['a damaged PDF', 'heron.pdf', '%PDF-1.7'],
    ['an encrypted PDF', 'heron.pdf', encrypted],
    ['an empty page', 'heron.html', ''],
  ])('without text is found by its name: %s', async (_, path, content) => {
    web.put(path, content);
    web.put('other.txt', 'A heron.');

    const found = await web.search('heron');

    expect(pathsOf(found).sort()).toEqual([path, 'other.txt']);
  });

  it.each(['.hidden.txt', '.git/a.txt', 'a/.b/c.txt', 'heron.png', 'heron'])(
    'is not found: %s',
    async (path) => {
      web.put(path, 'A heron.');

      expect(pathsOf(await web.search('heron'))).toEqual([]);
    },
  );

  it('behind a link is not found', async () => {
    web.put('../outside/a.txt', 'A heron.');
    symlinkSync('../outside', join(web.folder, 'folder'));
    symlinkSync('../outside/a.txt', join(web.folder, 'b.txt'));
    symlinkSync('.', join(web.folder, 'loop'));

    expect(pathsOf(await web.search('heron'))).toEqual([]);
  });
});

describe('the next search', () => {
  it('finds a page that is new', async () => {
    await web.search('heron');
    web.put('new/heron.md', '# Heron');

    expect(pathsOf(await web.search('heron'))).toEqual(['new/heron.md']);
  });

  it('finds what a page says now', async () => {
    web.put('a.txt', 'A heron.');
    const before = await web.search('heron');
    web.put('a.txt', 'A stork.');

    const [after, changed] = await Promise.all([web.search('heron'), web.search('stork')]);

    expect(pathsOf(before)).toEqual(['a.txt']);
    expect(pathsOf(after)).toEqual([]);
    expect(changed.results[0]).toMatchObject({ content: 'A stork.' });
  });

  it('sees a change that leaves size and time of a file as they were', async () => {
    const time = new Date('2026-01-01');
    web.put('a.txt', 'A heron.');
    utimesSync(join(web.folder, 'a.txt'), time, time);
    await web.search('heron');
    web.put('a.txt', 'A stork.');
    utimesSync(join(web.folder, 'a.txt'), time, time);

    expect(pathsOf(await web.search('stork'))).toEqual(['a.txt']);
  });

  it('does not find a page that is gone, and finds it at its new place', async () => {
    web.put('a/heron.txt', 'A heron.');
    await web.search('heron');
    renameSync(join(web.folder, 'a'), join(web.folder, 'b'));
    const moved = await web.search('heron');
    rmSync(web.folder, { recursive: true });

    const gone = await web.search('heron');

    expect([moved, gone].map(pathsOf)).toEqual([['b/heron.txt'], []]);
  });

  it('may come beside others', async () => {
    for (let n = 0; n < 20; n += 1) web.put(`${n}.txt`, 'A heron.');

    const all = await Promise.all(Array.from({ length: 20 }, () => web.search('heron')));

    expect(all.map(({ number_of_results }) => number_of_results)).toEqual(Array(20).fill(20));
  });
});
