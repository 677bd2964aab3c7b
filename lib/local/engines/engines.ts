import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DriveServer } from '../drive/drive-server.ts';
import { type DynamoDbEngine, startDynamoDb } from '../dynamodb/dynoxide.ts';
import { startSecretsServer } from '../secrets/secrets-server.ts';
import type { ResourceNames } from '../template/resource-names.ts';
import { resourcesOf, type Template } from '../template/template.ts';
import { clientEnvironment } from './client-config.ts';
import { type Engine, startEngineThread } from './engine.ts';

/** The servers that stand for AWS's services, Google Drive and the model providers on this machine. */
export interface Engines {
  dynamodb: DynamoDbEngine;
  /** SQS and S3. */
  queues: Engine;
  drive: DriveServer;
  textract: Engine;
  /** Undefined if a real provider is configured. */
  offlineModel: Engine | undefined;
}

export interface EngineOptions {
  dataDir: string;
  /** Keeps everything in memory, except the drive's folder, which belongs to the user. */
  memory: boolean;
  /** Called when an engine dies by itself. */
  onDeath: (reason: string) => void;
}

/** Starts the engines over files in `dataDir`, or in memory. Throws `StageError`. */
export async function startEngines(options: EngineOptions): Promise<Engines> {
  const { dataDir, memory, onDeath } = options;
  const file = (name: string) => (memory ? undefined : join(dataDir, name));
  const folder = driveFolderIn(dataDir);
  const [dynamodb, queues, drive, textract, offlineModel] = await Promise.all([
    startDynamoDb(file('dynamodb.db'), onDeath),
    startEngineThread(thread('../queues/fauxqs-thread.ts'), {
      dataDir: file('queues'),
      s3StorageDir: file('objects'),
    }),
    startEngineThread<DriveServer>(thread('../drive/drive-thread.ts'), {
      folder,
      indexFile: file('drive.db'),
    }),
    startEngineThread(thread('../textract/textract-thread.ts'), {}),
    hasProvider()
      ? undefined
      : startEngineThread(thread('../offline-model/offline-model-thread.ts'), {}),
  ]);
  return { dynamodb, queues, drive, textract, offlineModel };
}

const thread = (file: string) => new URL(file, import.meta.url);

const samples = fileURLToPath(new URL('../drive/samples', import.meta.url));

/** Returns the folder that is the drive. A new one gets copies of the samples. */
function driveFolderIn(dataDir: string): string {
  const folder = join(dataDir, 'drive');
  if (!existsSync(folder)) cpSync(samples, folder, { recursive: true });
  return folder;
}

/** Whether the machine's environment names a real provider. */
export function hasProvider(): boolean {
  return Boolean(process.env['OPENAI_API_KEY'] || process.env['OPENAI_BASE_URL']);
}

/**
 * Serves the template's secrets. The value of `…/google-drive` is the drive's account, that of a provider's
 * secret `…/<name>` is `<NAME>_API_KEY` in this process's environment.
 */
export function startSecrets(
  template: Template,
  names: ResourceNames,
  serviceAccount?: object,
): Promise<Engine> {
  const secrets = resourcesOf(template, 'AWS::SecretsManager::Secret');
  const secretOf = (name: string) =>
    name === 'google-drive'
      ? JSON.stringify(serviceAccount ?? {})
      : process.env[`${name.toUpperCase()}_API_KEY`] || 'none';
  return startSecretsServer(
    Object.fromEntries(
      secrets.map(([id, { Properties }]) => {
        const name = String(Properties?.['Name']).split('/').at(-1) ?? '';
        return [names.ref(id), secretOf(name)];
      }),
    ),
  );
}

/** Returns the environment that leads functions to the engines. Nothing else about them differs from AWS. */
export function endpointsOf(engines: Engines, secretsUrl: string): Record<string, string> {
  const modelUrl = engines.offlineModel?.url ?? process.env['OPENAI_BASE_URL'];
  return {
    ...clientEnvironment,
    AWS_ENDPOINT_URL_DYNAMODB: engines.dynamodb.url,
    AWS_ENDPOINT_URL_SQS: engines.queues.url,
    AWS_ENDPOINT_URL_S3: engines.queues.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsUrl,
    AWS_ENDPOINT_URL_TEXTRACT: engines.textract.url,
    GOOGLE_DRIVE_URL: engines.drive.url,
    ...(modelUrl && { OPENAI_BASE_URL: modelUrl }),
  };
}
