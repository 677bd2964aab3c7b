import { setTimeout as pause } from 'node:timers/promises';
import * as aws from '@aws-sdk/client-dynamodb';
import { type Restoration, untilActive } from './restore-tables.ts';

/**
 * Gives a restored table what a restore leaves out: time to live, stream, recovery and protection. A stack that
 * imports it doesn't change these.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/pointintimerecovery_restores.html
 */
export async function completeTable(
  dynamodb: aws.DynamoDBClient,
  { source, target: TableName }: Restoration,
): Promise<void> {
  const { Table: before } = await dynamodb.send(
    new aws.DescribeTableCommand({ TableName: source }),
  );
  const { Table: now } = await dynamodb.send(new aws.DescribeTableCommand({ TableName }));
  await completeTimeToLive(dynamodb, source, TableName);
  const { StreamSpecification } = before ?? {};
  if (StreamSpecification?.StreamEnabled && !now?.StreamSpecification?.StreamEnabled) {
    await dynamodb.send(new aws.UpdateTableCommand({ TableName, StreamSpecification }));
    await untilActive(dynamodb, [TableName]);
  }
  if (before?.DeletionProtectionEnabled && !now?.DeletionProtectionEnabled) {
    const DeletionProtectionEnabled = true;
    await dynamodb.send(new aws.UpdateTableCommand({ TableName, DeletionProtectionEnabled }));
    await untilActive(dynamodb, [TableName]);
  }
  await enableRecovery(dynamodb, TableName);
}

/** How often recovery is asked for, with ever longer pauses: some four minutes. */
const maxTries = 9;

/** A new table has no backups for its first moments. */
async function enableRecovery(dynamodb: aws.DynamoDBClient, TableName: string): Promise<void> {
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  for (let tries = 1; ; tries += 1) {
    try {
      await dynamodb.send(
        new aws.UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }),
      );
      return;
    } catch (error) {
      if (!(error instanceof aws.ContinuousBackupsUnavailableException) || tries === maxTries)
        throw error;
      await pause(500 * 2 ** tries);
    }
  }
}

async function completeTimeToLive(
  dynamodb: aws.DynamoDBClient,
  source: string,
  TableName: string,
): Promise<void> {
  const [before, now] = await Promise.all(
    [source, TableName].map((name) => timeToLiveOf(dynamodb, name)),
  );
  if (!before || now) return;
  const TimeToLiveSpecification = { AttributeName: before, Enabled: true };
  await dynamodb.send(new aws.UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
}

/** Returns the attribute by which a table's items end; undefined if they don't. */
async function timeToLiveOf(
  dynamodb: aws.DynamoDBClient,
  TableName: string,
): Promise<string | undefined> {
  const { TimeToLiveDescription } = await dynamodb.send(
    new aws.DescribeTimeToLiveCommand({ TableName }),
  );
  const { TimeToLiveStatus = '', AttributeName } = TimeToLiveDescription ?? {};
  return TimeToLiveStatus.startsWith('ENABL') ? AttributeName : undefined;
}
