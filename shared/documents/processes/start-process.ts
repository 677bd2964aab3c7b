import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setting } from '../../config.ts';

/** The bounds of a process beside the time of each request. */
export interface ProcessLimits {
  /** Bounds what JavaScript makes of a document; WebAssembly's memory has limits of its own. */
  heapMb: number;
  /** The processor time after which the kernel kills it, even if its parent has died. */
  cpuSeconds?: number;
}

/** Returns the URL of a process's code, which lies beside a module, or beside the bundle of that module. */
export function processBeside(moduleUrl: string, name: string): URL {
  return new URL(`./${name}.${moduleUrl.endsWith('.ts') ? 'ts' : 'mjs'}`, moduleUrl);
}

/** More than a worn-out process has taken when it ends (`answer-requests.ts`), after its longest request. */
const maxCpuSeconds = 240;

/** Starts the code of a file in a process of its own, without credentials. */
export function startProcess(
  file: URL,
  { heapMb, cpuSeconds = maxCpuSeconds }: ProcessLimits,
): ChildProcess {
  // Node can't set these limits, and a shell can. A core file would have the document in it.
  const limited = `ulimit -c 0; ulimit -t ${cpuSeconds}; exec "$0" "$@"`;
  const child = fork(file, {
    execPath: '/bin/sh',
    execArgv: ['-c', limited, process.execPath, `--max-old-space-size=${heapMb}`],
    // This process's environment has credentials. Lambda's Node may need the path; compiled code is used again.
    env: {
      TZ: 'UTC',
      LD_LIBRARY_PATH: setting('LD_LIBRARY_PATH') || undefined,
      NODE_COMPILE_CACHE: setting('NODE_COMPILE_CACHE') || undefined,
    },
    serialization: 'advanced',
    // V8's output when it aborts may have words of the document.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Ctrl-C in a terminal goes to a whole process group, and this process may have jobs to end first.
    detached: true,
  });
  // The request fails as well; an error without a listener would end this process.
  child.on('error', () => {});
  return child;
}

/** Whether a process has been started, and not ended. */
export const isRunning = ({ pid, exitCode, signalCode }: ChildProcess) =>
  pid !== undefined && exitCode === null && signalCode === null;

/** Returns the processor time that a process has taken, in ms; infinity where the system doesn't tell. Linux alone does. */
export function processorMsOf({ pid }: ChildProcess): number {
  try {
    // The fields after the process's name: user time is the 12th field, system time the 13th, in hundredths of a second.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Has a process keep this one from ending by itself, or not. */
export function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  for (const handle of [child, child.channel]) {
    if (isNeeded) handle?.ref();
    else handle?.unref();
  }
}
