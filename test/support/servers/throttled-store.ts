import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Write {
  TableName?: string;
  Key?: { key_id?: { S?: string } };
  Item?: { key_id?: { S?: string } };
}

/** A request to write: a plain one, or a transaction. */
interface WriteRequest extends Write {
  TransactItems?: Record<string, Write>[];
}

const writes = /\.(PutItem|UpdateItem|TransactWriteItems)$/;

const partitionOf = ({ TableName, Key, Item }: Write) => `${TableName} ${(Key ?? Item)?.key_id?.S}`;

/** The partitions that a request writes to, once for each unit that it takes there. A transaction takes two for an item. */
function unitsOf(request: WriteRequest): string[] {
  if (!request.TransactItems) return [partitionOf(request)];
  const items = request.TransactItems.flatMap((item) => Object.values(item));
  return items.flatMap((item) => [partitionOf(item), partitionOf(item)]);
}

/** What one partition takes: as many units a second as its bucket holds. */
class Bucket {
  private readonly perSecond: number;
  private units: number;
  private filledAtMs = performance.now();

  constructor(perSecond: number) {
    this.perSecond = perSecond;
    this.units = perSecond;
  }

  has(units: number): boolean {
    const nowMs = performance.now();
    const refill = ((nowMs - this.filledAtMs) / 1_000) * this.perSecond;
    this.units = Math.min(this.perSecond, this.units + refill);
    this.filledAtMs = nowMs;
    return this.units >= units;
  }

  take(units: number): void {
    this.units -= units;
  }
}

/**
 * Stands before a DynamoDB, and refuses the writes of a partition key beyond a rate, as DynamoDB does beyond a
 * thousand units a second. Counts the refusals, and the answers that its client no longer waited for. Another rate holds for
 * partitions that were not written to before.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
 */
export async function startThrottledStore(storeUrl: string, unitsPerSecond: number) {
  const buckets = new Map<string, Bucket>();
  const store = {
    unitsPerSecond,
    refused: 0,
    lost: 0,
    /** Which requests are lost, and answered with a fault of the store that leaves open whether they were made. */
    isFaulty: (_body: string): boolean => false,
    url: '',
    close: () => {},
  };

  function bucketOf(partition: string): Bucket {
    const bucket = buckets.get(partition) ?? new Bucket(store.unitsPerSecond);
    buckets.set(partition, bucket);
    return bucket;
  }

  /** Takes what a request needs of each partition, or nothing. */
  function takes(units: string[]): boolean {
    const needed = [...Map.groupBy(units, (partition) => partition)].map(
      ([partition, of]) => [bucketOf(partition), of.length] as const,
    );
    if (!needed.every(([bucket, count]) => bucket.has(count))) return false;
    for (const [bucket, count] of needed) bucket.take(count);
    return true;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const target = String(request.headers['x-amz-target']);
    if (writes.test(target)) {
      if (!takes(unitsOf(JSON.parse(body.toString())))) {
        store.refused += 1;
        response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
        response.end(refusal);
        return;
      }
    }
    const { host: _, connection: __, ...headers } = request.headers;
    if (store.isFaulty(body.toString())) {
      response.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(fault);
      return;
    }
    response.on('close', () => {
      if (!response.writableFinished) store.lost += 1;
    });
    const made = await fetch(storeUrl, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body,
    });
    const type = made.headers.get('content-type') ?? 'application/x-amz-json-1.0';
    response.writeHead(made.status, { 'content-type': type });
    response.end(Buffer.from(await made.arrayBuffer()));
  }

  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  store.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  store.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return store;
}

const refusal = JSON.stringify({
  __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
  message: 'The level of configured provisioned throughput for the table was exceeded',
});

const fault = JSON.stringify({
  __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError',
  message: 'Internal server error',
});
