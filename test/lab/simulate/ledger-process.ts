import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import * as dynamodbErrors from '@aws-sdk/client-dynamodb';
import { buildSync } from 'esbuild';
import { type Client, Command, whenAborted } from './client.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The ledger's functions that the simulation calls. */
export interface Ledger {
  openAccount: typeof import('../../../shared/ledger/read-account.ts').openAccount;
  putInTeam: typeof import('../../../shared/ledger/team.ts').putInTeam;
  reserve: typeof import('../../../shared/ledger/reserve.ts').reserve;
  settle: typeof import('../../../shared/ledger/settle.ts').settle;
  sweepLedger: typeof import('../../../shared/ledger/sweep.ts').sweepLedger;
  bookLateCalls: typeof import('../../../shared/ledger/book-late.ts').bookLateCalls;
}

/** What a process runs in. */
export interface Surroundings {
  time: VirtualTime;
  client: Client;
  /** By how much its clock goes ahead, in ms. */
  aheadMs: number;
  environment: Record<string, string>;
  /** Takes a message for the queue of late calls. */
  queue: (body: string, delaySeconds: number) => Promise<void>;
  /** Takes a line of the log. */
  log: (line: string) => void;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const require = createRequire(import.meta.url);

const entry = `
export { openAccount } from './shared/ledger/read-account.ts';
export { putInTeam } from './shared/ledger/team.ts';
export { reserve } from './shared/ledger/reserve.ts';
export { settle } from './shared/ledger/settle.ts';
export { sweepLedger } from './shared/ledger/sweep.ts';
export { bookLateCalls } from './shared/ledger/book-late.ts';
`;

let script: Script | undefined;

/** The ledger's own modules as one function of what surrounds them. What remembers nothing stays outside. */
function ledgerScript(): Script {
  const { outputFiles } = buildSync({
    stdin: { contents: entry, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    external: ['@aws-sdk/*', '@aws-lambda-powertools/*', '@smithy/*', 'valibot', 'uuid'],
  });
  const globals =
    'require, module, Date, performance, setTimeout, clearTimeout, process, AbortSignal';
  return new Script(`(function (${globals}) {${outputFiles[0]?.text}\n})`, {
    filename: 'ledger.js',
  });
}

/**
 * Loads the ledger's own code once more, as each process does: what its modules remember is this process's alone. Its
 * clock, timers, table and queue are those of its surroundings.
 */
export function loadLedger(surroundings: Surroundings): Ledger {
  script ??= ledgerScript();
  const { time, client, aheadMs, environment } = surroundings;
  const module = { exports: {} };
  const load = script.runInThisContext() as (...globals: unknown[]) => void;
  const setTimer = (run: () => void, ms = 0) =>
    Object.assign(
      time.after(ms, () => client.isDead || run()),
      { unref: () => {} },
    );
  const clearTimer = (timer?: { run: unknown }) => {
    if (timer) timer.run = undefined;
  };
  const write = (line: string) => surroundings.log(line);
  const inPlace = standIns(surroundings);
  load(
    (name: string) => inPlace[name] ?? require(name),
    module,
    time.dateClass(aheadMs),
    { now: () => time.now },
    setTimer,
    clearTimer,
    { env: environment, stdout: { write }, once: () => {} },
    { any: AbortSignal.any.bind(AbortSignal), timeout: (ms: number) => abortAfter(time, ms) },
  );
  return module.exports as Ledger;
}

function abortAfter(time: VirtualTime, ms: number): AbortSignal {
  const controller = new AbortController();
  time.after(ms, () => controller.abort());
  return controller.signal;
}

const commandNames = [
  ...['GetCommand', 'PutCommand', 'UpdateCommand', 'DeleteCommand', 'QueryCommand'],
  ...['TransactWriteCommand', 'TransactGetCommand', 'BatchExecuteStatementCommand'],
  'BatchGetCommand',
];

const commands = Object.fromEntries(
  commandNames.map((name) => [
    name,
    class extends Command {
      constructor(input: object) {
        super(name, input);
      }
    },
  ]),
);

const errorsAlone = {
  ...dynamodbErrors,
  DynamoDBClient: class {
    middlewareStack = { remove: () => {} };
  },
};

const metrics = {
  MetricUnit: {},
  Metrics: class {
    addMetric() {}
    addDimensions() {
      return this;
    }
    publishStoredMetrics() {}
  },
};

/** What stands in for packages that reach out of the process. */
function standIns({ client, queue, time }: Surroundings): Record<string, unknown> {
  return {
    '@aws-sdk/client-dynamodb': errorsAlone,
    '@aws-sdk/lib-dynamodb': {
      ...commands,
      DynamoDBDocumentClient: { from: () => client },
      paginateQuery: (config: { pageSize?: number }, input: object) =>
        pagesOf(client, config.pageSize, input),
    },
    '@aws-sdk/util-dynamodb': { unmarshall: (item: unknown) => item },
    '@aws-sdk/client-sqs': {
      SendMessageCommand: class {
        readonly input: unknown;
        constructor(input: unknown) {
          this.input = input;
        }
      },
      SQSClient: class {
        send({ input }: { input: { MessageBody: string; DelaySeconds?: number } }) {
          return queue(input.MessageBody, input.DelaySeconds ?? 0);
        }
      },
    },
    '@aws-lambda-powertools/metrics': metrics,
    'node:timers/promises': {
      setTimeout: (ms: number, _: unknown, { signal }: { signal?: AbortSignal } = {}) =>
        Promise.race([time.sleep(ms), ...(signal ? [whenAborted(signal)] : [])]),
    },
  };
}

async function* pagesOf(client: Client, pageSize: number | undefined, input: object) {
  let start: unknown;
  do {
    const page = (await client.send(
      new Command('QueryCommand', {
        ...input,
        ...(pageSize && { Limit: pageSize }),
        ...(start !== undefined && { ExclusiveStartKey: start }),
      } as never),
    )) as { LastEvaluatedKey?: unknown };
    yield page;
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}
