import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { endpointsOf, startEngines, startSecrets } from './engines.ts';
import { startEventSources } from './event-sources.ts';
import { Functions } from './functions.ts';
import { Gateway } from './gateway.ts';
import { GatewayResponses } from './gateway-responses.ts';
import type { Narrator } from './narrator.ts';
import { deployBuckets, deployQueues } from './queues.ts';
import { ResourceNames } from './resource-names.ts';
import { refuseUnknownTypes } from './resource-types.ts';
import { routesOf } from './routes.ts';
import { startSchedules } from './schedules.ts';
import { StageError } from './stage-error.ts';
import { StageStore } from './stage-store.ts';
import { synthesize } from './synthesize.ts';
import { deployTables } from './tables.ts';
import { resolve } from './template.ts';

export interface StageOptions {
  port: number;
  dataDir: string;
  /** Keep nothing: every engine in memory. */
  memory: boolean;
  narrator: Narrator;
  /** Told when an engine dies under the stage. */
  onDeath: (reason: string) => void;
}

/** A running stage. */
export interface Stage {
  baseUrl: string;
  dynamodbUrl: string;
  queuesUrl: string;
  /** The stack's outputs by name, as CloudFormation would list them. */
  outputs: Record<string, string>;
  /** Whether answers come from the built-in offline model. */
  offlineModel: boolean;
  close(): Promise<void>;
}

/** How long a stop waits for running functions; what is left is found again by its lease. */
const closeGraceMs = 2_500;

type Closer = () => unknown;

/** Deploys the synthesized template on this machine, and runs it until it is closed. */
export async function startStage(options: StageOptions): Promise<Stage> {
  const closers: Closer[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return { ...(await deploy(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function deploy(
  { port, dataDir, memory, narrator, onDeath }: StageOptions,
  closers: Closer[],
): Promise<Omit<Stage, 'close'>> {
  makeFolder(dataDir);
  const store = new StageStore(dataDir, memory);
  closers.push(() => store.close());

  const [engines, synthesis] = await Promise.all([
    startEngines({ dataDir, memory, onDeath }).then((started) => {
      closers.push(() => Promise.all(Object.values(started).map((engine) => engine?.close())));
      return started;
    }),
    synthesize(join(dataDir, 'deployment')),
  ]);
  const { template, stackName } = synthesis;
  refuseUnknownTypes(template);
  const names = new ResourceNames(template, stackName);
  const dynamodbUrl = engines.dynamodb.url;
  const queuesUrl = engines.queues.url;
  const [secrets] = await Promise.all([
    startSecrets(template, names, engines.drive.serviceAccount),
    deployTables(template, names, dynamodbUrl),
    deployQueues(template, names, queuesUrl),
    deployBuckets(template, names, queuesUrl),
  ]);
  closers.push(() => secrets.close());

  const functions = new Functions(synthesis, names, endpointsOf(engines, secrets.url), narrator);
  closers.push(() => functions.close(closeGraceMs));
  const responses = new GatewayResponses(template);
  const gateway = new Gateway(routesOf(template, names, functions), responses, narrator);
  const [baseUrl] = await Promise.all([gateway.listen(port), functions.warm()]);
  closers.push(() => gateway.close());

  const sources = [
    ...startEventSources({ template, names, functions, dynamodbUrl, queuesUrl, store, narrator }),
    ...startSchedules(template, names, functions, narrator),
  ];
  closers.push(() => sources.forEach((source) => void source.stop()));
  return {
    baseUrl,
    dynamodbUrl,
    queuesUrl,
    outputs: outputsOf(template, names),
    offlineModel: engines.offlineModel !== undefined,
  };
}

function makeFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new StageError(`The data folder ${dataDir} can't be used: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

function outputsOf(
  { Outputs = {} }: { Outputs?: Record<string, { Value: unknown }> },
  names: ResourceNames,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Outputs).map(([name, { Value }]) => [name, String(resolve(Value, names))]),
  );
}
