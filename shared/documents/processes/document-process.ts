import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ServiceError } from '../../http/errors.ts';
import { log } from '../../log.ts';
import { type Loss, lossByEnd } from '../loss.ts';
import { type Reply, ready, refusal } from './answer-requests.ts';
import { Turns } from './key-turns.ts';
import {
  isRunning,
  keepAlive,
  type ProcessLimits,
  processorMsOf,
  startProcess,
} from './start-process.ts';

/** A slow page of one key keeps no other key waiting; more would take more memory than machines have. */
const maxProcesses = 2;

/** A process without a request is kept for as long: the next document needs no new one. */
const idleMs = 10_000;

/** A busy machine may leave a process waiting: it then gets its time three times. Five such pages still fit a worker's time. */
const maxTimes = 3;

/** The process was ended, or broke, over a request. What it knew is lost; the next request gets a new one. */
export class ProcessLostError extends Error {
  readonly loss: Loss;

  constructor(loss: Loss) {
    super(`A document's process was lost: ${loss}`);
    this.loss = loss;
  }
}

/** The options that all requests for one document share. */
export interface Reading {
  /** The id of the key that it is read for: keys take turns. */
  turn: string;
  /** Ends the reading. */
  signal?: AbortSignal | undefined;
  /** Is called when a turn comes. */
  onTurn?: (() => void) | undefined;
}

interface Lane {
  child?: ChildProcess | undefined;
  idle?: NodeJS.Timeout;
}

/**
 * A process that works on what strangers made, and a second one while two keys have requests. Each runs one request at a
 * time, has no credentials, and is killed if a request takes too long, or more memory than there is for it. Its end hurts
 * nobody else.
 */
export class DocumentProcess<Request, Answer> {
  private readonly file: URL;
  private readonly limits: ProcessLimits;
  private readonly turns = new Turns(maxProcesses);
  private readonly lanes: Lane[] = Array.from({ length: maxProcesses }, () => ({}));

  constructor(file: URL, limits: ProcessLimits) {
    this.file = file;
    this.limits = limits;
  }

  /**
   * Returns the process's answer to a request. The request may take `ms` milliseconds from its turn on, or three times as
   * many if the machine gives the process less than half of them. Throws `ProcessLostError`, 422 if the document is refused,
   * the reason of the reading's signal, and what else the process threw.
   */
  ask(request: Request, ms: number, { turn, signal, onTurn }: Reading): Promise<Answer> {
    const ask = async (number: number) => {
      const lane = this.lanes[number] as Lane;
      onTurn?.();
      clearTimeout(lane.idle);
      const isNew = lane.child === undefined;
      const child = lane.child ?? this.start(lane);
      keepAlive(child, true);
      try {
        const reply = await replyOf<Answer>(child, request, { ms, signal, isNew });
        if (reply.isWornOut) await endChild(lane);
        if ('refusal' in reply) throw refusal(reply.refusal);
        return reply.answer;
      } catch (error) {
        if (!(error instanceof ServiceError)) await endChild(lane);
        if (error instanceof ProcessLostError)
          log('warn', 'document process lost', { loss: error.loss });
        throw error;
      } finally {
        keepAlive(child, false);
        lane.idle = setTimeout(() => void endChild(lane), idleMs).unref();
      }
    };
    return this.turns.run(turn, ask, signal);
  }

  /**
   * Asks as `ask` does, and once more if the process is lost: the machine may have been at fault, or an earlier request.
   * What has used up its time would use it up again. `beforeTry` may throw to refuse a try.
   */
  async askTwice(
    request: Request,
    ms: number,
    reading: Reading,
    beforeTry = () => {},
  ): Promise<Answer> {
    beforeTry();
    try {
      return await this.ask(request, ms, reading);
    } catch (error) {
      if (!(error instanceof ProcessLostError) || error.loss === 'time') throw error;
      beforeTry();
      return this.ask(request, ms, reading);
    }
  }

  /** Tells the processes something that has no answer. */
  tell(request: Request): void {
    for (const { child } of this.lanes) if (child) send(child, request);
  }

  /** Ends the processes, also busy ones. */
  async end(): Promise<void> {
    await Promise.all(this.lanes.map(endChild));
  }

  private start(lane: Lane): ChildProcess {
    const child = startProcess(this.file, this.limits);
    lane.child = child;
    child.once('exit', () => {
      if (lane.child === child) lane.child = undefined;
    });
    return child;
  }
}

async function endChild(lane: Lane): Promise<void> {
  const { child } = lane;
  lane.child = undefined;
  if (!child || !isRunning(child)) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
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
  let workedMs = processorMsOf(child);
  let times = 1;
  const onTime = () => {
    const hasWaited = processorMsOf(child) - workedMs < ms / 2;
    if (!hasWaited || times === maxTimes) return reject(new ProcessLostError('time'));
    times += 1;
    timer.refresh();
  };
  const timer = setTimeout(onTime, ms);
  const onMessage = (reply: Reply<Answer> | typeof ready) => {
    // A process that a document has taken over may send anything.
    if (typeof reply !== 'object' && reply !== ready) reject(new ProcessLostError('crash'));
    else if (reply === null) reject(new ProcessLostError('crash'));
    else if (reply === ready) {
      isReady = true;
      workedMs = processorMsOf(child);
      timer.refresh();
    } else if ('loss' in reply) reject(new ProcessLostError(reply.loss));
    else if ('fault' in reply) reject(reply.fault);
    else resolve(reply);
  };
  const onEnd = () => {
    // Its last messages may be read after it has ended.
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
