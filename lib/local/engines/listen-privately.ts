import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Listens on this machine's loopback address, for those who know the token that the returned URL ends in. Its other
 * users don't: they are refused with 403. The server itself sees paths without the token.
 */
export async function listenPrivately(
  app: Pick<FastifyInstance, 'server' | 'listen'>,
  port = 0,
): Promise<string> {
  const { server } = app;
  const prefix = `/${randomUUID()}`;
  const [route] = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { url = '' } = request;
    if (url !== prefix && !url.startsWith(`${prefix}/`)) {
      response.writeHead(403, { connection: 'close' }).end();
      return;
    }
    request.url = url.slice(prefix.length) || '/';
    route?.call(server, request, response);
  });
  return `${await app.listen({ host: '127.0.0.1', port })}${prefix}`;
}
