import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../engines/client-config.ts';
import type { ResourceNames } from '../template/resource-names.ts';
import { type Resource, resourcesOf, type Template } from '../template/template.ts';

/** Makes the template's tables that don't exist yet, and adds streams and indexes to those that lack theirs. */
export async function deployTables(
  template: Template,
  names: ResourceNames,
  url: string,
): Promise<void> {
  const dynamodb = new DynamoDBClient(clientConfig(url));
  const tables = resourcesOf(template, 'AWS::DynamoDB::GlobalTable');
  await Promise.all(tables.map(([id, table]) => deployTable(dynamodb, id, table, names)));
  dynamodb.destroy();
}

async function deployTable(
  dynamodb: DynamoDBClient,
  logicalId: string,
  { Properties = {} }: Resource,
  names: ResourceNames,
): Promise<void> {
  const TableName = names.nameOf(logicalId);
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, BillingMode } =
    Properties as unknown as CreateTableCommandInput;
  const stream = Properties['StreamSpecification'] as { StreamViewType: 'NEW_AND_OLD_IMAGES' };
  const StreamSpecification = stream && { StreamEnabled: true, ...stream };
  try {
    await dynamodb.send(
      new CreateTableCommand({
        TableName,
        KeySchema,
        AttributeDefinitions,
        GlobalSecondaryIndexes,
        BillingMode,
        ...(stream && { StreamSpecification }),
      }),
    );
    const ttl = Properties['TimeToLiveSpecification'] as
      | { AttributeName: string; Enabled: boolean }
      | undefined;
    if (ttl) {
      await dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: ttl }));
    }
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  let { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
  if (StreamSpecification && !Table?.LatestStreamArn) {
    // The table was made by a stage whose template didn't give it a stream yet.
    await dynamodb.send(new UpdateTableCommand({ TableName, StreamSpecification }));
    ({ Table } = await dynamodb.send(new DescribeTableCommand({ TableName })));
  }
  const present = new Set(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
  for (const Create of GlobalSecondaryIndexes ?? []) {
    if (present.has(Create.IndexName)) continue;
    const GlobalSecondaryIndexUpdates = [{ Create }];
    await dynamodb.send(
      new UpdateTableCommand({ TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates }),
    );
  }
  if (Table?.LatestStreamArn) names.set(logicalId, 'StreamArn', Table.LatestStreamArn);
}
