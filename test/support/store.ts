import { inject } from 'vitest';
import { startDynamoDb } from '../../lib/local/dynamodb-engine.ts';
import { ResourceNames, region } from '../../lib/local/resource-names.ts';
import { readAssembly } from '../../lib/local/synthesize.ts';
import { deployTables } from '../../lib/local/tables.ts';
import { resourcesOf } from '../../lib/local/template.ts';

/** The deployment's own tables on a real engine in memory, with this process's environment led to them. */
export interface TestStore {
  close(): Promise<void>;
}

/** Starts it: domain functions then work as they do in a Lambda. */
export async function startTestStore(): Promise<TestStore> {
  const { template, stackName } = readAssembly(inject('assembly'));
  const names = new ResourceNames(template, stackName);
  const engine = await startDynamoDb(undefined, (reason) => {
    throw new Error(reason);
  });
  await deployTables(template, names, engine.url);
  const tableOf = (part: string) =>
    resourcesOf(template, 'AWS::DynamoDB::GlobalTable')
      .map(([id]) => names.nameOf(id))
      .find((name) => name.includes(part));
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: engine.url,
    JOBS_TABLE: tableOf('jobstable'),
    KEYS_TABLE: tableOf('keystable'),
    JOB_RETENTION_DAYS: '90',
    LANE_SHARDS: '1',
  });
  return { close: () => engine.close() };
}
