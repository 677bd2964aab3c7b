import type { OwnModels } from '../../../shared/models/own-models.ts';
import { deployTables } from '../dynamodb/deploy-tables.ts';
import { Gateway } from '../gateway/gateway.ts';
import { gatewayResponses } from '../gateway/gateway-responses.ts';
import { preflightsOf } from '../gateway/preflight.ts';
import { routesOf } from '../gateway/routes.ts';
import { startEventSources } from '../lambda/event-sources.ts';
import { Functions } from '../lambda/functions.ts';
import { startInvokeServer } from '../lambda/invoke-server.ts';
import { startSchedules } from '../lambda/schedules.ts';
import type { Narrator } from '../narrator.ts';
import { permissionsOf } from '../permissions/policies.ts';
import { deployBuckets, deployQueues } from '../queues/deploy-queues.ts';
import { searchProvider } from '../search-provider.ts';
import { ResourceNames } from '../template/resource-names.ts';
import { refuseUnknownTypes } from '../template/resource-types.ts';
import type { Synthesis } from '../template/synthesize.ts';
import { resolve } from '../template/template.ts';
import { endpointsOf, startEngines, startSecrets } from './engines.ts';

export interface StageOptions {
  port: number;
  dataDir: string;
  /** Keeps nothing: every engine is in memory. */
  memory: boolean;
  /** Models in place of the catalogue's, if there are any. */
  models: OwnModels;
  /** Other settings, by their names in `cdk.json`. */
  context?: Record<string, unknown>;
  narrator: Narrator;
  /** Called when an engine dies by itself. */
  onDeath: (reason: string) => void;
}

/** A running stage. */
export interface Stage {
  baseUrl: string;
  dynamodbUrl: string;
  queuesUrl: string;
  secretsUrl: string;
  driveUrl: string;
  /** The stack's outputs by name, as CloudFormation lists them. */
  outputs: Record<string, string>;
  /** Whether answers come from the built-in offline model. */
  offlineModel: boolean;
  /** Whether the web that is searched is the data folder's `web`. */
  localWeb: boolean;
  functions: Functions;
  close(): Promise<void>;
}

/** How long a stop waits for running functions. Jobs that are cut off are found again when their lease ends. */
const closeGraceMs = 2_500;

/** Closes a part of a stage. */
export type Closer = () => unknown;

/**
 * Starts the engines, and deploys the template onto them once it is synthesized. What is to be closed at the end is added
 * to `closers`. Throws `StageError`.
 */
export async function deploy(
  { port, dataDir, memory, narrator, onDeath }: StageOptions,
  synthesizing: Promise<Synthesis>,
  closers: Closer[],
): Promise<Omit<Stage, 'close'>> {
  const search = searchProvider();
  narrator.tell('start', 'starting the engines');
  const [engines, synthesis] = await Promise.all([
    startEngines({
      dataDir,
      memory,
      onDeath,
      onRestart: (what) => narrator.tell('crash', `${what}; it starts again`),
    }).then((started) => {
      closers.push(() => Promise.all(Object.values(started).map((engine) => engine.close())));
      return started;
    }),
    synthesizing,
  ]);
  const { template, stackName } = synthesis;
  refuseUnknownTypes(template);
  const names = new ResourceNames(template, stackName);
  const { dynamodb } = engines;
  narrator.tell('start', 'making its tables, queues and bucket');
  const queuesUrl = engines.queues.url;
  const [secrets] = await Promise.all([
    startSecrets(template, names, {
      serviceAccount: engines.providers.drive.serviceAccount,
      modelKey: engines.providers.offlineModel?.key,
    }),
    deployTables(template, names, dynamodb.url),
    deployQueues(template, names, queuesUrl),
    deployBuckets(template, names, queuesUrl),
  ]);
  closers.push(() => secrets.close());
  engines.queues.tell({ permissions: [...permissionsOf(template, names).values()] });

  const invoke = await startInvokeServer((name) => functions.named(name));
  closers.push(() => invoke.close());
  const functions = new Functions(
    synthesis,
    names,
    (name) => endpointsOf(name, engines, { secrets, invoke }),
    narrator,
  );
  closers.push(() => functions.close(closeGraceMs));
  const gateway = new Gateway(
    routesOf(template, names, functions),
    gatewayResponses(template),
    narrator,
    preflightsOf(template, names),
  );
  narrator.tell('start', `opening ${port === 0 ? 'a port' : `port ${port}`}`);
  const baseUrl = await gateway.listen(port);
  closers.push(() => gateway.close());

  const sources = [
    ...startEventSources({ template, names, functions, dynamodb, queuesUrl, narrator }),
    ...startSchedules(template, names, functions, narrator),
  ];
  closers.push(() => sources.forEach((source) => void source.stop()));
  return {
    baseUrl,
    dynamodbUrl: dynamodb.entranceUrl,
    queuesUrl,
    secretsUrl: secrets.url,
    driveUrl: engines.providers.drive.url,
    outputs: outputsOf(template, names),
    offlineModel: engines.providers.offlineModel !== undefined,
    localWeb: search.name === 'searxng' && search.url === undefined,
    functions,
  };
}

function outputsOf(
  { Outputs = {} }: { Outputs?: Record<string, { Value: unknown }> },
  names: ResourceNames,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Outputs).map(([name, { Value }]) => [name, String(resolve(Value, names))]),
  );
}
