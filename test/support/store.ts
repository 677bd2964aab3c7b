import { inject } from 'vitest';
import { deployTables } from '../../lib/local/dynamodb/deploy-tables.ts';
import { startDynamoDb } from '../../lib/local/dynamodb/dynoxide.ts';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { startEngineThread } from '../../lib/local/engines/engine.ts';
import { startSecrets } from '../../lib/local/engines/engines.ts';
import { deployBuckets } from '../../lib/local/queues/deploy-buckets.ts';
import { deployQueues } from '../../lib/local/queues/deploy-queues.ts';
import { ResourceNames } from '../../lib/local/template/resource-names.ts';
import { readAssembly } from '../../lib/local/template/synthesize.ts';
import { resolve, resourcesOf, type Template } from '../../lib/local/template/template.ts';

export interface TestStoreOptions {
  /** Starts SQS and S3 too. */
  queues?: boolean;
  /** Leads model calls there, and makes the provider's secret readable. */
  modelUrl?: string;
  /** Makes the drive's account readable. */
  serviceAccount?: object;
}

/** The deployment's own tables on a real engine in memory, with this process's environment led to them. */
export interface TestStore {
  /** Goes on with new, empty tables and queues. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** Starts it: domain functions then work as they do in a Lambda. One a test file, as clients are kept. */
export async function startTestStore({
  queues = false,
  modelUrl,
  serviceAccount,
}: TestStoreOptions = {}): Promise<TestStore> {
  const { template, stackName } = readAssembly(inject('assembly'));
  const firstNames = new ResourceNames(template, stackName);
  const [dynamodb, queueEngine, secrets] = await Promise.all([
    startDynamoDb(undefined, (reason) => {
      throw new Error(reason);
    }),
    queues ? startEngineThread(queueEngineThread, {}) : undefined,
    modelUrl || serviceAccount ? startSecrets(template, firstNames, serviceAccount) : undefined,
  ]);
  let deployments = 0;

  async function renew(): Promise<void> {
    const names = new ResourceNames(template, `${stackName}${++deployments}`);
    await deployTables(template, names, dynamodb.url);
    if (queueEngine) {
      await deployQueues(template, names, queueEngine.url);
      await deployBuckets(template, names, queueEngine.url);
    }
    Object.assign(process.env, environmentOf(template, names), {
      PROVIDER_SECRETS: environmentOf(template, firstNames)['PROVIDER_SECRETS'],
      DRIVE_SECRET: environmentOf(template, firstNames)['DRIVE_SECRET'],
    });
  }

  await renew();
  Object.assign(process.env, clientEnvironment, {
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: dynamodb.url,
    ...(queueEngine && {
      AWS_ENDPOINT_URL_SQS: queueEngine.url,
      AWS_ENDPOINT_URL_S3: queueEngine.url,
    }),
    ...(secrets && { AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url, OPENAI_BASE_URL: modelUrl }),
  });
  return {
    renew,
    close: async () => {
      await Promise.all([dynamodb.close(), queueEngine?.close(), secrets?.close()]);
    },
  };
}

const queueEngineThread = new URL('../../lib/local/queues/fauxqs-thread.ts', import.meta.url);

/** Every setting that the template gives any of its functions. */
function environmentOf(template: Template, names: ResourceNames): Record<string, string> {
  const { NODE_OPTIONS: _, ...environment } = Object.assign(
    {},
    ...resourcesOf(template, 'AWS::Lambda::Function').map(([, { Properties = {} }]) => {
      const { Variables } = resolve(Properties['Environment'], names) as {
        Variables: Record<string, string>;
      };
      return Variables;
    }),
  );
  return environment;
}
