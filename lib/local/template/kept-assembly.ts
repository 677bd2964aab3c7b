import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import {
  contextOf,
  givenAssembly,
  readAssembly,
  type StageSettings,
  type Synthesis,
  sourceRoot,
  synthesize,
} from './synthesize.ts';

/** What an assembly is made of, beside its settings: these files, and the sources in these folders. */
const sources = [
  'bin',
  'functions',
  'lib',
  'shared',
  'cdk.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  // The packages that npm has installed.
  'node_modules/.package-lock.json',
];

export interface KeptAssemblyOptions {
  /** The folder of the checkout. */
  root?: string;
  now?: Date;
  /** Called before a synthesis, which takes some seconds. */
  onSynthesis?: () => void;
}

/** How often an assembly is made anew because a source was saved meanwhile. */
const maxTries = 3;

/** Synthesizes the app, or takes today's assembly of the same sources and settings in `dir`. Throws like `synthesize`. */
export async function synthesizeOnce(
  dir: string,
  settings: StageSettings,
  { onSynthesis, ...options }: KeptAssemblyOptions = {},
): Promise<Synthesis> {
  const given = givenAssembly();
  if (given) return given;
  for (let tries = 1; ; tries += 1) {
    const name = assemblyName(settings, options);
    const outDir = join(dir, name);
    // A folder that was deleted in part has no manifest.
    if (fs.existsSync(join(outDir, 'manifest.json'))) return readAssembly(outDir);
    onSynthesis?.();
    const unnamed = await synthesizeUnnamed(dir, settings);
    // A file that was saved meanwhile may be in it or not.
    const isOfOneState = assemblyName(settings, options) === name;
    if (!isOfOneState && tries === maxTries) return unnamed;
    fs.rmSync(isOfOneState ? outDir : unnamed.assetsDir, { recursive: true, force: true });
    if (!isOfOneState) continue;
    fs.renameSync(unnamed.assetsDir, outDir);
    return readAssembly(outDir);
  }
}

/** Synthesizes into a new folder in `dir`: another one may be in use. */
async function synthesizeUnnamed(dir: string, settings: StageSettings): Promise<Synthesis> {
  fs.mkdirSync(dir, { recursive: true });
  const outDir = fs.mkdtempSync(join(dir, 'new-'));
  try {
    return await synthesize(outDir, settings);
  } catch (error) {
    fs.rmSync(outDir, { recursive: true, force: true });
    throw error;
  }
}

/** What a stage makes in the folder, or made before: assemblies, unnamed ones, and those that were being deleted. */
const madeHere = /^([0-9a-f]{16}|new-[a-zA-Z0-9]{6}|update-\d+)(\.old)?$/;

/** Deletes earlier assemblies in `dir`, and nothing else, as the folder may be the user's own. */
export function deleteOtherAssemblies(dir: string, { assetsDir }: Synthesis): void {
  if (dirname(assetsDir) !== dir) return;
  for (const name of fs.readdirSync(dir).filter((each) => madeHere.test(each))) {
    const path = join(dir, name);
    if (path === assetsDir) continue;
    // First, as without it what is left after a kill in the middle is no assembly.
    fs.rmSync(join(path, 'manifest.json'), { force: true });
    fs.rmSync(path, { recursive: true, force: true });
  }
}

/** Names an assembly by all that it is made of. The day is among that, as prices may change with it. */
export function assemblyName(
  settings: StageSettings,
  { root = sourceRoot, now = new Date() }: KeptAssemblyOptions = {},
): string {
  const hash = createHash('sha256');
  const day = now.toISOString().slice(0, 10);
  hash.update(JSON.stringify([contextOf(settings), settings.bundles, day]));
  const { catalogue = process.env['QUIRE_CATALOGUE'] } = settings;
  const files = sources.flatMap((source) => filesIn(join(root, source)));
  if (catalogue) files.push(...filesIn(resolve(catalogue)));
  for (const file of files) {
    const content = fs.readFileSync(file);
    hash.update(`\n${relative(root, file)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

/** What is code or data in a folder of sources; not an editor's swap file, nor a README. */
const sourceFile = /\.(tsx?|json|css)$/;

/** Lists a file, or the sources in a folder, in an order that is always the same; nothing if it is missing. */
function filesIn(path: string): string[] {
  const found = fs.statSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found ? [path] : [];
  return fs
    .readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => sourceFile.test(name))
    .sort()
    .map((name) => join(path, name));
}
