import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { StageError } from '../stage-error.ts';

/** The folder of the sources: `bin/`, `functions/`, `lib/` and `shared/`. */
export const sourceRoot = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Runs a script of `bin/` to its end in a thread, which loads every module anew and leaves no memory behind.
 * Throws `StageError` with the problem and what the script wrote to stderr if it fails.
 */
export async function runScript(
  file: string,
  problem: string,
  options: WorkerOptions = {},
): Promise<void> {
  const script = new Worker(join(sourceRoot, 'bin', file), { ...options, stderr: true });
  let output = '';
  script.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const exitCode = await new Promise<number>((resolve, reject) => {
    script.once('exit', resolve).once('error', reject);
  });
  if (exitCode !== 0) throw new StageError(`${problem}: ${output.trim()}`);
}
