import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { docsFiles } from '../../shared/openapi/service.ts';
import { shared } from '../support/run/shared.ts';

const { base_url } = await shared('stage');

const get = (path: string) => fetch(`${base_url}${path}`);
const text = async (path: string) => (await get(path)).text();

/** What a page's markup fetches by itself. */
const fetched = (html: string) =>
  [...html.matchAll(/(?:src|href|data-document)="([^"]*)"/g)].map(([, url = '']) => url);

describe('the reference page', () => {
  it.each(['/docs', '/docs/'])('at %s finds all it fetches under any stage', async (path) => {
    const links = fetched(await text(path));

    const stage = 'https://x.execute-api.eu-central-1.amazonaws.com/prod';
    for (const link of links.filter((each) => !each.startsWith('data:'))) {
      const { href } = new URL(link, `${stage}${path}`);
      expect(href.startsWith(`${stage}/`)).toBe(true);
      expect((await get(href.slice(stage.length))).status).toBe(200);
    }
    expect(links).toHaveLength(6);
  });

  it('asks no other host for anything, by policy', async () => {
    for (const path of ['/docs', ...docsFiles.map((file) => `/docs/${file}`)]) {
      const policy = (await get(path)).headers.get('content-security-policy') ?? '';

      const rules = policy.split('; ').map((rule) => rule.split(' '));
      expect(rules[0]).toEqual(['default-src', "'none'"]);
      for (const [, ...sources] of rules) {
        for (const source of sources) expect(["'none'", "'self'", 'data:']).toContain(source);
      }
    }
  });

  it('names no other host in its markup, its own script and what its styles load', async () => {
    const styles = await text('/docs/swagger-ui.css');
    const loaded = [...styles.matchAll(/url\(\s*["']?([^"')]{1,20})|@import\s+(.{1,20})/g)];

    for (const [, url, imported] of loaded) expect(url ?? imported).toMatch(/^data:|^#/);
    expect(await text('/docs')).not.toMatch(/\/\//);
    expect(await text('/docs/open-reference.js')).not.toMatch(/\/\//);
  });

  it('has no validator draw a badge', async () => {
    expect(await text('/docs/open-reference.js')).toContain('validatorUrl: null');
  });

  it('has no script or style within it, which its policy forbids', async () => {
    const html = await text('/docs');

    expect(html).not.toMatch(/<style|<script>| on\w+=| style=/);
    expect(html).toContain('<script src=');
  });
});

/** Asks as `fetch` can't: it takes every encoding, and hides which one came. */
const getEncoded = (path: string, accepted?: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
    request(`${base_url}${path}`, { headers }, resolve).once('error', reject).end();
  });

describe('what the page is made of', () => {
  it.each(['/docs', '/openapi.json'])('is sent compressed to who takes that: %s', async (path) => {
    const [plain, zipped] = await Promise.all([
      getEncoded(path),
      getEncoded(path, 'br, gzip;q=0.8'),
    ]);
    const [whole, bytes] = await Promise.all([buffer(plain), buffer(zipped)]);

    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(zipped.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'accept-encoding',
      'content-type': plain.headers['content-type'],
    });
    expect(gunzipSync(bytes).equals(whole)).toBe(true);
    expect(bytes.length).toBeLessThan(whole.length * (whole.length > 10_000 ? 0.4 : 1));
  });

  it.each(['identity', 'gzip;q=0', 'gzipped', ''])(
    'is sent as it is for "%s"',
    async (accepted) => {
      const answer = await getEncoded('/docs', accepted);

      expect(answer.headers).not.toHaveProperty('content-encoding');
      expect(await text('/docs')).toBe((await buffer(answer)).toString());
    },
  );
});

describe('a file of the page', () => {
  it.each([undefined, 'gzip', '*', 'br, gzip;q=0.8'])(
    'is sent compressed to who takes it so: %s',
    async (accepted) => {
      const answer = await getEncoded('/docs/swagger-ui-bundle.js', accepted);

      expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
      const bytes = await buffer(answer);
      expect(bytes.length).toBeLessThan(500_000);
      expect(gunzipSync(bytes).toString()).toContain('SwaggerUIBundle');
    },
  );

  it.each(['identity', 'gzip;q=0, br', 'gzipped', '*;q=0', ''])(
    'is not sent to who refuses gzip: "%s"',
    async (accepted) => {
      const answer = await getEncoded('/docs/swagger-ui-bundle.js', accepted);

      expect(answer.statusCode).toBe(406);
      expect((await buffer(answer)).toString()).toContain('Accept-Encoding: gzip');
    },
  );

  it.each<[string, string, RegExp]>([
    ['open-reference.js', 'text/javascript', /SwaggerUIBundle\(/],
    ['swagger-ui-bundle.js', 'text/javascript', /SwaggerUIBundle/],
    ['swagger-ui.css', 'text/css', /\.swagger-ui/],
    ['swagger-ui-bundle.js.LICENSE.txt', 'text/plain', /MIT/],
    ['LICENSE.txt', 'text/plain', /Apache License/],
    ['NOTICE.txt', 'text/plain', /SmartBear/],
  ])('is served as what it is: %s', async (file, type, content) => {
    const answer = await get(`/docs/${file}`);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).toMatch(content);
  });
});
