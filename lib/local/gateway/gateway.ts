import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NoRoomError } from '../../../shared/http/byte-budget.ts';
import { newServer } from '../engines/new-server.ts';
import { maxPayloadBytes } from '../lambda/invocation.ts';
import type { Narrator } from '../narrator.ts';
import type { RequestLine } from '../request-line.ts';
import { StageError } from '../stage-error.ts';
import { type BodyRoom, BodyRooms } from './body-rooms.ts';
import { proxyEvent } from './gateway-event.ts';
import type { GatewayResponses, GatewayResponseType } from './gateway-responses.ts';
import type { Preflight } from './preflight.ts';
import type { Route } from './routes.ts';
import { StreamedReply } from './streamed-reply.ts';

const maxUrlLength = 8192;

/** Serves the template's routes as API Gateway would. */
export class Gateway {
  private readonly server: FastifyInstance;
  private readonly responses: GatewayResponses;
  private readonly lines = new WeakMap<FastifyRequest, RequestLine>();
  private readonly streams = new WeakMap<FastifyRequest, StreamedReply>();
  private readonly bodyRooms = new BodyRooms();

  constructor(
    routes: Route[],
    responses: GatewayResponses,
    narrator: Narrator,
    preflights: Preflight[] = [],
  ) {
    this.responses = responses;
    this.server = newServer({
      exposeHeadRoutes: false,
      forceCloseConnections: true,
      genReqId: () => randomUUID(),
      routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxUrlLength },
      frameworkErrors: (_error, request, reply) =>
        this.sendGatewayResponse(
          request,
          reply.header('x-amzn-requestid', request.id),
          'BAD_REQUEST_BODY',
        ),
    });
    this.server.removeAllContentTypeParsers();
    // A body is read once there is room for it.
    this.server.addContentTypeParser('*', async (_: FastifyRequest, body: IncomingMessage) => body);
    this.server.setNotFoundHandler((request, reply) =>
      this.sendGatewayResponse(request, reply, 'MISSING_AUTHENTICATION_TOKEN'),
    );
    this.server.setErrorHandler((_error, request, reply) =>
      this.sendGatewayResponse(request, reply, 'BAD_REQUEST_BODY'),
    );
    this.server.addHook('onRequest', async (request, reply) => {
      reply.header('x-amzn-requestid', request.id);
      const [path = ''] = request.url.split('?');
      const line = narrator.request(request.id, request.method, path);
      this.lines.set(request, line);
      // Unlike Fastify's own hook, this also tells of a client that has hung up.
      reply.raw.once('close', () => {
        const { writableFinished, writableLength } = reply.raw;
        const streamed = writableLength === 0 ? this.streams.get(request)?.isAllSent() : false;
        line.answered(reply.statusCode, writableFinished || (streamed ?? false));
      });
    });
    for (const route of routes) this.serve(route);
    for (const preflight of preflights) this.servePreflight(preflight);
  }

  /** Listens on a port, 0 for a free one. Returns the base URL. Throws `StageError` if the port can't be had. */
  async listen(port: number): Promise<string> {
    try {
      await this.server.listen({ host: '127.0.0.1', port });
    } catch (cause) {
      const { code } = cause as { code?: string };
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw cause;
      const reason = code === 'EACCES' ? 'may not be opened' : 'is in use';
      throw new StageError(`Port ${port} ${reason}: give another with --port, or 0 for any.`, {
        cause,
      });
    }
    const address = this.server.server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private serve(route: Route): void {
    this.server.route({
      method: route.method as 'GET',
      url: routerPath(route.path),
      handler: (request, reply) => this.handle(route, request, reply),
    });
  }

  private servePreflight({ path, status, headersFor }: Preflight): void {
    this.server.route({
      method: 'OPTIONS',
      url: routerPath(path),
      handler: (request, reply) => reply.code(status).headers(headersFor(request.headers)).send(),
    });
  }

  private async handle(
    route: Route,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const line = this.lines.get(request);
    const decision = await route.authorizer?.(request.headers, route.methodArn);
    if (decision) line?.calledBy(decision.context);
    if (decision?.refused) return this.sendGatewayResponse(request, reply, decision.refused);

    const owner = keyIn(decision?.context);
    let room: BodyRoom | undefined;
    try {
      room = await this.takeBody(route, request, owner);
    } catch (error) {
      if (!(error instanceof NoRoomError)) throw error;
      return this.sendGatewayResponse(request, reply, 'INTEGRATION_FAILURE');
    }
    const event = proxyEvent(route, request, decision?.context);
    const refused = typeof request.body === 'string' && (request.body as BodyRefusal);
    if (refused || isTooLarge(event)) {
      room?.close();
      return this.sendGatewayResponse(request, reply, refused || 'REQUEST_TOO_LARGE');
    }
    request.body = undefined;
    try {
      const sink = route.streams ? new StreamedReply() : undefined;
      const invoked = route.function.invoke(event, undefined, { sink, owner });
      line?.awaits(invoked);
      invoked.finally(() => room?.close()).catch(() => {});
      if (sink) this.streams.set(request, sink);
      if (sink) return await stream(route, sink, invoked, reply);
      return send(reply, (await within(route.timeoutMs, invoked)) as APIGatewayProxyResult);
    } catch (error) {
      return this.sendGatewayResponse(
        request,
        reply,
        error === timedOut ? 'INTEGRATION_TIMEOUT' : 'INTEGRATION_FAILURE',
      );
    }
  }

  /** Reads a request's body, which its room holds for as long as a function has it. Throws `NoRoomError`. */
  private async takeBody(
    { function: fn }: Route,
    request: FastifyRequest,
    key = '',
  ): Promise<BodyRoom | undefined> {
    if (!request.body) return undefined;
    const { 'content-length': told, 'content-encoding': coding } = request.headers;
    const encoding = coding?.trim().toLowerCase() || 'identity';
    const length = told === undefined || encoding !== 'identity' ? undefined : Number(told);
    const isKept = length === undefined || length <= maxPayloadBytes;
    const room = isKept ? await this.bodyRooms.open(fn, key, length) : undefined;
    try {
      const body = await bodyOf(request.body as IncomingMessage, encoding);
      request.body = body;
      if (typeof body !== 'string') room?.keep(body.length);
    } catch (error) {
      room?.close();
      throw error;
    }
    return room;
  }

  private sendGatewayResponse(
    request: FastifyRequest,
    reply: FastifyReply,
    type: GatewayResponseType,
  ): FastifyReply {
    const { status, headers, body } = this.responses(type, request.headers);
    return reply.code(status).headers(headers).send(body);
  }
}

/** The key that an authorizer has let in. */
const keyIn = (context: Record<string, unknown> = {}) =>
  typeof context['keyId'] === 'string' ? context['keyId'] : undefined;

/** JSON has six characters for one at most; all but the body is far smaller than the rest. */
const isTooLarge = (event: APIGatewayProxyEvent) =>
  (event.body?.length ?? 0) > maxPayloadBytes / 12 &&
  Buffer.byteLength(JSON.stringify(event)) > maxPayloadBytes;

type BodyRefusal = 'REQUEST_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE';

const unpackers: Record<string, () => Transform> = { gzip: createGunzip, deflate: createInflate };

/**
 * Collects a body, and unpacks it as API Gateway does; or returns how it is refused. One that is too large is read to
 * its end all the same, and not kept: a client that still sends wouldn't see the 413.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-make-request-with-compressed-payload.html
 */
async function bodyOf(raw: IncomingMessage, encoding: string): Promise<Buffer | BodyRefusal> {
  const unpacker = unpackers[encoding]?.();
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    if (!unpacker && encoding !== 'identity') return 'UNSUPPORTED_MEDIA_TYPE';
    if (unpacker) raw.once('error', (error) => unpacker.destroy(error)).pipe(unpacker);
    for await (const chunk of unpacker ?? raw) {
      bytes += chunk.length;
      if (bytes <= maxPayloadBytes) chunks.push(chunk);
      else if (unpacker) return 'REQUEST_TOO_LARGE';
      else chunks.length = 0;
    }
  } catch (error) {
    if (!unpacker) throw error;
    return 'UNSUPPORTED_MEDIA_TYPE';
  } finally {
    raw.resume();
  }
  return bytes > maxPayloadBytes ? 'REQUEST_TOO_LARGE' : Buffer.concat(chunks);
}

/** Writes API Gateway's path as the router does: `{id}` is `:id`, and `{rest+}` is `*`. */
const routerPath = (path: string) =>
  path.replace(/\{[^}]+\+\}$/, '*').replace(/\{([^}]+)\}/g, ':$1');

function send(reply: FastifyReply, result: APIGatewayProxyResult): FastifyReply {
  const { statusCode, headers = {}, multiValueHeaders = {}, body, isBase64Encoded } = result;
  return reply
    .code(statusCode)
    .headers({ ...headers, ...multiValueHeaders } as Record<string, string>)
    .send(isBase64Encoded ? Buffer.from(body, 'base64') : body);
}

async function stream(
  route: Route,
  streamed: StreamedReply,
  invoked: Promise<unknown>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  streamed.follow(invoked);
  const { statusCode, headers = {} } = await within(route.timeoutMs, streamed.begun);
  reply.code(statusCode).headers(headers).send(streamed.body);
  // Node would hold the head back until the first chunk.
  setImmediate(() => {
    if (!reply.raw.headersSent) reply.raw.flushHeaders();
  });
  return reply;
}

const timedOut = new Error('The integration timed out');

async function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
