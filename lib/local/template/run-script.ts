import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StageError } from '../stage-error.ts';
import { spawnWatched } from '../watched-process.ts';

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
