import { Agent, createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { startDynamoDb } from '../../lib/local/dynamodb/dynoxide.ts';

/** Gives a test file a DynamoDB in memory behind a proxy that notes each operation as it arrives. */
export async function useLoggedStore() {
  const engine = await startDynamoDb(undefined, (reason) => {
    throw new Error(reason);
  });
  const operations: string[] = [];
  const agent = new Agent({ keepAlive: true });
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const [service, operation = ''] = String(incoming.headers['x-amz-target']).split('.');
    // The service reads streams, counts usage and reads the sweep's indexes by itself.
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
  afterAll(async () => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
    await engine.close();
  });
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    /** The operations so far, such as `UpdateItem`, but for those that the service does by itself. */
    operations: operations as readonly string[],
  };
}
