import { connect, type Socket } from 'node:net';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { anySignature } from '../../../lib/local/dynamodb/stream-reader.ts';

/** A request as the SDK hands it to what sends it. */
interface Request {
  hostname: string;
  port?: number;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

interface Handler {
  handle(request: Request, options: unknown): Promise<{ response: HttpResponse }>;
  destroy(): void;
}

/** What is done for the AWS that is not here: half of a request's work. */
const leftOut = ['httpSigningMiddleware', 'hostHeaderMiddleware', 'recursionDetectionMiddleware'];

/**
 * Has a client send its requests to the run's engine as they are, by connections that are kept, each with one request at a
 * time. What it sends elsewhere goes the SDK's way.
 */
export function sendPlainly({ config, middlewareStack }: DynamoDBDocumentClient, url: string) {
  for (const name of leftOut) middlewareStack.remove(name);
  const { hostname, port, host } = new URL(url);
  const free: Connection[] = [];
  const elsewhere = config.requestHandler as unknown as Handler;
  const handler: Handler = {
    async handle(request, options) {
      Object.assign(request.headers, anySignature, { host });
      if (request.hostname !== hostname || request.port !== Number(port)) {
        return elsewhere.handle(request, options);
      }
      const kept = free.pop();
      const connection = kept?.isOpen ? kept : new Connection(hostname, Number(port));
      const response = await connection.ask(request);
      free.push(connection);
      return { response };
    },
    destroy: () => elsewhere.destroy(),
  };
  Object.assign(config, { requestHandler: handler });
}

/** A connection that has one request at a time. One that fails is not used again. */
class Connection {
  private readonly socket: Socket;
  private received = Buffer.alloc(0);
  private asked: PromiseWithResolvers<HttpResponse> | undefined;

  constructor(host: string, port: number) {
    this.socket = connect({ host, port, noDelay: true });
    this.socket.on('data', (piece) => this.receive(piece));
    this.socket.on('error', (error) => this.asked?.reject(error));
    this.socket.on('close', () => {
      this.asked?.reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    });
  }

  get isOpen(): boolean {
    return this.socket.readyState === 'open';
  }

  ask({ headers, body }: Request): Promise<HttpResponse> {
    this.asked = Promise.withResolvers();
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.ref().cork();
    this.socket.write(`POST / HTTP/1.1\r\n${lines.join('')}\r\n`);
    this.socket.write(body);
    this.socket.uncork();
    return this.asked.promise;
  }

  private receive(piece: Buffer): void {
    this.received = Buffer.concat([this.received, piece]);
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const [status = '', ...lines] = this.received.toString('latin1', 0, headEnd).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => line.toLowerCase().split(': ') as [string, string]),
    );
    const begin = headEnd + '\r\n\r\n'.length;
    const end = begin + Number(headers['content-length']);
    if (this.received.length < end) return;
    const body = this.received.subarray(begin, end);
    this.received = Buffer.alloc(0);
    // A connection that nobody waits for keeps no process alive.
    this.socket.unref();
    this.asked?.resolve(
      new HttpResponse({ statusCode: Number(status.split(' ')[1]), headers, body }),
    );
  }
}
