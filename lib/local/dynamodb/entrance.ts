import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Engine } from '../engines/engine.ts';
import { requireSignature } from '../engines/signature.ts';

/** Starts a server that passes on to an engine what is signed, and nothing else. */
export async function startEntrance(engineUrl: string): Promise<Engine> {
  const agent = new Agent({ keepAlive: true });
  // The server never closes an idle connection: a client could send its next request just then.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    const { method, headers } = incoming;
    const passed = request(engineUrl, { method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      pipeline(answer, outgoing).catch(() => {});
    });
    passed.on('error', () => outgoing.destroy());
    pipeline(incoming, passed).catch(() => {});
  });
  requireSignature(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}
