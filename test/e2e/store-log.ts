import { Agent, createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startDynamoDb } from '../../lib/local/dynamodb/dynoxide.ts';

/** A DynamoDB engine that tells what it was asked. */
export interface LoggedStore {
  url: string;
  /** The operations so far, such as `UpdateItem`; those that nobody asked for are left out. */
  operations: readonly string[];
  close(): Promise<void>;
}

/** Starts an engine in memory behind a proxy that notes each operation as it arrives. */
export async function startLoggedStore(): Promise<LoggedStore> {
  const engine = await startDynamoDb(undefined, (reason) => {
    throw new Error(reason);
  });
  const operations: string[] = [];
  const agent = new Agent({ keepAlive: true });
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const [service, operation = ''] = String(incoming.headers['x-amz-target']).split('.');
    // Streams are read, usage is counted, and the sweep reads its indexes, by themselves.
    const isAsked = !body.includes('"IndexName"') && !body.includes('-usagetable');
    if (!service?.startsWith('DynamoDBStreams') && isAsked) operations.push(operation);
    const { method, headers, url } = incoming;
    const forwarded = request(
      new URL(url ?? '/', engine.url),
      { method, headers, agent },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    operations,
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await engine.close();
    },
  };
}
