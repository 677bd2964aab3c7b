import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The environment by which processes of this checkout share what is compiled: it spares most of their start. */
export const compileCache = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/quire') };

/** How a command ended, and what it printed. */
export interface Exit {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs an operator's command, such as `keys`, in an environment without anything of this machine's AWS
 * configuration. `home` is its home folder.
 */
export function runCommand(
  program: string,
  home: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Exit> {
  const clean = { PATH: process.env['PATH'], HOME: home, ...compileCache, ...env };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [`bin/${program}.ts`, ...args],
      { cwd: root, env: clean, timeout: 30_000, maxBuffer: 16_000_000 },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}
