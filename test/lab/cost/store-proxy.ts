import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request to DynamoDB, as it passed by, and what it took. */
export interface StoreRequest {
  /** Such as `UpdateItem`. */
  operation: string;
  body: string;
  /** Who has signed it. */
  accessKeyId: string;
}

/** What a request took of the tables and their indexes, in units of on-demand capacity. */
export interface Units {
  write: number;
  read: number;
}

export interface StoreProxyOptions {
  /** Where the store listens. */
  url: string;
  /** Told of each request as it arrives, but for those that read streams. */
  onRequest?: (request: StoreRequest) => void;
  /** Told what a request took once it is answered; the store is asked for it in each. */
  onUnits?: (request: StoreRequest, units: Units) => void;
}

/** Starts a proxy before a DynamoDB, which tells of each request that passes. */
export async function startStoreProxy({ url, onRequest, onUnits }: StoreProxyOptions) {
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ keepAliveTimeout: 0 }, async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const { method, headers } = incoming;
    const [service, operation = ''] = String(headers['x-amz-target']).split('.');
    const isAsked = !service?.startsWith('DynamoDBStreams');
    const [, accessKeyId = ''] =
      String(headers['authorization']).match(/Credential=([^/]+)\//) ?? [];
    const passing = { operation, body: body.toString(), accessKeyId };
    if (isAsked) onRequest?.(passing);
    const counted =
      isAsked &&
      onUnits !== undefined &&
      operation.match(/Item|Query|Scan|Statement|ExecuteTransaction/);
    const sent = counted ? askForUnits(body) : body;
    const forwarded = request(
      new URL(incoming.url ?? '/', url),
      { method, headers: { ...headers, 'content-length': sent.length }, agent },
      async (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        if (!counted) return answer.pipe(outgoing);
        const told = await buffer(answer);
        onUnits?.(passing, unitsOf(passing, answer.statusCode, told.toString()));
        outgoing.end(told);
      },
    );
    forwarded.once('error', () => outgoing.destroy());
    forwarded.end(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

const askForUnits = (body: Buffer) =>
  Buffer.from(
    JSON.stringify({ ...JSON.parse(body.toString()), ReturnConsumedCapacity: 'INDEXES' }),
  );

/** Whether a request reads; each statement of PartiQL says so by its first word. */
const isRead = (operation: string, body: string) =>
  /^(Get|BatchGet|TransactGet|Query|Scan)/.test(operation) ||
  (/Execute/.test(operation) && /"Statement":"\s*SELECT/i.test(body));

/**
 * Reads what a request took. A write whose condition failed is billed as well, for the item that is there; the
 * engine doesn't say how much, and the items that are written conditionally have about one unit.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/WorkingWithItems.html#WorkingWithItems.ConditionalUpdate
 */
function unitsOf(
  { operation, body }: StoreRequest,
  status: number | undefined,
  answer: string,
): Units {
  const writes = !isRead(operation, body);
  if (status !== 200)
    return { write: writes && answer.includes('ConditionalCheck') ? 1 : 0, read: 0 };
  const { ConsumedCapacity = [] } = JSON.parse(answer) as {
    ConsumedCapacity?: { CapacityUnits: number } | { CapacityUnits: number }[];
  };
  const units = [ConsumedCapacity]
    .flat()
    .reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
  // The engine tells nothing of statements in a batch; an item of these has less than 1 KB.
  const { Statements = [] } = JSON.parse(body) as { Statements?: object[] };
  if (writes && units === 0) return { write: Statements.length, read: 0 };
  return writes ? { write: units, read: 0 } : { write: 0, read: units };
}
