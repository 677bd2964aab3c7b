import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StageError } from '../stage-error.ts';

/** The folder of the sources: `bin/`, `functions/`, `lib/` and `shared/`. */
export const sourceRoot = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Runs a script of `bin/` to its end, in a process of its own: a thread would leave the memory of its modules, some 500 MB
 * of the CDK's, to this process. Throws `StageError` with the problem and what the script wrote to stderr if it fails.
 */
export async function runScript(
  file: string,
  problem: string,
  { args = [], env = process.env }: { args?: string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<void> {
  const script = spawn(process.execPath, [join(sourceRoot, 'bin', file), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  script.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const [exitCode, signal] = await once(script, 'close');
  if (exitCode === 0) return;
  throw new StageError(`${problem}: ${output.trim() || `it ended with ${signal ?? exitCode}`}`);
}
