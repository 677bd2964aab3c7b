import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** How a command ended, and what it printed. */
export interface Exit {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs an operator's command, such as `keys`, in an environment without anything of this machine's AWS
 * configuration. `home` is a folder that outlives it: what is compiled there spares most of the start.
 */
export function runCommand(
  program: string,
  home: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Exit> {
  const NODE_COMPILE_CACHE = join(home, 'compiled');
  const clean = { PATH: process.env['PATH'], HOME: home, NODE_COMPILE_CACHE, ...env };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [`bin/${program}.ts`, ...args],
      { cwd: root, env: clean, timeout: 30_000, maxBuffer: 16_000_000 },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}
