import { fork } from 'node:child_process';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { credentials } from '../engines/client-config.ts';
import type { Narrator } from '../narrator.ts';
import type { Permissions } from '../permissions/policies.ts';
import { region } from '../template/resource-names.ts';
import type { RuntimeMessage, SandboxMessage } from './invocation.ts';

/** What a function needs to run: its bundle, its environment, its permissions and its limits. */
export interface FunctionConfig {
  name: string;
  arn: string;
  codeDir: string;
  handler: string;
  environment: Record<string, string>;
  permissions: Permissions;
  timeoutMs: number;
  memoryMb: number;
  /** The most processes that run it at once; without any, it runs in a thread of this process. */
  maxProcesses?: number | undefined;
}

/** What runs a function's code: a thread of this process, or a process of its own. */
export interface Runtime extends Record<'stdout' | 'stderr', Readable> {
  post(message: SandboxMessage): void;
  kill(): unknown;
  /** Reports its messages, an uncaught exception, and that no message reaches it any more. */
  on(event: 'message', listen: (message: RuntimeMessage) => void): unknown;
  on(event: 'error', listen: (error: Error) => void): unknown;
  on(event: 'disconnect', listen: () => void): unknown;
  /** Resolves once it has ended, and all that it said was read, with its exit code or the signal that killed it. */
  ended: Promise<string>;
}

const file = new URL('./function-runtime.ts', import.meta.url);

/** Starts a function's code, in a process of its own if its configuration says so. */
export const startRuntime = (config: FunctionConfig, narrator: Narrator): Runtime =>
  (config.maxProcesses ? startProcess : startThread)(config, environmentOf(config, narrator));

function startThread(config: FunctionConfig, env: NodeJS.ProcessEnv): Runtime {
  const thread = new Worker(file, {
    name: config.name,
    env,
    workerData: runtimeDataOf(config),
    resourceLimits: { maxOldGenerationSizeMb: config.memoryMb },
    stdout: true,
    stderr: true,
  });
  return Object.assign(thread, {
    post: (message: SandboxMessage) => thread.postMessage(message),
    kill: () => thread.terminate(),
    ended: new Promise<string>((resolve) => thread.once('exit', (code) => resolve(`code ${code}`))),
  });
}

/** V8 aborts a process whose heap is full, and the system would write a core file of all its memory. */
function startProcess(config: FunctionConfig, env: NodeJS.ProcessEnv): Runtime {
  const child = fork(file, [config.name], {
    execPath: '/bin/sh',
    execArgv: [
      ...['-c', 'ulimit -c 0; exec "$0" "$@"', process.execPath],
      `--max-old-space-size=${config.memoryMb}`,
    ],
    env,
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Ctrl-C is for the stage, which lets its functions end first.
    detached: true,
  });
  const post = (message: object | string) => child.send(message, () => {});
  post(runtimeDataOf(config));
  const kill = child.kill.bind(child, 'SIGKILL');
  return Object.assign(child as typeof child & Record<'stdout' | 'stderr', Readable>, {
    post,
    kill,
    ended: new Promise<string>((resolve) =>
      child.once('close', (code, signal) => resolve(signal ?? `code ${code}`)),
    ),
  });
}

/** What a test's instrument reads of the stage's own environment. */
const instrumentEnvironment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^QUIRE_(INSTRUMENT|CALL|USED)/.test(name)),
  );

function environmentOf(
  { name, codeDir, environment, permissions, memoryMb }: FunctionConfig,
  { wantsMetrics }: Narrator,
): NodeJS.ProcessEnv {
  return {
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_REGION: region,
    LAMBDA_TASK_ROOT: codeDir,
    TZ: ':UTC',
    POWERTOOLS_METRICS_DISABLED: String(!wantsMetrics),
    // The cache lies beside the bundles, so that it is deleted with them.
    NODE_COMPILE_CACHE: join(dirname(codeDir), 'compiled'),
    ...instrumentEnvironment(),
    ...environment,
    AWS_ACCESS_KEY_ID: permissions.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
}

const runtimeDataOf = ({ name, arn, codeDir, handler, permissions, memoryMb }: FunctionConfig) => ({
  bundle: bundleIn(codeDir, handler),
  exportName: handler.split('.')[1],
  name,
  arn,
  memoryMb,
  permissions,
});

/** Returns the file of a handler such as `index.handler`. */
const bundleIn = (codeDir: string, handler: string) =>
  join(codeDir, `${handler.split('.')[0]}.mjs`);
