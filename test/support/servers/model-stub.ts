import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach } from 'vitest';
import { messageBodyOf } from './message-stub.ts';
import { type Answer, completionBody, type ModelRequestBody } from './model-stub-body.ts';
import { lastInput, type ResponseRequestBody, responseText } from './responses-stub.ts';

export interface ModelRequest {
  /** Where it was sent: upstreams at one stub differ by their paths. */
  path: string;
  model: string;
  body: ModelRequestBody;
  headers: IncomingHttpHeaders;
  /** Epoch milliseconds. */
  at: number;
  /** Settles once the answer was sent whole, or its connection lost. */
  closed: Promise<'whole' | 'lost'>;
}

/** What the stub does with one request; `at` defaults to `before`, the first byte. */
export type Behaviour =
  | ({ kind: 'answer'; delayMs?: number } & Answer)
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: unknown }
  | { kind: 'hang'; at?: 'before' | 'midway' }
  | { kind: 'cut'; at?: 'before' | 'midway' }
  | { kind: 'malformed' }
  | { kind: 'wrong-type' }
  | Pieces;

/** Sends exactly this, each piece once the one before is taken; then ends, falls silent or cuts. */
export interface Pieces {
  kind: 'pieces';
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
  ending?: 'end' | 'hang' | 'cut';
  /** By default what the request asked for. */
  type?: string;
  status?: number;
  headers?: Record<string, string>;
}

/** One behaviour for every request, a list used up one a request, or a choice for the nth (from 1). */
export type Script =
  | Behaviour
  | readonly Behaviour[]
  | ((body: ModelRequestBody, n: number, path: string) => Behaviour | undefined);

type Choose = (body: ModelRequestBody, n: number, path: string) => Behaviour | undefined;

export type ModelStub = Awaited<ReturnType<typeof startModelStub>>;

/** Gives a test file a model of its own, which echoes again after each test. */
export async function useModelStub(): Promise<ModelStub> {
  const stub = await startModelStub();
  afterEach(() => stub.respond([]));
  afterAll(() => stub.close());
  return stub;
}

/** Starts an OpenAI-compatible server that echoes, unless told to answer otherwise or to fail. */
export async function startModelStub(port = 0) {
  const requests: ModelRequest[] = [];
  const arrivals = new EventEmitter().setMaxListeners(0);
  const closing = new AbortController();
  let choose: Choose = chooser([]);
  let handedOut = 0;

  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    try {
      const body = (await json(request)) as ModelRequestBody;
      const { url: path = '', headers } = request;
      requests.push({
        path,
        model: body.model,
        body,
        headers,
        at: Date.now(),
        closed: endOf(response),
      });
      const behaviour = choose(body, requests.length, path) ?? echo(body, path);
      arrivals.emit('request');
      await behave(behaviour, body, path, response, closing.signal);
    } catch (error) {
      if (closing.signal.aborted || response.headersSent) response.destroy();
      else {
        // A client sees a 500 alone.
        console.error('the model stub failed:', error);
        send(response, 500, 'text/plain', `model stub: ${error}`);
      }
    }
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');

  /** Resolves once that many requests have arrived; rejects when the stub is closed before. */
  async function requestCount(count: number): Promise<void> {
    const { signal } = closing;
    while (requests.length < count) await once(arrivals, 'request', { signal });
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: requests as readonly ModelRequest[],
    requestCount,

    respond(script: Script): void {
      choose = chooser(script);
    },

    /** The first request not yet handed out by this, whether or not it has arrived. */
    async nextRequest(): Promise<ModelRequest> {
      const index = handedOut++;
      await requestCount(index + 1);
      return requests[index] as ModelRequest;
    },

    async close(): Promise<void> {
      if (!server.listening) return;
      closing.abort();
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

function endOf(response: ServerResponse): Promise<'whole' | 'lost'> {
  return new Promise((resolve) => {
    response.once('close', () => resolve(response.writableFinished ? 'whole' : 'lost'));
  });
}

/** Makes a script a choice of behaviour. */
export function chooser(script: Script): Choose {
  if (typeof script === 'function') return script;
  if (!('kind' in script)) {
    const queue = [...script];
    return () => queue.shift();
  }
  return () => script;
}

async function behave(
  behaviour: Behaviour,
  body: ModelRequestBody,
  path: string,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const type = body.stream ? 'text/event-stream' : 'application/json';
  switch (behaviour.kind) {
    case 'answer':
      if (behaviour.delayMs) await setTimeout(behaviour.delayMs, undefined, { signal });
      return send(response, 200, type, answerText(body, path, behaviour));
    case 'status': {
      const { status, headers, body: told = errorBody(status) } = behaviour;
      const text = typeof told === 'string' ? told : JSON.stringify(told);
      return send(response, status, 'application/json', text, headers);
    }
    case 'malformed':
      return send(response, 200, type, body.stream ? 'data: {"id": "ch\n\n' : '{"id": "ch');
    case 'wrong-type':
      return send(response, 200, 'text/html', '<html><body>Welcome to the proxy</body></html>');
    case 'pieces':
      return sendPieces(response, behaviour, behaviour.type ?? type);
    case 'hang':
    case 'cut': {
      const text = answerText(body, path, echo(body, path));
      if (behaviour.at === 'midway') await sendHalf(response, type, text);
      if (behaviour.kind === 'cut') response.destroy();
    }
  }
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': type, ...headers }).end(text);
}

function sendHalf(response: ServerResponse, type: string, text: string): Promise<void> {
  response.writeHead(200, { 'content-type': type });
  return new Promise((resolve) => response.write(text.slice(0, text.length / 2), () => resolve()));
}

async function sendPieces(
  response: ServerResponse,
  { pieces, ending = 'end', status = 200, headers }: Pieces,
  type: string,
): Promise<void> {
  response.writeHead(status, { 'content-type': type, ...headers }).flushHeaders();
  for await (const piece of pieces) {
    if (response.destroyed) return;
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      response.write(piece, () => {
        response.off('close', resolve);
        resolve();
      });
    });
  }
  if (ending === 'end') response.end();
  if (ending === 'cut') response.destroy();
}

const isResponses = (path: string) => path.endsWith('/responses');

/** The body of an answer in the dialect of its path. */
function answerText(body: ModelRequestBody, path: string, answer: Answer): string {
  if (path.endsWith('/messages')) return messageBodyOf(body, answer.content);
  return isResponses(path)
    ? responseText(body as unknown as ResponseRequestBody, answer)
    : completionBody(body, answer);
}

function echo(body: ModelRequestBody, path: string): Answer & { kind: 'answer' } {
  const content = isResponses(path)
    ? lastInput(body as unknown as ResponseRequestBody)
    : (body.messages.findLast(({ role }) => role === 'user')?.content ?? '');
  return {
    kind: 'answer',
    content: `echo: ${typeof content === 'string' ? content : JSON.stringify(content)}`,
  };
}

function errorBody(status: number) {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: { message: `stub status ${status}`, type, param: null, code: null } };
}
