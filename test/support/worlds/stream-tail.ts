import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { StreamReader } from '../../../lib/local/dynamodb/stream-reader.ts';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';

/**
 * Follows the stream of the jobs table, or another's: each call returns the records that came since the last, or a page of
 * them for whoever asks again anyhow.
 */
export function followStream(
  table: StreamedTable = 'JOBS_TABLE',
): (wanted?: 'all' | 'a page') => Promise<DynamoDBRecord[]> {
  let stream: StreamReader | undefined;
  let iterator: string | undefined;

  return async (wanted = 'all') => {
    stream ??= await streamOf(table);
    iterator ??= await stream.iteratorAfter(undefined);
    const records: DynamoDBRecord[] = [];
    for (;;) {
      const page = await stream.read(iterator, maxRecords);
      if (!page.next) throw new Error('The stream has ended');
      iterator = page.next;
      records.push(...page.records);
      if (page.records.length === 0 || wanted === 'a page') return records;
    }
  };
}

/** Returns the item of a record's image. */
export const imageOf = <Item>(image: Record<string, unknown> | undefined): Item | undefined =>
  image && (unmarshall(image as Parameters<typeof unmarshall>[0]) as Item);

/** As many as one read may ask for. */
const maxRecords = 1_000;

type StreamedTable = 'JOBS_TABLE' | 'LEDGER_TABLE' | 'WEBHOOKS_TABLE';

async function streamOf(table: StreamedTable): Promise<StreamReader> {
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: setting(table) }));
  return new StreamReader(
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
    Table?.LatestStreamArn ?? '',
  );
}
