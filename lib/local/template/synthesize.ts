import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OwnModels } from '../../../shared/models/own-models.ts';
import { bundlesIn } from '../../stack/bundles/folder.ts';
import { type SearchProvider, searchContext } from '../search-provider.ts';
import { StageError } from '../stage-error.ts';
import { spawnWatched } from '../watched-process.ts';
import { readTemplate, type Template } from './template.ts';

/** A synthesized stack: its template, and the folder that its assets lie in. */
export interface Synthesis {
  stackName: string;
  template: Template;
  assetsDir: string;
}

/** What the app is synthesized for, beside what `cdk.json` says. */
export interface StageSettings {
  /** What searches the web; by default the stage's own. */
  search?: SearchProvider;
  models?: OwnModels;
  /** The path of a catalogue; by default `QUIRE_CATALOGUE`, or else the service's own. */
  catalogue?: string | undefined;
  /** Whether functions are bundled beside the synthesis, and share code, which is soonest. By default the app bundles them. */
  bundles?: boolean;
  /** Other settings, by their names in `cdk.json`. */
  context?: Record<string, unknown>;
}

/** The catalogue's models, without any of one's own. */
const catalogueModels: OwnModels = { models: [] };

/** Returns the assembly that `QUIRE_ASSEMBLY` names; undefined if it is not set. Throws `StageError` if it names none. */
export function givenAssembly(): Synthesis | undefined {
  const assembly = process.env['QUIRE_ASSEMBLY'];
  if (!assembly) return undefined;
  try {
    return readAssembly(assembly);
  } catch (cause) {
    const { message } = cause as Error;
    throw new StageError(
      `QUIRE_ASSEMBLY names ${assembly}, which holds no synthesized app: ${message}\nnpm run synth makes one in cdk.out; without QUIRE_ASSEMBLY the stage makes its own.`,
      { cause },
    );
  }
}

/** Synthesizes the CDK app, or takes the assembly that `QUIRE_ASSEMBLY` names. Throws `StageError` with what the app says. */
export async function synthesize(outDir: string, settings: StageSettings = {}): Promise<Synthesis> {
  const given = givenAssembly();
  if (given) return given;
  const { catalogue, models = catalogueModels, bundles } = settings;
  const env = { ...process.env, ...(catalogue && { QUIRE_CATALOGUE: catalogue }) };
  const wanted = JSON.stringify({ outDir: bundlesIn(outDir), models });
  const bundling =
    bundles && runScript('bundle.ts', "The functions can't be bundled", { args: [wanted], env });
  const context = readContext();
  const synthesizing = runScript('app.ts', "The CDK app doesn't synthesize", {
    env: {
      ...env,
      CDK_OUTDIR: outDir,
      // `npm run synth` checks the template; here that would be a third of the start.
      CDK_VALIDATION: 'false',
      CDK_CONTEXT_JSON: JSON.stringify({
        ...context,
        ...contextOf(settings),
        'aws:cdk:enable-path-metadata': true,
        'aws:cdk:enable-asset-metadata': true,
        ...(bundles && { unbundled: true, 'aws:cdk:disable-asset-staging': true }),
      }),
    },
  });
  await Promise.all([synthesizing, bundling]);
  return readAssembly(outDir);
}

/** Returns the CDK context that `cdk.json` holds. Throws `StageError` if it is faulty. */
export function readContext(file = join(sourceRoot, 'cdk.json')): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).context;
  } catch (cause) {
    const { message } = cause as Error;
    throw new StageError(`${file} can't be read: ${message}. Correct it, and start again.`, {
      cause,
    });
  }
}

/** Returns the CDK context of settings; it goes before what `cdk.json` says. */
export function contextOf({
  search = { name: 'searxng' },
  models = catalogueModels,
  context,
}: StageSettings): Record<string, unknown> {
  return {
    ...searchContext(search),
    'quire:models': models.models,
    'quire:embeddingModels': models.embeddingModels ?? [],
    ...(models.url && { 'quire:modelsUrl': models.url }),
    ...context,
  };
}

/** Reads a synthesized assembly. */
export function readAssembly(outDir: string): Synthesis {
  const manifest = JSON.parse(readFileSync(join(outDir, 'manifest.json'), 'utf8'));
  const artifacts = Object.entries<{ type: string; properties: { templateFile: string } }>(
    manifest.artifacts,
  );
  const stack = artifacts.find(([, { type }]) => type === 'aws:cloudformation:stack');
  if (!stack) throw new StageError('The CDK app has no stack.');
  const [stackName, { properties }] = stack;
  return {
    stackName,
    template: readTemplate(join(outDir, properties.templateFile)),
    assetsDir: outDir,
  };
}

/** The folder of the sources: `bin/`, `functions/`, `lib/` and `shared/`. */
export const sourceRoot = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * esbuild's command collects no garbage, which takes a quarter of its time as a library. Below this limit it does the
 * same.
 */
const esbuildSettings = { GOGC: 'off', GOMEMLIMIT: '1500MiB' };

/** Runs a script of `bin/` in a process of its own, as a thread would leave its modules' 500 MB here. Throws `StageError`. */
export async function runScript(
  file: string,
  problem: string,
  { args = [], env = process.env }: { args?: string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<void> {
  const script = spawnWatched([process.execPath, join(sourceRoot, 'bin', file), ...args], {
    env: { ...esbuildSettings, ...env },
  });
  let output = '';
  script.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  // The process that watches over it keeps its output open too, and ends with this pipe.
  script.once('exit', () => script.stdio[3]?.destroy());
  const [exitCode] = await once(script, 'close');
  if (exitCode === 0) return;
  throw new StageError(`${problem}: ${output.trim() || `it ended with ${exitCode}`}`);
}
