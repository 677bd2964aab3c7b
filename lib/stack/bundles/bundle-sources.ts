import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';

/** Returns the folder of the functions' bundles in an assembly. */
export const bundlesIn = (assemblyDir: string) => join(assemblyDir, 'bundles');

/** By the name of each function, the files that its bundles are made of, relative to the checkout; without packages. */
export type BundleSources = Record<string, string[]>;

const sourcesFile = 'sources.json';

/** Lists bundles' sources beside the functions' folders. `starts` names the process's file that a module starts. */
export function writeBundleSources(
  bundlesDir: string,
  { inputs, outputs }: Metafile,
  starts: Record<string, string> = {},
): void {
  const sources: BundleSources = {};
  const started = new Set(Object.values(starts));
  for (const [output, { entryPoint }] of Object.entries(outputs)) {
    if (!entryPoint || started.has(entryPoint)) continue;
    sources[basename(dirname(output))] = [...importedFrom(entryPoint, inputs, starts)];
  }
  writeFileSync(join(bundlesDir, sourcesFile), JSON.stringify(sources));
}

/** Returns a file and all that it imports. A bundle's own inputs lack files of which it has only a constant. */
function importedFrom(
  entryPoint: string,
  inputs: Metafile['inputs'],
  starts: Record<string, string>,
): Set<string> {
  const files = new Set([entryPoint]);
  for (const file of files) {
    const started = starts[file];
    if (started) files.add(started);
    for (const { path } of inputs[file]?.imports ?? []) {
      if (!path.includes('node_modules/')) files.add(path);
    }
  }
  return files;
}

/** Reads what `writeBundleSources` has written. */
export const readBundleSources = (bundlesDir: string): BundleSources =>
  JSON.parse(readFileSync(join(bundlesDir, sourcesFile), 'utf8'));
