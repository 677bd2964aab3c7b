import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { DriveError } from '../../../lib/local/drive/drive-error.ts';

/** A fault of Drive's on demand, and the requests it strikes. */
export interface Fault {
  /** The method, and a part of the URL, of the requests it strikes; by default it strikes any. */
  match?: { method?: string; path?: string };
  /** How many requests it strikes; by default one. */
  times?: number;
  /** The error that is answered instead of doing the work. */
  status?: number;
  reason?: string;
  message?: string;
  headers?: Record<string, string>;
  /** Breaks the connection after so many bytes: of the body if the request uploads, else of the response. */
  cutAfterBytes?: number;
  /** Does the work first, and then answers the error or, without one, breaks the connection. */
  afterDone?: boolean;
}

const usageLimits = { domain: 'usageLimits' };

const errors: Record<string, [status: number, message: string, details?: { domain: string }]> = {
  userRateLimitExceeded: [403, 'User Rate Limit Exceeded', usageLimits],
  rateLimitExceeded: [403, 'Rate Limit Exceeded', usageLimits],
  dailyLimitExceeded: [403, 'Daily Limit Exceeded', usageLimits],
  storageQuotaExceeded: [403, "The user's Drive storage quota has been exceeded."],
  insufficientFilePermissions: [
    403,
    'The user does not have sufficient permissions for this file.',
  ],
  appNotAuthorizedToFile: [403, 'The user has not granted the app access to the file.'],
  backendError: [500, 'Backend Error'],
  internalError: [500, 'Internal Error'],
};

const reasons: Record<number, string> = {
  401: 'authError',
  403: 'userRateLimitExceeded',
  404: 'notFound',
  429: 'rateLimitExceeded',
};

/** Returns a fault's error. The status and the message that the fault doesn't give follow from its reason. */
function errorOf({ status, reason, message }: Fault): DriveError {
  const code = reason ?? reasons[status ?? 500] ?? 'backendError';
  const [usualStatus, usualMessage, details] = errors[code] ?? [400, code];
  return new DriveError(status ?? usualStatus, code, message ?? usualMessage, details);
}

/** Whether a fault answers an error, at once or after the work is done. */
const answersError = ({ status, reason }: Fault) => Boolean(status || reason);

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
    app.addHook('preParsing', async (request, _reply, body) => this.cutUpload(request, body));
    app.addHook('onSend', async (request, reply, payload) => this.spoil(request, reply, payload));
  }

  /** Returns a request's body, cut if its fault cuts uploads. */
  private cutUpload(request: FastifyRequest, body: RequestPayload): RequestPayload {
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

/** Counts requests by kind, such as `GET /drive/v3/files/:fileId?alt=media`. Returns what tells the counts so far. */
export function countRequests(app: FastifyInstance): () => Record<string, number> {
  const counts = new Map<string, number>();
  app.addHook('onRequest', async (request) => {
    const kind = kindOf(request);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  });
  return () => Object.fromEntries(counts);
}

function kindOf({ method, routeOptions, query }: FastifyRequest): string {
  const { alt, uploadType } = query as { alt?: string; uploadType?: string };
  const kind = `${method} ${routeOptions.url ?? 'unknown'}`;
  if (alt === 'media') return `${kind}?alt=media`;
  return uploadType ? `${kind}?uploadType=${uploadType}` : kind;
}
