import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestWeb, type TestWeb } from './test-web.ts';

let web: TestWeb;
beforeAll(async () => {
  web = await startTestWeb();
  web.put('../outside/secret.txt', 'secret');
  web.put('.hidden/secret.txt', 'secret');
  web.put('folder/.secret.txt', 'secret');
  web.put('folder/inside.txt', 'inside');
  symlinkSync('../outside/secret.txt', join(web.folder, 'link.txt'));
  symlinkSync('../outside', join(web.folder, 'linked'));
  symlinkSync(join(web.folder, 'folder'), join(web.folder, 'alias'));
});
afterAll(() => web.close());

/** Asks for a path as it stands: `fetch` would resolve its dots. */
async function get(path: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(web.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) });
    })
      .on('error', reject)
      .end();
  });
}

describe('a page', () => {
  it.each([
    ['a.html', 'text/html; charset=utf-8'],
    ['a.md', 'text/markdown; charset=utf-8'],
    ['a.txt', 'text/plain; charset=utf-8'],
    ['a.pdf', 'application/pdf'],
    ['a.png', 'image/png'],
    ['a.unknown', 'application/octet-stream'],
    ['a', 'application/octet-stream'],
  ])('has its type: %s', async (name, type) => {
    const content = Buffer.from(`${name} é\u0000\u00ff`);
    web.put(`types/${name}`, content);

    const response = await fetch(`${web.url}/pages/types/${name}`);

    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('content-length')).toBe(String(content.length));
    expect(Buffer.from(await response.arrayBuffer())).toEqual(content);
  });

  it.each(['Ünï cödé 鷺.html', '100% a+b#c?d&e.txt', `${'long'.repeat(60)}.md`, 'q\'"uote.txt'])(
    'is served at the URL that a search gives it: %s',
    async (name) => {
      web.put(`names/${name}`, `weird ${name}`);

      const { results } = await web.search(`weird ${name}`);
      const response = await fetch(results[0]?.url ?? '');

      expect(await response.text()).toBe(`weird ${name}`);
    },
  );

  it('is served as it is now', async () => {
    const url = `${web.url}/pages/now.txt`;
    web.put('now.txt', 'before');
    const before = await (await fetch(url)).text();
    web.put('now.txt', 'after');

    expect([before, await (await fetch(url)).text()]).toEqual(['before', 'after']);
  });

  it('may be empty', async () => {
    web.put('empty.html');

    const response = await fetch(`${web.url}/pages/empty.html`);

    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('has its head', async () => {
    const response = await fetch(`${web.url}/pages/folder/inside.txt`, { method: 'HEAD' });

    expect([response.status, response.headers.get('content-length')]).toEqual([200, '6']);
  });
});

describe('nothing but the folder’s own files is served', () => {
  it.each([
    ['a folder', '/pages/folder'],
    ['a folder with a slash', '/pages/folder/'],
    ['the folder itself', '/pages/'],
    ['what is not there', '/pages/gone.html'],
    ['what lies in a file', '/pages/folder/inside.txt/x'],
    ['a name too long for a disk', `/pages/${'x'.repeat(300)}`],
    ['dots', '/pages/../outside/secret.txt'],
    ['dots further on', '/pages/folder/../../outside/secret.txt'],
    ['dots within the folder', '/pages/folder/../folder/inside.txt'],
    ['encoded dots', '/pages/%2e%2e/outside/secret.txt'],
    ['encoded slashes', '/pages/..%2Foutside%2Fsecret.txt'],
    ['doubly encoded dots', '/pages/%252e%252e/outside/secret.txt'],
    ['backslashes', '/pages/..%5Coutside%5Csecret.txt'],
    ['an absolute path', '/pages//etc/passwd'],
    ['an encoded absolute path', '/pages/%2Fetc%2Fpasswd'],
    ['a null byte', '/pages/folder/inside.txt%00.html'],
    ['a hidden folder', '/pages/.hidden/secret.txt'],
    ['a hidden file', '/pages/folder/.secret.txt'],
    ['a link to a file outside', '/pages/link.txt'],
    ['a link to a folder outside', '/pages/linked/secret.txt'],
    ['a link to a folder inside', '/pages/alias/inside.txt'],
    ['another address', '/folder/inside.txt'],
  ])('%s', async (_, path) => {
    const { status, body } = await get(path);

    expect(status).toBe(404);
    expect(body).not.toMatch(/secret$|inside$|root:/);
  });

  it('a path that is badly encoded', async () => {
    expect((await get('/pages/%E0%A4%A')).status).toBe(400);
  });

  it('a file that became a link', async () => {
    writeFileSync(join(web.folder, 'bait.txt'), 'inside');
    const before = await get('/pages/bait.txt');
    symlinkSync('../outside/secret.txt', join(web.folder, 'bait.txt.new'));
    renameSync(join(web.folder, 'bait.txt.new'), join(web.folder, 'bait.txt'));

    const after = await get('/pages/bait.txt');

    expect([before.status, after.status]).toEqual([200, 404]);
  });
});

it('robots may read all of it', async () => {
  const response = await fetch(`${web.url}/robots.txt`);

  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(await response.text()).toBe('User-agent: *\nAllow: /\n');
});
