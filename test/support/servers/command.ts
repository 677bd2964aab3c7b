import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pLimit, { type LimitFunction } from 'p-limit';
import { isExhaustive } from '../run/cases.ts';
import type { Command } from './command-process.ts';

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
 * Runs an operator's command, such as `keys`, or a script by its path, in an environment without this machine's AWS
 * configuration. `home` is its home folder. In the exhaustive run it has a process of its own; in the quick one those of a
 * worker's tests share a process, where one runs after another: a start takes three times what most commands do. How far it
 * came meanwhile is left out of what it printed: it says so on a busy machine alone.
 */
export async function runCommand(
  program: string,
  home: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Exit> {
  const file = program.endsWith('.ts') ? program : `bin/${program}.ts`;
  const command = { file, args, env: { ...cleanEnvironment(home), ...env } };
  const exit = await (isExhaustive ? inOwnProcess(command) : inTurn(command));
  return { ...exit, stderr: exit.stderr.replaceAll(progressLine, '') };
}

/** A line of `lib/cli/progress.ts`, such as `tables restored: 3 of 9`. */
const progressLine = /^[a-z][\w ,:]*: \d+(?: of \d+)?\n/gm;

/** The environment of a command whose home folder is `home`. */
export const cleanEnvironment = (home: string) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  ...compileCache,
});

/** Runs a program in a process of its own, as one must be whose own programs print to what it prints to. */
export const inOwnProcess = ({ file, args, env }: Command) =>
  new Promise<Exit>((resolve) => {
    execFile(
      process.execPath,
      [file, ...args],
      { cwd: root, env, timeout: 100_000, maxBuffer: 16_000_000 },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });

declare global {
  /** It outlives the modules of a test file, as all of a worker does. */
  var commandProcess: { child: ChildProcess; turns: LimitFunction } | undefined;
}

function inTurn(command: Command): Promise<Exit> {
  globalThis.commandProcess ??= { child: newProcess(), turns: pLimit(1) };
  const { child, turns } = globalThis.commandProcess;
  return turns(async () => {
    const over = new AbortController();
    const events = ['message', 'exit'].map((name) => once(child, name, { signal: over.signal }));
    child.send(command);
    const [told] = await Promise.race(events);
    over.abort();
    if (typeof told !== 'object') {
      globalThis.commandProcess = undefined;
      throw new Error(`${command.file} has ended its process`);
    }
    return told;
  });
}

const newProcess = () =>
  fork(new URL('command-process.ts', import.meta.url), {
    cwd: root,
    env: compileCache,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
