import type { FastifyInstance, FastifyReply } from 'fastify';
import { TextractError } from '../../../lib/local/textract/textract-error.ts';
import {
  startTextractServer,
  type TextractOptions,
} from '../../../lib/local/textract/textract-server.ts';

/** A Textract in this thread, whose requests can be made to fail, and are counted. */
export type TestTextract = Awaited<ReturnType<typeof startTestTextract>>;

export async function startTestTextract(options: TextractOptions = {}) {
  const [faults, meter] = [new FaultPlan(), new RequestMeter()];
  const server = await startTextractServer({
    ...options,
    prepare: (app) => addFaults(app, faults, meter),
  });
  return { ...server, faults, meter };
}

function addFaults(app: FastifyInstance, faults: FaultPlan, meter: RequestMeter): void {
  app.addHook('onRequest', async ({ headers }, reply) => {
    const target = String(headers['x-amz-target'] ?? '').replace(/^Textract\./, '');
    reply.raw.once('close', meter.begin(target));
  });
  app.addHook('preHandler', async (_request, reply) => {
    const fault = faults.next();
    return fault && fail(fault, reply);
  });
}

function fail(fault: Fault, reply: FastifyReply): unknown {
  const { message = 'Told to fail', cut, hang } = fault;
  const { type, status } = exceptionOf(fault);
  if (!cut && !hang) throw new TextractError(type, message, status);
  reply.hijack();
  if (cut === 'midway') {
    reply.raw.writeHead(200, {
      'content-type': 'application/x-amz-json-1.1',
      'content-length': 1_000,
    });
    reply.raw.write('{"Blocks":[', () => reply.raw.destroy());
  } else if (cut) reply.raw.destroy();
  return reply;
}

const usualStatus: Record<string, number> = { ThrottlingException: 500, InternalServerError: 500 };

/** How requests are made to fail. */
export interface Fault {
  /** How many requests fail, by default one. */
  times?: number;
  /** Only every n-th request fails: the first `every - 1` pass. */
  every?: number;
  /** The exception that is answered, by default `InternalServerError`, its HTTP status and its message. */
  type?: string;
  status?: number;
  message?: string;
  /** Breaks the connection, before the answer or in the middle of it. */
  cut?: boolean | 'midway';
  /** Never answers. */
  hang?: boolean;
}

interface PlannedFault {
  fault: Fault;
  /** How many requests it has been asked about. */
  seen: number;
  /** How many more requests it makes fail. */
  left: number;
}

/** The faults still to come, in order. */
class FaultPlan {
  private planned: PlannedFault[] = [];

  add(faults: readonly Fault[]): void {
    this.planned.push(...faults.map((fault) => ({ fault, seen: 0, left: fault.times ?? 1 })));
  }

  clear(): void {
    this.planned = [];
  }

  /** Returns the fault of the request that comes now; undefined if it doesn't fail. */
  next(): Fault | undefined {
    const due = this.planned.find((each) => ++each.seen % (each.fault.every ?? 1) === 0);
    if (!due) return undefined;
    due.left -= 1;
    this.planned = this.planned.filter(({ left }) => left > 0);
    return due.fault;
  }
}

/** Returns the exception that a fault answers, and its status. */
function exceptionOf({ type = 'InternalServerError', status }: Fault) {
  return { type, status: status ?? usualStatus[type] ?? 400 };
}

const secondMs = 1_000;

/** Counts the requests that come. */
class RequestMeter {
  /** When the requests of the last second came. */
  private arrivedAt: number[] = [];
  private inFlight = 0;
  private counts = { total: 0, byTarget: {} as Record<string, number>, maxPerSecond: 0, atOnce: 0 };

  /** Counts a request that begins. Returns what to call when it ends. */
  begin(target: string): () => void {
    this.arrivedAt = [...ofLastSecond(this.arrivedAt), performance.now()];
    this.inFlight += 1;
    const { byTarget, total, maxPerSecond, atOnce } = this.counts;
    this.counts = {
      total: total + 1,
      byTarget: { ...byTarget, [target]: (byTarget[target] ?? 0) + 1 },
      maxPerSecond: Math.max(maxPerSecond, this.arrivedAt.length),
      atOnce: Math.max(atOnce, this.inFlight),
    };
    return () => {
      this.inFlight -= 1;
    };
  }

  /** Returns the counts so far: of all requests, by operation, the most in a second and the most at once. */
  report() {
    return this.counts;
  }

  reset(): void {
    this.arrivedAt = [];
    this.counts = { total: 0, byTarget: {}, maxPerSecond: 0, atOnce: 0 };
  }
}

const ofLastSecond = (times: number[]) => {
  const sinceMs = performance.now() - secondMs;
  return times.filter((time) => time > sinceMs);
};
