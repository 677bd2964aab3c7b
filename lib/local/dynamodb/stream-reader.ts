import type { DynamoDBRecord } from 'aws-lambda';
import { credentials } from '../engines/client-config.ts';
import { region } from '../template/resource-names.ts';

/** What was read of a stream. */
export interface StreamPage {
  records: DynamoDBRecord[];
  /** Where to read on; undefined at the end of a shard that is closed. */
  next: string | undefined;
}

interface StreamsApi {
  DescribeStream: [{ StreamArn: string }, { StreamDescription: { Shards: { ShardId: string }[] } }];
  GetShardIterator: [
    (
      | { ShardIteratorType: 'TRIM_HORIZON' }
      | { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER'; SequenceNumber: string }
    ) & { StreamArn: string; ShardId: string | undefined },
    { ShardIterator?: string },
  ];
  GetRecords: [
    { ShardIterator: string; Limit: number },
    { Records: DynamoDBRecord[]; NextShardIterator?: string },
  ];
}

/** The engine asks for a signature, and takes any. */
const anySignature = {
  'x-amz-date': '20260101T000000Z',
  authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20260101/${region}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
};

/**
 * Reads a table's stream from the local engine. The records stay as they are on the wire, which is how Lambda hands
 * them to a function: the SDK's client would take each apart, which took half of the main thread's time.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB_Streams.html
 */
export class StreamReader {
  private readonly url: string;
  private readonly streamArn: string;

  constructor(url: string, streamArn: string) {
    this.url = url;
    this.streamArn = streamArn;
  }

  /** Returns where to read on after a record's number, or from the oldest record that is left. */
  async iteratorAfter(position: string | undefined): Promise<string> {
    const StreamArn = this.streamArn;
    const { StreamDescription } = await this.ask('DescribeStream', { StreamArn });
    const shard = { StreamArn, ShardId: StreamDescription.Shards[0]?.ShardId };
    const { ShardIterator } = await this.ask(
      'GetShardIterator',
      position
        ? { ...shard, ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: position }
        : { ...shard, ShardIteratorType: 'TRIM_HORIZON' },
    );
    if (!ShardIterator) throw new Error('The stream has no shard yet');
    return ShardIterator;
  }

  /** Reads up to so many records. */
  async read(iterator: string, limit: number): Promise<StreamPage> {
    const { Records, NextShardIterator } = await this.ask('GetRecords', {
      ShardIterator: iterator,
      Limit: limit,
    });
    return { records: Records, next: NextShardIterator };
  }

  private async ask<Name extends keyof StreamsApi>(
    operation: Name,
    input: StreamsApi[Name][0],
  ): Promise<StreamsApi[Name][1]> {
    const response = await this.post(operation, JSON.stringify(input));
    const body = await response.text();
    if (!response.ok) throw new Error(`${operation}: ${response.status} ${body}`);
    return JSON.parse(body) as StreamsApi[Name][1];
  }

  private post(operation: string, body: string): Promise<Response> {
    return fetch(this.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
        ...anySignature,
      },
      body,
    }).catch((error: Error) => {
      throw new Error(`${operation}: ${error.cause ?? error}`);
    });
  }
}
