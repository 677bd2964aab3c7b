import { randomUUID } from 'node:crypto';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll } from 'vitest';
import { outputOf } from '../../../lib/cli/target.ts';
import { deployTables } from '../../../lib/local/dynamodb/deploy-tables.ts';
import { clientConfig, clientEnvironment } from '../../../lib/local/engines/client-config.ts';
import { deployBuckets, deployQueues } from '../../../lib/local/queues/deploy-queues.ts';
import { startSecrets } from '../../../lib/local/stage/engines.ts';
import { ResourceNames } from '../../../lib/local/template/resource-names.ts';
import { readAssembly } from '../../../lib/local/template/synthesize.ts';
import { resolve, resourcesOf, type Template } from '../../../lib/local/template/template.ts';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { shared } from '../run/shared.ts';
import { sendPlainly } from './plain-requests.ts';

export interface StoreOptions {
  /** Makes queues and a bucket too. */
  queues?: boolean;
  /** Sends calls of models there, and makes the provider's secret readable. */
  modelUrl?: string;
  /** Makes the drive's account readable. */
  serviceAccount?: object;
}

export interface Store {
  /** Goes on with new, empty tables and queues. */
  renew(): Promise<void>;
}

/**
 * Gives a test file the deployment's own tables, and queues, on the engines that the run shares. The domain's
 * functions then work in this process as they do in a Lambda.
 */
export async function useStore({
  queues = false,
  modelUrl,
  serviceAccount,
}: StoreOptions = {}): Promise<Store> {
  const [assembly, { dynamodbUrl, queuesUrl }] = await Promise.all([
    shared('unbundled'),
    shared('engines'),
  ]);
  const { template } = readAssembly(assembly);
  // A test's clock is not the engine's, which may delete what is past by its own.
  for (const [, { Properties }] of resourcesOf(template, 'AWS::DynamoDB::GlobalTable')) {
    delete Properties?.['TimeToLiveSpecification'];
  }
  const owner = `test-${randomUUID().slice(0, 8)}`;
  const firstNames = new ResourceNames(template, owner);
  const secrets =
    modelUrl || serviceAccount
      ? await startSecrets(template, firstNames, { serviceAccount })
      : undefined;
  let deployments = 0;
  let names: ResourceNames | undefined;

  /** The more tables there are, the longer the engine takes to make one. */
  const deleteTables = () => names && deleteTablesOf(template, names, dynamodbUrl);

  async function renew(): Promise<void> {
    await deleteTables();
    names = new ResourceNames(template, `${owner}-${++deployments}`);
    await Promise.all([
      deployTables(template, names, dynamodbUrl),
      queues && deployQueues(template, names, queuesUrl),
      queues && deployBuckets(template, names, queuesUrl),
    ]);
    Object.assign(process.env, settingsOf(template, names), environmentOf(template, names), {
      PROVIDER_SECRETS: environmentOf(template, firstNames)['PROVIDER_SECRETS'],
      DRIVE_SECRET: environmentOf(template, firstNames)['DRIVE_SECRET'],
      // What is sent to a queue that wasn't made is refused.
      ...(!queues && { LATE_CALLS_QUEUE_URL: `${queuesUrl}/000000000000/none` }),
    });
  }

  await renew();
  Object.assign(process.env, clientEnvironment, {
    AWS_ENDPOINT_URL_DYNAMODB: dynamodbUrl,
    AWS_ENDPOINT_URL_SQS: queuesUrl,
    ...(queues && { AWS_ENDPOINT_URL_S3: queuesUrl }),
    ...(secrets && { AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url, OPENAI_BASE_URL: modelUrl }),
  });
  sendPlainly(dynamodb, dynamodbUrl);
  afterAll(() => Promise.all([secrets?.close(), deleteTables()]));
  return { renew };
}

async function deleteTablesOf(
  template: Template,
  names: ResourceNames,
  url: string,
): Promise<void> {
  const dynamodb = new DynamoDBClient(clientConfig(url));
  const tables = resourcesOf(template, 'AWS::DynamoDB::GlobalTable');
  await Promise.all(
    tables.map(([id]) => dynamodb.send(new DeleteTableCommand({ TableName: names.nameOf(id) }))),
  );
  dynamodb.destroy();
}

/** Every setting that operators' commands take from the template's outputs. */
function settingsOf(
  { Outputs = {} }: { Outputs?: Record<string, { Value: unknown }> },
  names: ResourceNames,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(outputOf).map(([name, output]) => [
      name,
      String(resolve(Outputs[output]?.Value, names)),
    ]),
  );
}

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
