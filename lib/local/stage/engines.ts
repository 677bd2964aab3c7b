import { chmodSync, closeSync, cpSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DynamoDbEngine, startDynamoDb } from '../dynamodb/dynoxide.ts';
import { type Engine, type EngineThread, startEngineThread } from '../engines/engine.ts';
import { reachDirectly } from '../engines/no-proxy.ts';
import { searchProvider } from '../search-provider.ts';
import { startSecretsServer } from '../secrets/secrets-server.ts';
import { type ResourceNames, region } from '../template/resource-names.ts';
import { constructOf, resourcesOf, type Template } from '../template/template.ts';
import type { Providers, ProvidersOptions } from './providers-thread.ts';

/** The servers that stand for AWS's services, Google Drive, the web and the model providers on this machine. */
export interface Engines {
  dynamodb: DynamoDbEngine;
  /** SQS and S3. */
  queues: EngineThread;
  textract: Engine;
  /** Google Drive, the web with a SearXNG that searches it, and the offline model, unless a real one is configured. */
  providers: Providers;
}

export interface EngineOptions {
  dataDir: string;
  /** Keeps everything in memory, except the folders of the drive and the web, which belong to the user. */
  memory: boolean;
  /** Called when an engine dies by itself. */
  onDeath: (reason: string) => void;
  /** Called when one was killed and has started again, with what to tell. */
  onRestart: (what: string) => void;
}

/** Starts the engines over files in `dataDir`, or in memory. Throws `StageError`. */
export async function startEngines(options: EngineOptions): Promise<Engines> {
  const { dataDir, memory, onDeath, onRestart } = options;
  reachDirectly();
  const kept = (own: typeof ownFile, name: string) =>
    memory ? undefined : own(join(dataDir, name));
  const [dynamodb, queues, textract, providers] = await Promise.all([
    startDynamoDb(kept(ownFile, 'dynamodb.db'), onDeath, onRestart),
    startEngineThread(
      thread('../queues/fauxqs-thread.ts'),
      { dataDir: kept(ownFolder, 'queues'), s3StorageDir: kept(ownFolder, 'objects') },
      onDeath,
    ),
    startEngineThread(thread('../textract/textract-thread.ts'), {}, onDeath),
    startEngineThread<Providers>(
      thread('./providers-thread.ts'),
      {
        drive: { folder: folderOf('drive', dataDir), indexFile: kept(ownFile, 'drive.db') },
        web: { folder: folderOf('web', dataDir) },
        hasModel: hasProvider(),
      } satisfies ProvidersOptions,
      onDeath,
    ),
  ]);
  return { dynamodb, queues, textract, providers };
}

const thread = (file: string) => new URL(file, import.meta.url);

/** Returns the folder that an engine serves. A new one gets copies of the engine's samples. */
function folderOf(engine: 'drive' | 'web', dataDir: string): string {
  const folder = join(dataDir, engine);
  const samples = fileURLToPath(new URL(`../${engine}/samples`, import.meta.url));
  if (!existsSync(folder)) cpSync(samples, folder, { recursive: true });
  return folder;
}

/** Whether the machine's environment names a real provider of models. */
export function hasProvider(): boolean {
  return Boolean(process.env['OPENAI_API_KEY'] || process.env['OPENAI_BASE_URL']);
}

/** The credentials of engines, new at each start. */
interface EngineSecrets {
  /** The drive's. */
  serviceAccount?: object | undefined;
  /** The offline model's. */
  modelKey?: string | undefined;
}

/**
 * Serves the template's secrets and parameters, by their constructs: `google-drive` is the drive's account, `search`
 * the web's key. A model provider's is the offline model's key if that stands for all, else `<NAME>_API_KEY`, or
 * `OPENAI_API_KEY` for own models.
 */
export function startSecrets(
  template: Template,
  names: ResourceNames,
  { serviceAccount, modelKey }: EngineSecrets = {},
): Promise<Engine> {
  const secrets = resourcesOf(template, 'AWS::SecretsManager::Secret');
  const secretOf = (name: string) => {
    if (name === 'google-drive') return JSON.stringify(serviceAccount ?? {});
    if (name === 'search') return searchProvider().key ?? 'none';
    if (modelKey) return modelKey;
    const provider = name === 'models' ? 'openai' : name;
    return process.env[`${provider.toUpperCase()}_API_KEY`] || 'none';
  };
  return startSecretsServer(
    Object.fromEntries(
      secrets.map(([id, resource]) => [names.ref(id), secretOf(constructOf(id, resource))]),
    ),
    secretOf,
  );
}

/** The servers that know the template. */
export interface TemplateServers {
  secrets: Engine;
  /** Lambda's Invoke. */
  invoke: Engine;
}

/** Returns the environment that leads a function to the engines. Nothing else about it differs from AWS. */
export function endpointsOf(
  functionName: string,
  { dynamodb, queues, textract, providers }: Engines,
  { secrets, invoke }: TemplateServers,
): Record<string, string> {
  const { drive, web, offlineModel } = providers;
  const modelUrl = offlineModel?.url ?? process.env['OPENAI_BASE_URL'];
  const search = searchProvider();
  const webhookOrigin = process.env['QUIRE_WEBHOOK_ORIGIN'];
  return {
    AWS_REGION: region,
    // One process serves all calls of a key. They are turned off to compare both.
    LEASES: process.env['LEASES'] ?? 'on',
    // The engines share a machine with what asks them, and write to its disk.
    AWS_TIMEOUT_FACTOR: process.env['AWS_TIMEOUT_FACTOR'] ?? '10',
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
    AWS_ENDPOINT_URL_SQS: queues.url,
    AWS_ENDPOINT_URL_S3: queues.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    AWS_ENDPOINT_URL_SSM: secrets.url,
    AWS_ENDPOINT_URL_LAMBDA: invoke.url,
    AWS_ENDPOINT_URL_TEXTRACT: textract.url,
    GOOGLE_DRIVE_URL: drive.url,
    ...(search.name === 'searxng' && { SEARCH_URL: search.url ?? web.searchUrl }),
    // The one address on this machine that may be read as a page, and the one that webhooks may have.
    ...(functionName === 'read-page' && { READ_PAGE_LOCAL_ORIGIN: web.url }),
    ...(functionName === 'post-webhook' &&
      webhookOrigin && { READ_PAGE_LOCAL_ORIGIN: webhookOrigin }),
    ...(modelUrl && { OPENAI_BASE_URL: modelUrl }),
  };
}

// A data folder that the stage makes is closed to other users of the machine. In one that was there before, and that
// they may enter, what the stage keeps for itself is closed to them too.

/** Makes a file that only its owner may read and write, or closes it to others if there is one. Returns its path. */
function ownFile(path: string): string {
  closeSync(openSync(path, 'a'));
  chmodSync(path, 0o600);
  return path;
}

/** Makes a folder that only its owner may enter, or closes it to others if there is one. Returns its path. */
function ownFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o700);
  return path;
}
