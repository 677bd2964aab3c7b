import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { Catalogue } from '../shared/models/catalogue.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const functionsDir = join(root, 'functions');

/** The names of all functions: the files in `functions/`. */
export const functionNames = readdirSync(functionsDir)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => basename(file, '.ts'));

/**
 * Bundles every function in one esbuild run; each gets a folder of its own under `outDir`, and the
 * catalogue with the prices it has now.
 */
export function bundleFunctions(outDir: string, catalogue: Catalogue): void {
  const catalogueFile = resolve(outDir, 'catalogue.json');
  mkdirSync(outDir, { recursive: true });
  writeFileSync(catalogueFile, JSON.stringify(catalogue));
  buildSync({
    entryPoints: functionNames.map((name) => ({
      in: join(functionsDir, `${name}.ts`),
      out: join(name, 'index'),
    })),
    outdir: outDir,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    sourcemap: true,
    sourcesContent: false,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    // Lambda hands a function its credentials in the environment: the SDK's search through profiles,
    // SSO and web identity would be a tenth of a megabyte that never runs.
    alias: {
      '#catalogue': catalogueFile,
      '@aws-sdk/credential-provider-node': join(root, 'lib/environment-credentials.ts'),
    },
    banner: {
      js: "import{createRequire as quireRequire}from'node:module';const require=quireRequire(import.meta.url);",
    },
    legalComments: 'none',
    logLevel: 'warning',
  });
}
