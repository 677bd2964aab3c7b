import '../light-http.ts';

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { searchProvider } from '../search-provider.ts';
import { StageError } from '../stage-error.ts';
import { deleteOtherAssemblies, synthesizeOnce } from '../template/kept-assembly.ts';
import type { Synthesis } from '../template/synthesize.ts';
import type { Closer, Stage, StageOptions } from './stage.ts';

/** Deploys the synthesized template on this machine, and runs it until it is closed. Throws `StageError`. */
export async function startStage(options: StageOptions): Promise<Stage> {
  const closers: Closer[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const lock = lockFolder(options.dataDir);
    closers.push(() => lock.close());
    const synthesizing = synthesize(options);
    // The error is thrown where the synthesis is awaited.
    synthesizing.catch(() => {});
    // More than the synthesis needs, which takes longest and so begins before it.
    const { deploy } = await import('./stage.ts');
    return { ...(await deploy(options, synthesizing, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function synthesize({
  dataDir,
  models,
  context,
  narrator,
}: StageOptions): Promise<Synthesis> {
  // A start deletes the assemblies of earlier ones.
  const dir = join(dataDir, 'deployment');
  const synthesis = await synthesizeOnce(
    dir,
    { search: searchProvider(), models, bundles: true, ...(context && { context }) },
    {
      onSynthesis: () =>
        narrator.tell('start', 'synthesizing the stack from its sources: some seconds'),
    },
  );
  deleteOtherAssemblies(dir, synthesis);
  return synthesis;
}

/**
 * Makes a stage's own folder if it is missing, and locks it until the lock is closed or the stage ends, however it ends.
 * Throws `StageError` if the folder can't be used, or is used by another stage.
 */
export function lockFolder(path: string): DatabaseSync {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    // SQLite's lock ends with the process that holds it; a mere file would outlive a SIGKILL.
    const lock = new DatabaseSync(join(path, 'stage.lock'));
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT;');
    return lock;
  } catch (cause) {
    if (!String(cause).includes('locked')) {
      const reason = (cause as Error).message;
      throw new StageError(`The data folder ${path} can't be used: ${reason}.`, { cause });
    }
    const advice = 'stop it first, or give this one another folder with --data';
    throw new StageError(`Another stage runs on ${path}: ${advice}.`, { cause });
  }
}
