import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';

/** What a server answers; undefined cuts the connection. */
export type JsonAnswer =
  | { status?: number; headers?: Record<string, string>; body: unknown }
  | undefined;

/** Gives a test file a server that answers each request with JSON. */
export async function useJsonServer(
  answer: (request: IncomingMessage, body: unknown) => JsonAnswer | Promise<JsonAnswer>,
) {
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const sent = await text(request);
    const given = await answer(request, sent === '' ? undefined : JSON.parse(sent));
    if (!given) return void response.destroy();
    const { status = 200, headers, body } = given;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
