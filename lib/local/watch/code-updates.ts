import type { OwnModels } from '../../../shared/models/own-models.ts';
import type { Narrator } from '../narrator.ts';
import { searchProvider } from '../search-provider.ts';
import type { Stage } from '../stage/stage.ts';
import { StageError } from '../stage-error.ts';
import { synthesizeOnce } from '../template/kept-assembly.ts';
import { runScript, sourceRoot } from '../template/synthesize.ts';
import { FunctionUpdates } from './function-updates.ts';
import { SourceWatcher } from './source-watcher.ts';

/** The files that the functions' bundles are made of. */
const functionSource = /^(functions|shared|lib\/console)\/.*\.(tsx?|json|css)$/;
/** The files that the template and the stage itself are made of. Operators' commands and the console are not among them. */
const stageSource =
  /^(lib\/(?!cli\/|console\/).*\.ts|bin\/(app|bundle|catalogue-faults|first-key|local)\.ts|shared\/models\/catalogue\.json)$/;

export interface CodeUpdatesOptions {
  stage: Stage;
  /** A folder for new bundles and assemblies. A start deletes those of earlier stages. */
  deploymentDir: string;
  narrator: Narrator;
  models: OwnModels;
  /** Ends the stage and starts it again with its data, from the sources as they are then. */
  restart(): Promise<void>;
}

/**
 * Runs new code when a source changes: new bundles replace the old in the running stage; other changes restart it.
 * Code that can't be bundled, synthesized or loaded changes nothing.
 */
export function updateCodeOnChange(options: CodeUpdatesOptions): void {
  const { deploymentDir, narrator, models, restart } = options;
  const functions = new FunctionUpdates(options);
  // The stage runs what was there when its process began; what has changed since may be in it or not.
  const since = performance.timeOrigin;
  const folders = ['bin', 'functions', 'lib', 'shared'];
  new SourceWatcher({ root: sourceRoot, folders, since }, async (paths) => {
    const changed = paths.find((path) => stageSource.test(path));
    functions.note(paths.filter((path) => functionSource.test(path)));
    try {
      if (!changed) return await functions.replace();
      narrator.codeChanged(`${changed} has changed: the whole stage starts again`);
      await checkStart(deploymentDir, models);
      await restart();
    } catch (error) {
      const reason = error instanceof StageError ? error.message : (error as Error).stack;
      narrator.problem(`${reason}\nThe old code goes on running.`);
    }
  });
}

/** Throws if the stage would not start again. The start takes what was synthesized here. */
async function checkStart(deploymentDir: string, models: OwnModels): Promise<void> {
  await synthesizeOnce(deploymentDir, { search: searchProvider(), models, bundles: 'alone' });
  await runScript('local.ts', "The stage doesn't load", { args: ['--help'] });
}
