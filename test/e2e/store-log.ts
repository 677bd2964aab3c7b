import { afterAll } from 'vitest';
import { startDynamoDb } from '../../lib/local/dynamodb/dynoxide.ts';
import { startStoreProxy } from '../lab/cost/store-proxy.ts';

/** Gives a test file a DynamoDB in memory behind a proxy that notes each operation, and what functions write. */
export async function useLoggedStore() {
  const engine = await startDynamoDb(undefined, (reason) => {
    throw new Error(reason);
  });
  const operations: string[] = [];
  const writeUnits = new Map<string, number>();
  const proxy = await startStoreProxy({
    url: engine.url,
    onRequest: ({ operation, body }) => {
      // The service counts usage, reads the sweep's indexes and holds the sweep's lease by itself.
      const own = ['"IndexName"', '-usagetable', '{"S":"sweep"}'];
      if (!own.some((part) => body.includes(part))) operations.push(operation);
    },
    onUnits: ({ accessKeyId }, { write }) => {
      writeUnits.set(accessKeyId, (writeUnits.get(accessKeyId) ?? 0) + write);
    },
  });
  afterAll(async () => {
    proxy.close();
    await engine.close();
  });
  return {
    url: proxy.url,
    /** The operations so far, such as `UpdateItem`, but for those that the service does by itself. */
    operations: operations as readonly string[],
    /** The write units that a function has taken so far, known by a part of its logical id. */
    writeUnitsOf: (id: string) =>
      [...writeUnits].reduce(
        (sum, [key, units]) => sum + (key.includes(id.toUpperCase()) ? units : 0),
        0,
      ),
  };
}
