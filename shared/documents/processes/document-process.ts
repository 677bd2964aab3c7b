import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setting } from '../../config.ts';
import { ServiceError } from '../../http/errors.ts';
import { log } from '../../log.ts';
import { type Reply, ready } from './answer-requests.ts';
import { type Loss, lossByEnd } from './loss.ts';
import { Turns } from './turns.ts';

/** A process without a request is kept for as long: the next document needs no new one. */
const idleMs = 10_000;

/** The process was ended, or broke, over a request. What it knew is lost; the next request gets a new one. */
export class ProcessLostError extends Error {
  readonly loss: Loss;

  constructor(loss: Loss) {
    super(`A document's process was lost: ${loss}`);
    this.loss = loss;
  }
}

/** What the requests for one document have in common. */
export interface Reading {
  /** The id of the key that it is read for: keys take turns. */
  turn: string;
  /** Ends the reading. */
  signal?: AbortSignal | undefined;
  /** Is called when a turn comes. */
  onTurn?: (() => void) | undefined;
}

/** What bounds a process beside the time of each request. */
export interface ProcessLimits {
  /** Bounds what JavaScript makes of a document; WebAssembly's memory has limits of its own. */
  heapMb: number;
  /** After so much processor time the kernel kills it, also where nobody is left who would. */
  cpuSeconds?: number;
}

/**
 * A process that works on what strangers made. It runs one request at a time, has no credentials, and is killed if a
 * request takes too long, or more memory than there is for it: the end of it is nobody else's.
 */
export class DocumentProcess<Request, Answer> {
  private readonly file: URL;
  private readonly limits: ProcessLimits;
  private readonly turns = new Turns();
  private child: ChildProcess | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(file: URL, limits: ProcessLimits) {
    this.file = file;
    this.limits = limits;
  }

  /**
   * Returns the process's answer to a request, which may take so many milliseconds from when its turn comes. Throws
   * `ProcessLostError`, 422 if the document is refused, the reason of the reading's signal, and what else the process
   * threw.
   */
  ask(request: Request, ms: number, { turn, signal, onTurn }: Reading): Promise<Answer> {
    const ask = async () => {
      onTurn?.();
      clearTimeout(this.idle);
      const isNew = this.child === undefined;
      const child = this.child ?? this.start();
      keepAlive(child, true);
      try {
        const reply = await replyOf<Answer>(child, request, { ms, signal, isNew });
        if (reply.isWornOut) await this.end();
        if ('refusal' in reply) {
          const { code, message } = reply.refusal;
          throw new ServiceError(422, code, message, { retryAfterSeconds: null });
        }
        return reply.answer;
      } catch (error) {
        if (!(error instanceof ServiceError)) await this.end();
        if (error instanceof ProcessLostError)
          log('warn', 'document process lost', { loss: error.loss });
        throw error;
      } finally {
        keepAlive(child, false);
        this.idle = setTimeout(() => void this.end(), idleMs).unref();
      }
    };
    return this.turns.run(turn, ask, signal);
  }

  /** Tells the process something that has no answer, unless it has ended. */
  tell(request: Request): void {
    if (this.child) send(this.child, request);
  }

  /** Ends the process, whatever it does. */
  async end(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || !isRunning(child)) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  private start(): ChildProcess {
    const child = startProcess(this.file, this.limits);
    this.child = child;
    child.once('exit', () => {
      if (this.child === child) this.child = undefined;
    });
    return child;
  }
}

/** Returns where the code of a process lies that stands beside a module: a bundle has it beside it as well. */
export function processBeside(moduleUrl: string, name: string): URL {
  return new URL(`./${name}.${moduleUrl.endsWith('.ts') ? 'ts' : 'mjs'}`, moduleUrl);
}

/** More than a process takes that is ended when it is worn out (`answer-requests.ts`) and its longest request after that. */
const mostCpuSeconds = 240;

function startProcess(file: URL, { heapMb, cpuSeconds = mostCpuSeconds }: ProcessLimits) {
  // Node can't set these limits, and a shell can. A core file would have the document in it.
  const limited = `ulimit -c 0; ulimit -t ${cpuSeconds}; exec "$0" "$@"`;
  const child = fork(file, {
    execPath: '/bin/sh',
    execArgv: ['-c', limited, process.execPath, `--max-old-space-size=${heapMb}`],
    env: environment(),
    serialization: 'advanced',
    // What V8 writes when it aborts may have words of the document.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Whoever asks hears of it as well; an error that nobody waits for must not end this process.
  child.on('error', () => {});
  return child;
}

/** What a process needs of this one's environment, which has credentials. */
function environment(): NodeJS.ProcessEnv {
  // Lambda's Node may find its libraries by the path. What was compiled before need not be compiled anew.
  const names = ['LD_LIBRARY_PATH', 'NODE_COMPILE_CACHE'] as const;
  const given = names.flatMap((name) => {
    const value = setting(name);
    return value ? [[name, value]] : [];
  });
  return { TZ: 'UTC', ...Object.fromEntries(given) };
}

/** Whether a process has been started, and not ended. */
const isRunning = ({ pid, exitCode, signalCode }: ChildProcess) =>
  pid !== undefined && exitCode === null && signalCode === null;

/** Has a process keep this one from ending by itself, or not. */
function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  for (const handle of [child, child.channel]) {
    if (isNeeded) handle?.ref();
    else handle?.unref();
  }
}

/** Sends a message. That a process is gone is told by its end. */
const send = (child: ChildProcess, message: unknown) => child.send(message as object, () => {});

interface Asking {
  ms: number;
  signal: AbortSignal | undefined;
  /** Whether the process has just been started. One that ends before it is ready has not seen the document. */
  isNew: boolean;
}

async function replyOf<Answer>(child: ChildProcess, request: unknown, asking: Asking) {
  const { ms, signal } = asking;
  const { promise, resolve, reject } =
    Promise.withResolvers<Extract<Reply<Answer>, { isWornOut: boolean }>>();
  let isReady = !asking.isNew;
  const timer = setTimeout(() => reject(new ProcessLostError('time')), ms);
  const onMessage = (reply: Reply<Answer> | typeof ready) => {
    if (reply === ready) {
      isReady = true;
      timer.refresh();
    } else if ('loss' in reply) reject(new ProcessLostError(reply.loss));
    else if ('fault' in reply) reject(reply.fault);
    else resolve(reply);
  };
  const onEnd = () => {
    // What it said last may be read after it has ended.
    if (child.connected || isRunning(child)) return;
    const { signalCode, exitCode } = child;
    const didNotStart = `A process for documents ended before it was ready: ${signalCode ?? exitCode}`;
    reject(isReady ? new ProcessLostError(lossByEnd(signalCode)) : new Error(didNotStart));
  };
  child.on('message', onMessage).on('error', reject).on('exit', onEnd).on('disconnect', onEnd);
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  try {
    send(child, request);
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    child.off('message', onMessage).off('error', reject).off('exit', onEnd);
    child.off('disconnect', onEnd);
  }
}
