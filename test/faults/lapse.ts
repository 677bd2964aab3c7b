import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { startDynamoDb } from '../../lib/local/dynamodb/dynoxide.ts';
import { clientConfig } from '../../lib/local/engines/client-config.ts';
import type { Job } from '../../shared/jobs/engine/item/job.ts';
import { untilGone } from '../support/servers/processes.ts';

const past = new Date(0).toISOString();

/** In the data of a stage that doesn't run, makes every lease lapse and every open job due. */
export async function lapseLeases(dataDir: string): Promise<void> {
  await untilGone(dataDir);
  const engine = await startDynamoDb(join(dataDir, 'dynamodb.db'), () => {});
  const client = new DynamoDBClient(clientConfig(engine.url));
  const dynamodb = DynamoDBDocumentClient.from(client);
  const { TableNames = [] } = await client.send(new ListTablesCommand());
  const TableName = TableNames.find((name) => name.includes('jobstable'));
  const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName }));
  const open = (Items as Job[]).filter(({ due_at }) => due_at);
  for (const { key_id, job_id, lease_until } of open) {
    await dynamodb.send(
      new UpdateCommand({
        TableName,
        Key: { key_id, job_id },
        UpdateExpression: `SET due_at = :past${lease_until ? ', lease_until = :past' : ''}`,
        ExpressionAttributeValues: { ':past': past },
      }),
    );
  }
  client.destroy();
  await engine.close();
}
