import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnModels } from '../../../shared/models/own-models.ts';
import type { Narrator } from '../narrator.ts';
import type { Stage } from '../stage.ts';
import { StageError } from '../stage-error.ts';
import { synthesizeOnce } from '../template/kept-assembly.ts';
import { runScript, sourceRoot } from '../template/run-script.ts';
import { bundle } from '../template/synthesize.ts';
import { searchProvider } from '../web/search-provider.ts';
import { SourceWatcher } from './source-watcher.ts';

/** The files that the functions' bundles are made of. */
const functionSource = /^(functions|shared|lib\/console)\/.*\.(tsx?|json|css)$/;
/** The files that the template and the stage itself are made of. Operators' commands and the console are not among them. */
const stageSource =
  /^(lib\/(?!cli\/|console\/).*\.ts|bin\/(app|bundle|local)\.ts|shared\/models\/catalogue\.json)$/;

export interface CodeUpdatesOptions {
  stage: Stage;
  /** A folder for new bundles and assemblies. A start deletes all but its own. */
  deploymentDir: string;
  narrator: Narrator;
  models: OwnModels;
  /** Ends the stage and starts it again with its data, from the sources as they are then. */
  restart(): Promise<void>;
}

/**
 * Runs new code whenever a source file changes. New bundles replace the functions' old ones in the running
 * stage; a change of the template or of the stage itself restarts it. If the new code can't be bundled,
 * synthesized or loaded, the old code goes on running.
 */
export function updateCodeOnChange(options: CodeUpdatesOptions): void {
  const { deploymentDir, narrator, models, restart } = options;
  let updates = 0;
  const newBundlesDir = () => join(deploymentDir, `update-${++updates}`);
  new SourceWatcher(sourceRoot, ['bin', 'functions', 'lib', 'shared'], async (paths) => {
    const changed = paths.find((path) => stageSource.test(path));
    if (!changed && !paths.some((path) => functionSource.test(path))) return;
    try {
      if (!changed) return await replaceFunctions(options, newBundlesDir());
      narrator.codeChanged(`${changed} has changed: the whole stage starts again`);
      await checkStart(deploymentDir, models);
      await restart();
    } catch (error) {
      const reason = error instanceof StageError ? error.message : (error as Error).stack;
      narrator.problem(`${reason}\nThe old code goes on running.`);
    }
  });
}

async function replaceFunctions({ stage, narrator, models }: CodeUpdatesOptions, outDir: string) {
  const startedAt = performance.now();
  await bundle(outDir, models);
  const names = await stage.replaceCode(outDir);
  for (const name of readdirSync(outDir)) {
    if (!names.includes(name)) rmSync(join(outDir, name), { recursive: true });
  }
  const tookMs = Math.round(performance.now() - startedAt);
  narrator.codeChanged(`${namesOrCount(names)} again, ${tookMs} ms`);
}

const namesOrCount = (names: string[]) =>
  names.length > 0 && names.length <= 3 ? names.join(', ') : `${names.length} functions`;

/**
 * Throws if the stage would not start again: its template must synthesize, and its own modules load. The start takes what
 * was synthesized here.
 */
async function checkStart(deploymentDir: string, models: OwnModels): Promise<void> {
  await synthesizeOnce(deploymentDir, { search: searchProvider(), models });
  await runScript('local.ts', "The stage doesn't load", { args: ['--help'] });
}
