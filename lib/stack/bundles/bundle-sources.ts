import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';

/** Returns the folder of the functions' bundles in an assembly. */
export const bundlesIn = (assemblyDir: string) => join(assemblyDir, 'bundles');

/** By the name of each function, the files that its bundles are made of, relative to the checkout; without packages. */
export type BundleSources = Record<string, string[]>;

const sourcesFile = 'sources.json';

/**
 * Lists the sources of bundles in their folder, beside the functions' own folders. `starts` names the file of the process
 * that a module starts, which counts as imported.
 */
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

/**
 * Returns a file and all that it imports. What a bundle lists as its inputs would be too little: a file of which it has
 * no more than a constant is not among them.
 */
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
