import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWebServer, type WebEngine } from '../../../lib/local/web/web-server.ts';
import { pathsOf, search } from './test-web.ts';

const folder = fileURLToPath(new URL('../../../lib/local/web/samples', import.meta.url));

let web: WebEngine;
beforeAll(async () => {
  web = await startWebServer({ folder });
});
afterAll(() => web.close());

it.each<[string, string[]]>([
  [
    'Which tram gets to the museum on a Sunday morning?',
    ['museum/opening-hours.html', 'trams/line-7.html'],
  ],
  ['trams over the Weir Bridge in June', ['bridges/weir-bridge-works.pdf', 'trams/line-7.html']],
  ['recall of the Heron lamp', ['recalls/heron-lamp.html']],
  ['why trams do not go over the Chain Bridge', ['bridges/two-bridges.md']],
  ['ferryman’s pie', ['recipes/ferrymans-pie.md', 'museum/opening-hours.html']],
])('the sample pages have an answer: %s', async (question, pages) => {
  const found = pathsOf(await search(web.searchUrl, question));

  expect(found.slice(0, 4)).toEqual(expect.arrayContaining(pages));
});

it('the links between the sample pages lead to pages', async () => {
  const found = await search(web.searchUrl, 'museum tram lamp bridge');
  const links = await Promise.all(
    found.results.map(async ({ url }) => {
      const page = await (await fetch(url)).text();
      return [...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => new URL(href ?? '', url).href);
    }),
  );

  const statuses = await Promise.all(links.flat().map(async (url) => (await fetch(url)).status));

  expect(found.number_of_results).toBe(6);
  expect(statuses).toEqual([200, 200, 200]);
});
