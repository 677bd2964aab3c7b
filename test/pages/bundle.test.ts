import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { FunctionHost } from '../../lib/local/lambda/function-host.ts';
import { Narrator } from '../../lib/local/narrator.ts';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { permissionsFor } from '../support/fixtures/permissions.ts';
import { functions } from '../support/run/stack-template.ts';
import { send, startSite } from './site.ts';

const codeDir = functions.find(({ name }) => name === 'read-page')?.bundle ?? '';
const code = readFileSync(join(codeDir, 'index.mjs'), 'utf8');
const hosts: FunctionHost[] = [];

afterAll(() => Promise.all(hosts.map((host) => host.close())));

it('the bundle reads pages and PDFs in the local stage, in a process of their own', async () => {
  const pdf = await pdfOf([{ text: 'A page of a PDF.' }]);
  const { port } = await startSite({
    '/': '<title>A page</title><p>hello',
    '/pdf': send(pdf, { 'content-type': 'application/pdf' }),
  });
  const origin = `http://127.0.0.1:${port}`;
  const host = new FunctionHost(
    {
      ...{ name: 'read-page', arn: 'arn:read-page', codeDir, handler: 'index.handler' },
      ...{ timeoutMs: 20_000, memoryMb: 1024 },
      environment: { READ_PAGE_LOCAL_ORIGIN: origin },
      permissions: permissionsFor(),
    },
    new Narrator(() => {}),
  );
  hosts.push(host);

  expect(await host.invoke({ url: origin })).toEqual({
    url: `${origin}/`,
    title: 'A page',
    text: 'hello',
  });
  expect(await host.invoke({ url: `${origin}/pdf` })).toMatchObject({ text: 'A page of a PDF.' });
  expect(await host.invoke({ url: 'http://127.0.0.1/' })).toEqual({
    unreadable: 'forbidden_address',
  });
});

it('the bundle is small, and has no client of AWS and no library of images', () => {
  expect(code.length).toBeLessThan(600_000);
  expect(['aws-sdk', 'amazonaws', '("canvas")'].filter((text) => code.includes(text))).toEqual([]);
  expect(readdirSync(codeDir).filter((file) => file.endsWith('.wasm'))).toEqual(['pdfium.wasm']);
});

it('functions that have pages read or messages posted carry none of the code that does', () => {
  for (const { name, bundle } of functions) {
    if (['read-page', 'post-webhook'].includes(name)) continue;
    const other = readFileSync(join(bundle, 'index.mjs'), 'utf8');
    expect([name, /crawl-delay|168\.63\.129\.16/.test(other)]).toEqual([name, false]);
  }
});

it('what posts messages is small, and has no client of AWS and no reader of pages', () => {
  const bundle = functions.find(({ name }) => name === 'post-webhook')?.bundle ?? '';
  const poster = readFileSync(join(bundle, 'index.mjs'), 'utf8');

  expect(poster).toContain('168.63.129.16');
  expect(poster.length).toBeLessThan(100_000);
  expect(['aws-sdk', 'amazonaws', 'linkedom'].filter((text) => poster.includes(text))).toEqual([]);
});
