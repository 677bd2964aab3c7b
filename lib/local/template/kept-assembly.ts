import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { sourceRoot } from './run-script.ts';
import {
  contextOf,
  readAssembly,
  type StageSettings,
  type Synthesis,
  synthesize,
} from './synthesize.ts';

/** What an assembly is made of, beside its settings: these files, and those in these folders. */
const sources = [
  'bin',
  'functions',
  'lib',
  'shared',
  'cdk.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  // What npm has installed.
  'node_modules/.package-lock.json',
];

export interface KeptAssemblyOptions {
  /** The folder of the checkout. */
  root?: string;
  now?: Date;
  /** Called before a synthesis, which takes some seconds. */
  onSynthesis?: () => void;
}

/**
 * Synthesizes the app into a folder of its own in `dir`, unless one is kept there that was made of the same sources and
 * settings on the same day. Throws like `synthesize`.
 */
export async function synthesizeOnce(
  dir: string,
  settings: StageSettings,
  { onSynthesis, ...options }: KeptAssemblyOptions = {},
): Promise<Synthesis> {
  const assembly = process.env['QUIRE_ASSEMBLY'];
  if (assembly) return readAssembly(assembly);
  const name = assemblyName(settings, options);
  const outDir = join(dir, name);
  if (existsSync(outDir)) return readAssembly(outDir);
  onSynthesis?.();
  const unnamed = join(dir, 'new');
  rmSync(unnamed, { recursive: true, force: true });
  const synthesis = await synthesize(unnamed, settings);
  // A file that was saved meanwhile may be in it or not.
  if (assemblyName(settings, options) !== name) return synthesis;
  renameSync(unnamed, outDir);
  return readAssembly(outDir);
}

/** Deletes all that lies in `dir` but this assembly. */
export function deleteOtherAssemblies(dir: string, { assetsDir }: Synthesis): void {
  if (!existsSync(dir)) return;
  for (const name of readdirSync(dir)) {
    const path = resolve(dir, name);
    if (path !== resolve(assetsDir)) rmSync(path, { recursive: true, force: true });
  }
}

/** Names an assembly by all that it is made of. The day is among that, as prices may change with it. */
export function assemblyName(
  settings: StageSettings,
  { root = sourceRoot, now = new Date() }: KeptAssemblyOptions = {},
): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([contextOf(settings), now.toISOString().slice(0, 10)]));
  const { catalogue = process.env['QUIRE_CATALOGUE'] } = settings;
  const files = sources.flatMap((source) => filesIn(join(root, source)));
  if (catalogue) files.push(...filesIn(resolve(catalogue)));
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`\n${relative(root, file)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Lists a file, or all files in a folder, in an order that is always the same; nothing if it is missing. */
function filesIn(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found ? [path] : [];
  const names = readdirSync(path).sort();
  return names.flatMap((name) => filesIn(join(path, name)));
}
