import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';

/** Follows the stream of the jobs table, or another's: each call answers the records that came since the last. */
export function followStream(table: StreamedTable = 'JOBS_TABLE'): () => Promise<DynamoDBRecord[]> {
  const streams = new DynamoDBStreamsClient({});
  let iterator: string | undefined;

  return async () => {
    iterator ??= await startOf(streams, table);
    const records: DynamoDBRecord[] = [];
    for (;;) {
      const page = await streams.send(new GetRecordsCommand({ ShardIterator: iterator }));
      iterator = page.NextShardIterator;
      if (!page.Records?.length) return records;
      records.push(...(page.Records as unknown as DynamoDBRecord[]));
    }
  };
}

type StreamedTable = 'JOBS_TABLE' | 'LEDGER_TABLE' | 'WEBHOOKS_TABLE';

async function startOf(
  streams: DynamoDBStreamsClient,
  table: StreamedTable,
): Promise<string | undefined> {
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: setting(table) }));
  const StreamArn = Table?.LatestStreamArn;
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const ShardId = StreamDescription?.Shards?.[0]?.ShardId;
  const start = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const;
  return (await streams.send(new GetShardIteratorCommand(start))).ShardIterator;
}
