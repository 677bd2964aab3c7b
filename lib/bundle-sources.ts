import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';

/** Returns the folder of the functions' bundles in an assembly. */
export const bundlesIn = (assemblyDir: string) => join(assemblyDir, 'bundles');

/** By the name of each function, the files that its bundles are made of, relative to the checkout. */
export type BundleSources = Record<string, string[]>;

const sourcesFile = 'sources.json';

/** Lists the sources of bundles in their folder, beside the functions' own folders. */
export function writeBundleSources(bundlesDir: string, { outputs }: Metafile): void {
  const sources: BundleSources = {};
  for (const [output, { inputs }] of Object.entries(outputs)) {
    if (!output.endsWith('.mjs')) continue;
    const name = basename(dirname(output));
    sources[name] = [...(sources[name] ?? []), ...Object.keys(inputs)];
  }
  writeFileSync(join(bundlesDir, sourcesFile), JSON.stringify(sources));
}

/** Reads what `writeBundleSources` has written. */
export const readBundleSources = (bundlesDir: string): BundleSources =>
  JSON.parse(readFileSync(join(bundlesDir, sourcesFile), 'utf8'));
