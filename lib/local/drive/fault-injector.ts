import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answersError, errorOf, type Fault } from './fault.ts';

/** Makes requests fail for tests. */
export class FaultInjector {
  private planned: (Fault & { times: number })[] = [];
  private readonly struck = new WeakMap<FastifyRequest, Fault>();

  add(...faults: Fault[]): void {
    this.planned.push(...faults.map((fault) => ({ times: 1, ...fault })));
  }

  /** Drops the faults that are still to come. */
  clear(): void {
    this.planned = [];
  }

  /** Adds the hooks. They must be the first, so that a fault may strike any request. */
  addTo(app: FastifyInstance): void {
    app.addHook('onRequest', (request, reply) => this.strike(request, reply));
    app.addHook('onSend', async (request, reply, payload) => this.spoil(request, reply, payload));
  }

  /** Returns a request's body, cut if its fault cuts uploads. */
  bodyOf(request: FastifyRequest, body: Readable): Readable {
    const { cutAfterBytes } = this.struck.get(request) ?? {};
    if (cutAfterBytes === undefined || !isUpload(request)) return body;
    const { socket } = request.raw;
    return Readable.from(cut(body, cutAfterBytes, async () => void socket.destroy()));
  }

  private async strike(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const fault = this.take(request);
    if (!fault) return;
    this.struck.set(request, fault);
    if (!answersError(fault) || fault.afterDone) return;
    // A client that still sends would see a broken connection instead of the response.
    request.raw.resume();
    await finished(request.raw, { writable: false }).catch(() => {});
    const { statusCode, body } = errorOf(fault);
    return reply
      .code(statusCode)
      .headers(fault.headers ?? {})
      .send(body);
  }

  private take({ method, url }: FastifyRequest): Fault | undefined {
    const fault = this.planned.find(
      ({ match = {} }) => (match.method ?? method) === method && url.includes(match.path ?? ''),
    );
    if (!fault) return undefined;
    fault.times -= 1;
    if (fault.times <= 0) this.planned = this.planned.filter((other) => other !== fault);
    return fault;
  }

  private spoil(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
    const fault = this.struck.get(request);
    if (fault?.afterDone) {
      if (payload instanceof Readable) payload.destroy();
      if (!answersError(fault)) request.raw.socket.destroy();
      const { statusCode, body } = errorOf(fault);
      reply.code(statusCode).headers(fault.headers ?? {});
      return JSON.stringify(body);
    }
    if (fault?.cutAfterBytes === undefined || isUpload(request)) return payload;
    const source = payload instanceof Readable ? payload : [Buffer.from(String(payload))];
    return Readable.from(cut(source, fault.cutAfterBytes, flushing(reply)));
  }
}

const isUpload = ({ method, url }: FastifyRequest) =>
  method !== 'GET' && url.startsWith('/upload/');

/** Yields the first `bytes` bytes, then throws. */
async function* cut(
  source: Iterable<Buffer> | AsyncIterable<Buffer>,
  bytes: number,
  beforeBreak: (bytes: number) => Promise<void>,
): AsyncGenerator<Buffer> {
  let passed = 0;
  for await (const chunk of source) {
    const part = chunk.subarray(0, bytes - passed);
    if (part.length > 0) yield part;
    passed += part.length;
    if (passed >= bytes) break;
  }
  await beforeBreak(passed);
  throw new Error('Cut on demand.');
}

/** Returns what waits until so many bytes of the response have left this process. */
function flushing({ raw: { socket } }: FastifyReply): (bytes: number) => Promise<void> {
  const before = socket?.bytesWritten ?? 0;
  return async (bytes) => {
    const isPending = () =>
      socket &&
      !socket.destroyed &&
      (socket.bytesWritten < before + bytes || socket.writableLength);
    while (isPending()) await new Promise(setImmediate);
  };
}
