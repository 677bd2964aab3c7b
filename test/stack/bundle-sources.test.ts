import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { expect, it } from 'vitest';
import { readBundleSources, writeBundleSources } from '../../lib/stack/bundles/bundle-sources.ts';
import { useFolder } from '../support/run/use-folder.ts';

const root = useFolder();

it('the sources of a bundle are all that its function imports, a file with no more than a constant too', () => {
  const files = {
    'limits.ts': 'export const most = 64; export const tell = () => console.log(most);',
    'get-limits.ts': "import { most } from './limits.ts'; export const handler = () => most;",
    'get-health.ts': "import { tell } from './limits.ts'; export const handler = tell;",
    'get-docs.ts': 'export const handler = () => 1;',
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
  const names = ['get-limits', 'get-health', 'get-docs'];
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: names.map((name) => ({ in: `${name}.ts`, out: join(name, 'index') })),
    outdir: 'bundles',
    bundle: true,
    minify: true,
    format: 'esm',
    metafile: true,
  });

  writeBundleSources(join(root, 'bundles'), metafile);

  expect(Object.keys(metafile.outputs['bundles/get-limits/index.js']?.inputs ?? {})).toEqual([
    'get-limits.ts',
  ]);
  expect(readBundleSources(join(root, 'bundles'))).toEqual({
    'get-limits': ['get-limits.ts', 'limits.ts'],
    'get-health': ['get-health.ts', 'limits.ts'],
    'get-docs': ['get-docs.ts'],
  });
});
