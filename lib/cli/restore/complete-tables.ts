import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { type Restoration, untilActive } from './restore-tables.ts';

/**
 * Gives a restored table what a restore leaves out: the time to live, the stream, the recovery and the protection of the
 * table that it was. A stack that imports it changes none of these, since its template has them already.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/pointintimerecovery_restores.html
 */
export async function completeTable(
  dynamodb: DynamoDBClient,
  { source, target: TableName }: Restoration,
): Promise<void> {
  const { Table: before } = await dynamodb.send(new DescribeTableCommand({ TableName: source }));
  const { Table: now } = await dynamodb.send(new DescribeTableCommand({ TableName }));
  await completeTimeToLive(dynamodb, source, TableName);
  const { StreamSpecification } = before ?? {};
  if (StreamSpecification?.StreamEnabled && !now?.StreamSpecification?.StreamEnabled) {
    await dynamodb.send(new UpdateTableCommand({ TableName, StreamSpecification }));
    await untilActive(dynamodb, [TableName]);
  }
  if (before?.DeletionProtectionEnabled && !now?.DeletionProtectionEnabled) {
    const DeletionProtectionEnabled = true;
    await dynamodb.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled }));
    await untilActive(dynamodb, [TableName]);
  }
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await dynamodb.send(
    new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }),
  );
}

async function completeTimeToLive(
  dynamodb: DynamoDBClient,
  source: string,
  TableName: string,
): Promise<void> {
  const [before, now] = await Promise.all(
    [source, TableName].map((name) => timeToLiveOf(dynamodb, name)),
  );
  if (!before || now) return;
  const TimeToLiveSpecification = { AttributeName: before, Enabled: true };
  await dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
}

/** Returns the attribute by which a table's items end; undefined if they don't. */
async function timeToLiveOf(
  dynamodb: DynamoDBClient,
  TableName: string,
): Promise<string | undefined> {
  const { TimeToLiveDescription } = await dynamodb.send(
    new DescribeTimeToLiveCommand({ TableName }),
  );
  const { TimeToLiveStatus = '', AttributeName } = TimeToLiveDescription ?? {};
  return TimeToLiveStatus.startsWith('ENABL') ? AttributeName : undefined;
}
