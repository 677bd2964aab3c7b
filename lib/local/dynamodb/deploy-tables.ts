import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  type TableDescription,
  type TimeToLiveSpecification,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../engines/client-config.ts';
import { StageError } from '../stage-error.ts';
import type { ResourceNames } from '../template/resource-names.ts';
import { type Resource, resourcesOf, type Template } from '../template/template.ts';

/** Makes the template's missing tables, streams and indexes. Throws `StageError` if no DynamoDB answers. */
export async function deployTables(
  template: Template,
  names: ResourceNames,
  url: string,
): Promise<void> {
  const dynamodb = new DynamoDBClient(clientConfig(url));
  const tables = resourcesOf(template, 'AWS::DynamoDB::GlobalTable');
  try {
    await Promise.all(tables.map(([id, table]) => deployTable(dynamodb, id, table, names)));
  } catch (cause) {
    throw unreachable(cause, url) ?? cause;
  } finally {
    dynamodb.destroy();
  }
}

/** Returns the sentence for an error of the connection, which alone has a code; undefined for what DynamoDB answered. */
function unreachable(cause: unknown, url: string): StageError | undefined {
  const { code } = cause as { code?: string };
  if (!code) return undefined;
  const advice = process.env['AWS_ENDPOINT_URL_DYNAMODB']
    ? ": start the one that AWS_ENDPOINT_URL_DYNAMODB names, or unset it to use the stage's own."
    : '.';
  return new StageError(`No DynamoDB answers at ${url} (${code})${advice}`, { cause });
}

async function deployTable(
  dynamodb: DynamoDBClient,
  logicalId: string,
  { Properties = {} }: Resource,
  names: ResourceNames,
): Promise<void> {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, BillingMode } =
    Properties as unknown as CreateTableCommandInput;
  const stream = Properties['StreamSpecification'] as { StreamViewType: 'NEW_AND_OLD_IMAGES' };
  const definition = {
    TableName: names.nameOf(logicalId),
    KeySchema,
    AttributeDefinitions,
    GlobalSecondaryIndexes,
    BillingMode,
    ...(stream && { StreamSpecification: { StreamEnabled: true, ...stream } }),
  };
  const timeToLive = Properties['TimeToLiveSpecification'] as TimeToLiveSpecification | undefined;
  const table =
    (await makeTable(dynamodb, definition, timeToLive)) ??
    (await completeTable(dynamodb, definition));
  if (table?.LatestStreamArn) names.set(logicalId, 'StreamArn', table.LatestStreamArn);
}

/** Makes a table. Returns undefined if there is one of that name. */
async function makeTable(
  dynamodb: DynamoDBClient,
  definition: CreateTableCommandInput,
  TimeToLiveSpecification: TimeToLiveSpecification | undefined,
): Promise<TableDescription | undefined> {
  const { TableName } = definition;
  try {
    const { TableDescription } = await dynamodb.send(new CreateTableCommand(definition));
    if (TimeToLiveSpecification) {
      await dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    }
    return TableDescription;
  } catch (error) {
    if (error instanceof ResourceInUseException) return undefined;
    throw error;
  }
}

/** Gives a table the stream and the indexes that it lacks: a stage with another template has made it. */
async function completeTable(
  dynamodb: DynamoDBClient,
  definition: CreateTableCommandInput,
): Promise<TableDescription | undefined> {
  const { TableName, AttributeDefinitions, GlobalSecondaryIndexes, StreamSpecification } =
    definition;
  let { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
  if (StreamSpecification && !Table?.LatestStreamArn) {
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
  return Table;
}
