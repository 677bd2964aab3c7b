import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { expect, it, vi } from 'vitest';
import { deployTables } from '../../../lib/local/dynamodb/deploy-tables.ts';
import { startDynamoDb } from '../../../lib/local/dynamodb/dynoxide.ts';
import { clientConfig } from '../../../lib/local/engines/client-config.ts';
import { StageError } from '../../../lib/local/stage-error.ts';
import { ResourceNames } from '../../../lib/local/template/resource-names.ts';
import { readAssembly } from '../../../lib/local/template/synthesize.ts';
import { resourcesOf, type Template } from '../../../lib/local/template/template.ts';
import { shared } from '../../support/run/shared.ts';

it('where no DynamoDB answers, a sentence says what to do', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:9');
  const { template, stackName } = readAssembly(await shared('unbundled'));

  const deploying = deployTables(
    template,
    new ResourceNames(template, stackName),
    'http://127.0.0.1:9',
  );

  await expect(deploying).rejects.toThrow(
    new StageError(
      "No DynamoDB answers at http://127.0.0.1:9 (ECONNREFUSED): start the one that AWS_ENDPOINT_URL_DYNAMODB names, or unset it to use the stage's own.",
    ),
  );
});

it('a table of an earlier stage is given the stream that it has since', async () => {
  const { template, stackName } = readAssembly(await shared('unbundled'));
  const engine = await startDynamoDb(undefined, () => {});
  const [ledger = ''] = resourcesOf(template, 'AWS::DynamoDB::GlobalTable')
    .map(([id]) => id)
    .filter((id) => id.startsWith('ledger'));
  const earlier = structuredClone(template) as Template;
  delete earlier.Resources[ledger]?.Properties?.['StreamSpecification'];
  await deployTables(earlier, new ResourceNames(earlier, stackName), engine.url);
  const names = new ResourceNames(template, stackName);

  await deployTables(template, names, engine.url);

  expect(names.getAtt(ledger, 'StreamArn')).toMatch(/^arn:aws:dynamodb:.*\/stream\//);
  await engine.close();
});

it('a table of an earlier stage is given the index that it has since', async () => {
  const { template, stackName } = readAssembly(await shared('unbundled'));
  const engine = await startDynamoDb(undefined, () => {});
  const [sessions = ''] = resourcesOf(template, 'AWS::DynamoDB::GlobalTable')
    .map(([id]) => id)
    .filter((id) => id.startsWith('chatsessions'));
  const earlier = structuredClone(template) as Template;
  const properties = earlier.Resources[sessions]?.Properties ?? {};
  delete properties['GlobalSecondaryIndexes'];
  const definitions = properties['AttributeDefinitions'] as { AttributeName: string }[];
  properties['AttributeDefinitions'] = definitions.filter(
    ({ AttributeName }) => AttributeName !== 'updated_at',
  );
  await deployTables(earlier, new ResourceNames(earlier, stackName), engine.url);
  const names = new ResourceNames(template, stackName);

  await deployTables(template, names, engine.url);
  await deployTables(template, names, engine.url);

  const dynamodb = new DynamoDBClient(clientConfig(engine.url));
  const { Items } = await dynamodb.send(
    new QueryCommand({
      TableName: names.nameOf(sessions),
      IndexName: 'recent',
      KeyConditionExpression: 'key_id = :key',
      ExpressionAttributeValues: { ':key': { S: 'key_1' } },
    }),
  );
  expect(Items).toEqual([]);
  dynamodb.destroy();
  await engine.close();
});
