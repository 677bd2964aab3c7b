import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';
import type { Catalogue } from '../../../shared/models/catalogue.ts';
import type { Settings } from '../settings/settings.ts';
import { buildConsole } from './console-bundle.ts';
import { writeNotices } from './notices.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const functionsDir = join(root, 'functions');

/** The names of all functions: the files in `functions/`. */
const functionNames = readdirSync(functionsDir)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => basename(file, '.ts'));

interface EntryPoint {
  in: string;
  out: string;
}

/** Files that a module loads from its own folder; they are copied beside each bundle that contains it. */
const companions: Record<string, string[]> = {
  '@hyzyla/pdfium/dist/index.esm.js': ['pdfium.wasm'],
  // libvips starts its threads from the module's own file.
  'wasm-vips/lib/vips-node.mjs': ['vips.wasm', 'vips-heif.wasm', 'vips-node.mjs'],
};

/** Processes that a module starts from its own folder, and code that it loads late; each is bundled beside the bundles that contain it. */
const processes: Record<string, string> = {
  'shared/documents/parts/open-document.ts': 'shared/documents/parts/pages-process.ts',
  'shared/documents/parts/take-apart.ts': 'shared/documents/parts/take-apart-process.ts',
  'shared/documents/parts/text-layers.ts': 'shared/documents/parts/text-layers-process.ts',
  'shared/models/text-tokens.ts': 'shared/models/o200k-tokens.ts',
  'shared/pages/parse-page.ts': 'shared/pages/page-process.ts',
};

const consoleFileIn = (outDir: string) => resolve(outDir, 'console.json');

type SecretStore = Settings['secrets'];

const secretReaders: Record<SecretStore, string> = {
  parameters: 'shared/aws/parameter-store.ts',
  'secrets-manager': 'shared/aws/secrets-manager.ts',
};

/**
 * Bundles the functions, each into its folder under `outDir`, with the console's. `sharing` puts common
 * code beside, in a quarter of the time.
 */
export function bundleFunctions(
  outDir: string,
  catalogue: Catalogue,
  secretStore?: SecretStore,
  sharing = false,
): void {
  const entryPoints = functionNames.map((name) => ({
    in: join(functionsDir, `${name}.ts`),
    out: join(name, 'index'),
  }));
  mkdirSync(outDir, { recursive: true });
  writeFileSync(consoleFileIn(outDir), JSON.stringify(buildConsole(root)));
  bundle(entryPoints, outDir, catalogue, secretStore, sharing);
}

/** Makes the folders that the bundles would lie in: a template can be synthesized over empty ones. */
export function leaveUnbundled(outDir: string): void {
  for (const name of functionNames) mkdirSync(join(outDir, name), { recursive: true });
}

/**
 * Bundles entry points in one esbuild run, with the catalogue's present prices, and the client of the secrets' store.
 * Returns their sources.
 */
export function bundle(
  entryPoints: EntryPoint[],
  outDir: string,
  catalogue: Catalogue,
  secretStore: SecretStore = 'secrets-manager',
  sharing = false,
): Metafile {
  const catalogueFile = resolve(outDir, 'catalogue.json');
  mkdirSync(outDir, { recursive: true });
  writeFileSync(catalogueFile, JSON.stringify(catalogue));
  const build = (points: EntryPoint[]) =>
    buildSync({
      entryPoints: points,
      outdir: outDir,
      splitting: sharing,
      ...options(catalogueFile, outDir, secretReaders[secretStore]),
    });
  const functions = build(entryPoints).metafile;
  const started = processesOf(functions, outDir);
  const processes = started.length > 0 ? build(started).metafile : undefined;
  const metafile = {
    inputs: { ...functions.inputs, ...processes?.inputs },
    outputs: { ...functions.outputs, ...processes?.outputs },
  };
  copyCompanions(metafile);
  writeNotices(metafile, root);
  return metafile;
}

function options(catalogueFile: string, outDir: string, secretReader: string) {
  return {
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
    // Lambda puts a function's credentials into its environment. The SDK's search through profiles, SSO and
    // web identity would add a tenth of a megabyte that never runs.
    alias: {
      '#catalogue': catalogueFile,
      '#console': consoleFileIn(outDir),
      '#secret-store': join(root, secretReader),
      '@aws-sdk/credential-provider-node': join(
        root,
        'lib/stack/bundles/environment-credentials.ts',
      ),
      // linkedom takes the native canvas if there is one; pages are read without.
      canvas: join(root, 'node_modules/linkedom/commonjs/canvas-shim.cjs'),
    },
    banner: {
      js: "import{createRequire as quireRequire}from'node:module';const require=quireRequire(import.meta.url);",
    },
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  } satisfies BuildOptions;
}

/** Returns the processes that bundles start, each to be bundled into the folder of the bundle. */
function processesOf({ outputs }: Metafile, outDir: string): EntryPoint[] {
  return Object.entries(outputs).flatMap(([output, { inputs }]) =>
    Object.keys(inputs).flatMap((input) => {
      const file = processes[input];
      if (!file) return [];
      const folder = relative(outDir, join(root, dirname(output)));
      return { in: join(root, file), out: join(folder, basename(file, '.ts')) };
    }),
  );
}

function copyCompanions({ outputs }: Metafile): void {
  for (const [output, { inputs }] of Object.entries(outputs)) {
    for (const input of Object.keys(inputs)) {
      const module = input.split('node_modules/').at(-1) ?? input;
      for (const file of companions[module] ?? []) {
        copyFileSync(join(root, dirname(input), file), join(root, dirname(output), file));
      }
    }
  }
}
