import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FunctionHost } from '../../lib/local/lambda/function-host.ts';
import { Narrator } from '../../lib/local/narrator.ts';
import { bundle } from '../../lib/stack/bundles/bundles.ts';
import { docxOf, wordParagraph } from '../support/fixtures/office-files.ts';
import { permissionsFor } from '../support/fixtures/permissions.ts';
import { untilGone } from '../support/servers/processes.ts';

const root = mkdtempSync(join(tmpdir(), 'quire-bundles-'));
const codeDir = join(root, 'read');
const samples = fileURLToPath(new URL('../../lib/local/drive/samples/', import.meta.url));
const document = fileURLToPath(
  new URL('../../shared/documents/parts/open-document.ts', import.meta.url),
);

const docx = join(root, 'letter.docx');

beforeAll(() => {
  writeFileSync(docx, docxOf(wordParagraph('A letter')));
  writeFileSync(
    join(root, 'read.ts'),
    `import { openDocument } from ${JSON.stringify(document)};
    export async function handler({ path, kind }) {
      const document = await openDocument(path, kind, { turn: 'key' });
      const pages = [];
      for (let page = 1; page <= document.pageCount; page++) {
        pages.push(Object.keys(await document.readPage(page))[0]);
      }
      document.close();
      return pages;
    }`,
  );
  writeFileSync(join(root, 'other.ts'), 'export const handler = () => "nothing";');
  const entryPoints = ['read', 'other'].map((name) => ({
    in: join(root, `${name}.ts`),
    out: join(name, 'index'),
  }));
  bundle(entryPoints, root, {
    defaults: { chat: '', ocr: '' },
    upstreams: {},
    models: [],
    embeddingModels: [],
    ocrEngines: [],
    searchProviders: [],
  });
  chmodSync(codeDir, 0o555);
});

afterAll(() => {
  chmodSync(codeDir, 0o755);
  rmSync(root, { recursive: true });
});

it('only a function that reads documents carries what that takes', () => {
  expect(readdirSync(join(root, 'other')).toSorted()).toEqual([
    'NOTICES.txt',
    'index.mjs',
    'index.mjs.map',
  ]);
  expect(readdirSync(codeDir).toSorted()).toEqual([
    'NOTICES.txt',
    'index.mjs',
    'index.mjs.map',
    'pages-process.mjs',
    'pages-process.mjs.map',
    'pdfium.wasm',
    'take-apart-process.mjs',
    'take-apart-process.mjs.map',
    'vips-heif.wasm',
    'vips-node.mjs',
    'vips.wasm',
  ]);
});

it('a bundle reads documents beside a function of the local stage, in processes that end', {
  tags: 'exhaustive',
}, async () => {
  const config = { name: 'read', arn: 'arn:read', codeDir, handler: 'index.handler' };
  const limits = {
    environment: {},
    permissions: permissionsFor(),
    timeoutMs: 60_000,
    memoryMb: 2048,
  };
  const host = new FunctionHost({ ...config, ...limits }, new Narrator(() => {}));

  const mixed = await host.invoke({ path: join(samples, 'mixed.pdf'), kind: 'pdf' });
  const table = await host.invoke({ path: join(samples, 'table.png'), kind: 'image' });
  const letter = await host.invoke({ path: docx, kind: 'archive' });
  await host.close();

  await untilGone(codeDir);
  expect(letter).toEqual(['textLayer']);
  expect(mixed).toEqual(['textLayer', 'jpeg', 'textLayer', 'jpeg']);
  expect(table).toEqual(['jpeg']);
});

it('a process that has read documents ends by itself', { tags: 'exhaustive' }, async () => {
  const script = join(root, 'script.mjs');
  writeFileSync(
    script,
    `import { handler } from './read/index.mjs';
    await handler({ path: ${JSON.stringify(docx)}, kind: 'archive' });
    const event = { path: ${JSON.stringify(join(samples, 'mixed.pdf'))}, kind: 'pdf' };
    console.log(JSON.stringify(await handler(event)));`,
  );

  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script], {
    timeout: 30_000,
  });

  expect(JSON.parse(stdout)).toEqual(['textLayer', 'jpeg', 'textLayer', 'jpeg']);
  expect(stderr).toBe('');
});
