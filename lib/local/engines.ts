import { join } from 'node:path';
import { clientEnvironment } from './client-config.ts';
import { type Engine, startDynamoDb } from './dynamodb-engine.ts';
import { startEngineThread } from './engine-thread.ts';
import type { ResourceNames } from './resource-names.ts';
import { startSecretsServer } from './secrets-server.ts';
import { resourcesOf, type Template } from './template.ts';

/** What stands for AWS's services and the model providers on this machine. */
export interface Engines {
  dynamodb: Engine;
  queues: Engine;
  /** Absent where a real provider is configured. */
  offlineModel: Engine | undefined;
}

/** Starts the engines over files in `dataDir`, or without one in memory. */
export async function startEngines(
  dataDir: string | undefined,
  onDeath: (reason: string) => void,
): Promise<Engines> {
  const [dynamodb, queues, offlineModel] = await Promise.all([
    startDynamoDb(dataDir && join(dataDir, 'dynamodb.db'), onDeath),
    startEngineThread(new URL('./queue-engine.ts', import.meta.url), {
      dataDir: dataDir && join(dataDir, 'queues'),
      s3StorageDir: dataDir && join(dataDir, 'objects'),
    }),
    hasProvider() ? undefined : startEngineThread(offlineModelThread, {}),
  ]);
  return { dynamodb, queues, offlineModel };
}

const offlineModelThread = new URL('./offline-model/worker.ts', import.meta.url);

/** Whether the machine's environment names a real provider. */
export function hasProvider(): boolean {
  return Boolean(process.env['OPENAI_API_KEY'] || process.env['OPENAI_BASE_URL']);
}

/** Serves the template's secrets; a provider's is `<NAME>_API_KEY` of the machine's environment. */
export function startSecrets(template: Template, names: ResourceNames): Promise<Engine> {
  const secrets = resourcesOf(template, 'AWS::SecretsManager::Secret');
  return startSecretsServer(
    Object.fromEntries(
      secrets.map(([id, { Properties }]) => {
        const provider = String(Properties?.['Name']).split('/').at(-1) ?? '';
        return [names.ref(id), process.env[`${provider.toUpperCase()}_API_KEY`] || 'none'];
      }),
    ),
  );
}

/** The environment that leads functions to the engines: nothing else differs from AWS. */
export function endpointsOf(engines: Engines, secretsUrl: string): Record<string, string> {
  const modelUrl = engines.offlineModel?.url ?? process.env['OPENAI_BASE_URL'];
  return {
    ...clientEnvironment,
    AWS_ENDPOINT_URL_DYNAMODB: engines.dynamodb.url,
    AWS_ENDPOINT_URL_SQS: engines.queues.url,
    AWS_ENDPOINT_URL_S3: engines.queues.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsUrl,
    ...(modelUrl && { OPENAI_BASE_URL: modelUrl }),
  };
}
