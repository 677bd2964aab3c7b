import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { setting } from '../../config.ts';
import { ServiceError } from '../../http/errors.ts';
import { log } from '../../log.ts';
import { type Loss, lossOf } from './loss.ts';
import type { Reply } from './replies.ts';

/** A thread without a request is kept for as long: the next document needs no new one. */
const idleMs = 10_000;

/** The thread was stopped, or broke, over a request. What it knew is lost; the next request gets a new one. */
export class ThreadLostError extends Error {
  readonly loss: Loss;

  constructor(loss: Loss) {
    super(`A document's thread was lost: ${loss}`);
    this.loss = loss;
  }
}

/**
 * A thread that works on what strangers made. It runs one request at a time, has no credentials, and is stopped
 * if a request takes too long, or more memory than there is for it.
 */
export class DocumentThread<Request, Answer> {
  private readonly file: URL;
  private readonly heapMb: number;
  private readonly oneAtATime = pLimit(1);
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;

  /** `heapMb` bounds what JavaScript makes of a document; WebAssembly's memory has limits of its own. */
  constructor(file: URL, { heapMb }: { heapMb: number }) {
    this.file = file;
    this.heapMb = heapMb;
  }

  /**
   * Returns the thread's answer to a request, which may take so many milliseconds from when its turn comes. Throws
   * `ThreadLostError`, 422 if the document is refused, the reason of `signal`, and what else the thread threw.
   */
  ask(request: Request, ms: number, signal?: AbortSignal): Promise<Answer> {
    return this.oneAtATime(async () => {
      signal?.throwIfAborted();
      clearTimeout(this.idle);
      const worker = this.running();
      worker.ref();
      try {
        const reply = await replyOf<Answer>(worker, request, ms, signal);
        if (reply.isWornOut) await this.end();
        if ('refusal' in reply) {
          const { code, message } = reply.refusal;
          throw new ServiceError(422, code, message, { retryAfterSeconds: null });
        }
        return reply.answer;
      } catch (error) {
        if (!(error instanceof ServiceError)) await this.end();
        if (error instanceof ThreadLostError)
          log('warn', 'document thread lost', { loss: error.loss });
        throw error;
      } finally {
        worker.unref();
        this.idle = setTimeout(() => void this.end(), idleMs).unref();
      }
    });
  }

  /** Tells the thread something that has no answer, unless it has ended. */
  tell(request: Request): void {
    this.worker?.postMessage(request);
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
  }

  private running(): Worker {
    if (this.worker) return this.worker;
    const resourceLimits = { maxOldGenerationSizeMb: this.heapMb };
    // A thread that finds what was compiled before starts in half the time.
    const NODE_COMPILE_CACHE = setting('NODE_COMPILE_CACHE');
    const env = NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {};
    const worker = new Worker(this.file, { resourceLimits, env });
    this.worker = worker;
    // Errors are thrown to whoever asks; one that nobody waits for must not end the process.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.worker === worker) this.worker = undefined;
    });
    return worker;
  }
}

/** Returns where the code of a thread lies that stands beside a module: a bundle has it beside it as well. */
export function threadBeside(moduleUrl: string, name: string): URL {
  return new URL(`./${name}.${moduleUrl.endsWith('.ts') ? 'ts' : 'mjs'}`, moduleUrl);
}

async function replyOf<Answer>(worker: Worker, request: unknown, ms: number, signal?: AbortSignal) {
  const { promise, resolve, reject } =
    Promise.withResolvers<Exclude<Reply<Answer>, { loss: Loss }>>();
  const onMessage = (reply: Reply<Answer>) =>
    'loss' in reply ? reject(new ThreadLostError(reply.loss)) : resolve(reply);
  // libvips' own threads tell of an abort here.
  const onError = (error: NodeJS.ErrnoException) => {
    const loss = error?.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : lossOf(error);
    reject(loss ? new ThreadLostError(loss) : error);
  };
  const onExit = () => reject(new ThreadLostError('crash'));
  worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  const timer = setTimeout(() => reject(new ThreadLostError('time')), ms);
  try {
    worker.postMessage(request);
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    worker.off('message', onMessage).off('error', onError).off('exit', onExit);
  }
}
