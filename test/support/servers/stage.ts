import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readStageFile, type StageFile } from '../../../lib/local/stage-file.ts';
import { instrumented } from '../instrument/instrumented.ts';
import { isTestRun, shared } from '../run/shared.ts';
import { compileCache } from './command.ts';
import { providerKey } from './test-catalogue.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface TestStageOptions {
  dataDir?: string;
  memory?: boolean;
  port?: number;
  /** More of its options. */
  args?: string[];
  /** The folder of its sources; by default this checkout. */
  sourceRoot?: string;
  /** Beside PATH and HOME: no provider's key of the machine's leaks in. */
  env?: Record<string, string>;
}

/** A local stage in a process of its own, as `npm start` makes it. */
export interface TestStage extends StageFile {
  dataDir: string;
  process: ChildProcess;
  /** What it has printed so far. */
  lines: readonly string[];
  /** Ends the process by a signal and waits until it is gone; the data stays. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

/** Starts a stage on a free port and a folder of its own, and waits until it is ready. */
export async function startTestStage(options: TestStageOptions = {}): Promise<TestStage> {
  const dataDir = options.dataDir ?? newDataDir();
  const { process: child, lines, ready } = await spawnStage(dataDir, options);
  await ready;
  const file = readStageFile(dataDir);
  if (!file) throw new Error(`no stage.json in ${dataDir}`);
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  return {
    ...file,
    dataDir,
    process: child,
    lines,
    kill,
    close: async () => {
      await kill('SIGKILL');
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

const machineEnv = () => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  NO_COLOR: '1',
  // A lease holds for a second what its calls didn't need, and tests compare what is held.
  LEASES: 'off',
  ...compileCache,
  ...(process.env['QUIRE_USED_GRANTS'] &&
    instrumented({ grants: process.env['QUIRE_USED_GRANTS'] })),
});

/** What is compiled of other sources goes with their folder, not into the checkout's cache. */
const ownCacheIn = (sourceRoot?: string) =>
  sourceRoot ? { NODE_COMPILE_CACHE: join(sourceRoot, '.compiled') } : {};

/** The run's assembly, unless the environment names another one. */
async function assemblyEnv(env: TestStageOptions['env']): Promise<Record<string, string>> {
  const isOwn = env?.['QUIRE_ASSEMBLY'] !== undefined;
  return isTestRun() && !isOwn ? { QUIRE_ASSEMBLY: await shared('assembly') } : {};
}

/** The environment of a stage with the test models. */
export const chatStageEnv = async () => ({
  OPENAI_API_KEY: providerKey,
  QUIRE_ASSEMBLY: (await shared('chatAssembly')).assembly,
});

/** A new empty folder for a stage's data. */
export const newDataDir = () => mkdtempSync(join(tmpdir(), 'quire-test-'));

/** Spawns `bin/local.ts`; `ready` rejects with all it printed if it exits before it is. */
async function spawnStage(dataDir: string, options: TestStageOptions) {
  const { memory, port = 0, args = [], sourceRoot = root, env } = options;
  const memoryArgs = memory ? ['--memory'] : [];
  const child = spawn(
    process.execPath,
    ['bin/local.ts', '--port', String(port), '--data', dataDir, ...memoryArgs, ...args],
    {
      cwd: sourceRoot,
      env: {
        ...machineEnv(),
        ...ownCacheIn(options.sourceRoot),
        ...(await assemblyEnv(env)),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const lines: string[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        lines.push(line);
        if (line.startsWith('Ctrl-C')) resolve();
      });
    }
    child.once('close', (code) => reject(new Error(`exit ${code}: ${lines.join('\n')}`)));
  });
  ready.catch(() => {});
  return { process: child, lines, ready };
}
