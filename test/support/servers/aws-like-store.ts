import { Agent, createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type DynamoDbEngine, startDynamoDb } from '../../../lib/local/dynamodb/dynoxide.ts';

const indexLagMs = 1_000;
const throttledWrites = 20;
const throttledReads = 50;
const conflictingTransactions = 10;

const isWrite =
  /^(PutItem|UpdateItem|DeleteItem|BatchWriteItem|TransactWriteItems|Execute|BatchExecute)/;
const isOfTables = /^(CreateTable|UpdateTable|UpdateTimeToLive|DeleteTable)$/;
const isRead = /^(GetItem|BatchGetItem|Query|Scan)$/;

interface StoreAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/**
 * Starts a DynamoDB that is as slow to agree as AWS's: queries of an index are answered from what the tables were a
 * second ago, every twentieth write and fiftieth read is throttled, every tenth transaction meets another one. A second
 * engine holds the past: it makes each write a second later, in the same order.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.Writes
 */
export async function startAwsLikeStore() {
  const [now, past] = await Promise.all([startEngine(), startEngine()]);
  const agent = new Agent({ keepAlive: true });
  const store = {
    url: '',
    /** How many requests met what AWS does. */
    met: { lagged: 0, throttled: 0, conflicts: 0 },
    /** Writes that the two engines took differently; a fault of this one. */
    divergences: [] as string[],
    close: async () => {
      server.closeAllConnections();
      server.close();
      agent.destroy();
      await Promise.all([now.close(), past.close()]);
    },
  };
  const counts = { writes: 0, reads: 0, transactions: 0 };
  let lastWrite: Promise<unknown> = Promise.resolve();
  let lastPast: Promise<unknown> = Promise.resolve();

  const send = (engine: DynamoDbEngine, headers: IncomingHttpHeaders, body: Buffer) =>
    new Promise<StoreAnswer>((resolve, reject) => {
      const passed = request(engine.url, { method: 'POST', headers, agent }, async (answer) => {
        const { statusCode: status = 500 } = answer;
        buffer(answer).then(
          (read) => resolve({ status, headers: answer.headers, body: read }),
          reject,
        );
      });
      passed.once('error', reject).end(body);
    });

  /** Writes one after another, so that the past is made in the same order. */
  function write(operation: string, headers: IncomingHttpHeaders, body: Buffer) {
    const written = lastWrite.then(() => send(now, headers, body));
    lastWrite = written.catch(() => {});
    lastWrite = lastWrite.then(async () => {
      const { status } = await written.catch(() => ({ status: 500 }));
      if (status !== 200) return;
      const due = new Promise((resolve) => setTimeout(resolve, indexLagMs).unref());
      const earlier = lastPast;
      lastPast = due
        .then(() => earlier)
        .then(() => send(past, headers, body))
        .then((made) => {
          if (made.status !== 200) store.divergences.push(`${operation} ${made.body}`);
        })
        .catch(() => {});
    });
    return written;
  }

  /** What AWS answers in place of making a request, at times. */
  function refusalOf(operation: string, body: Buffer): object | undefined {
    const isTransaction = /^(TransactWriteItems|ExecuteTransaction)$/.test(operation);
    if (isTransaction && ++counts.transactions % conflictingTransactions === 0) {
      store.met.conflicts += 1;
      const { TransactItems, TransactStatements } = JSON.parse(body.toString());
      const items: object[] = TransactItems ?? TransactStatements;
      const CancellationReasons = items.map((_, index) => ({
        Code: index === 0 ? 'TransactionConflict' : 'None',
      }));
      const message =
        'Transaction cancelled, please refer cancellation reasons for specific reasons';
      return { __type: `${prefix}TransactionCanceledException`, message, CancellationReasons };
    }
    const isThrottled = isWrite.test(operation)
      ? ++counts.writes % throttledWrites === 0
      : isRead.test(operation) && ++counts.reads % throttledReads === 0;
    if (!isThrottled) return undefined;
    store.met.throttled += 1;
    return {
      __type: `${prefix}ThrottlingException`,
      message: 'Throughput exceeds the current capacity',
    };
  }

  async function answer(headers: IncomingHttpHeaders, body: Buffer): Promise<StoreAnswer> {
    const [service, operation = ''] = String(headers['x-amz-target']).split('.');
    if (service?.startsWith('DynamoDBStreams')) return send(now, headers, body);
    if (isOfTables.test(operation)) {
      await send(past, headers, body);
      return send(now, headers, body);
    }
    const refusal = refusalOf(operation, body);
    if (refusal)
      return { status: 400, headers: jsonHeaders, body: Buffer.from(JSON.stringify(refusal)) };
    if (isWrite.test(operation)) return write(operation, headers, body);
    const isOfIndex = body.includes('"IndexName"');
    if (isOfIndex) store.met.lagged += 1;
    return send(isOfIndex ? past : now, headers, body);
  }

  const server = createServer({ keepAliveTimeout: 0 }, async (incoming, outgoing) => {
    try {
      const { status, headers, body } = await answer(incoming.headers, await buffer(incoming));
      outgoing.writeHead(status, headers).end(body);
    } catch (error) {
      outgoing.destroy(error as Error);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  store.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return store;
}

const startEngine = () =>
  startDynamoDb(undefined, (reason) => {
    throw new Error(reason);
  });

const prefix = 'com.amazonaws.dynamodb.v20120810#';
const jsonHeaders = { 'content-type': 'application/x-amz-json-1.0' };
