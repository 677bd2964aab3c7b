import { setTimeout as pause } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { type StreamPage, StreamReader } from '../dynamodb/stream-reader.ts';
import type { StreamFollower } from '../dynamodb/streams.ts';
import { clientConfig } from '../engines/client-config.ts';
import type { Narrator } from '../narrator.ts';
import { eventFilter } from './event-filter.ts';
import type { FunctionHost } from './function-host.ts';

export interface StreamPollerConfig {
  dynamodbUrl: string;
  queuesUrl: string;
  streamArn: string;
  batchSize: number;
  /** How long records are gathered before they are delivered, unless a batch is full. */
  gatheringMs: number;
  maxRetries: number;
  filters: string[];
  /** Where a batch is reported that failed after the last retry. */
  failureQueueUrl: string | undefined;
  function: FunctionHost;
  /** Tells of new records; absent if the engine is not the stage's own. */
  follower: StreamFollower | undefined;
  narrator: Narrator;
}

/**
 * The pauses after a read that found records, and after one that found none, where no follower reports new ones.
 * Records gather meanwhile, as each batch is an invocation. After a full batch there is no pause.
 */
const pauseMs = 10;
const idleMs = 100;
const firstRetryMs = 200;

/**
 * Feeds a table's stream to a function in order, as Lambda does. A new poller begins with the oldest record that
 * is left: delivered ones are trimmed from the stream. After a restart the last few may come again.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
export class StreamPoller {
  private readonly config: StreamPollerConfig;
  private readonly passes: (record: unknown) => boolean;
  private readonly stream: StreamReader;
  private stopped = false;
  /** Whether there are records that came since the last read began. */
  private hasNews = false;
  /** Ends the wait for records. */
  private wake = () => {};
  /** The number of the last record that was delivered. */
  private position: string | undefined;

  constructor(config: StreamPollerConfig) {
    this.config = config;
    this.stream = new StreamReader(config.dynamodbUrl, config.streamArn);
    this.passes = eventFilter(config.filters);
    config.follower?.onRecords(() => {
      this.hasNews = true;
      this.wake();
    });
    void this.poll();
  }

  /** Reads no further. */
  stop(): void {
    this.stopped = true;
    this.wake();
  }

  private async poll(): Promise<void> {
    let iterator: string | undefined;
    while (!this.stopped) {
      try {
        iterator ??= await this.stream.iteratorAfter(this.position);
        this.hasNews = false;
        const { records, next } = await this.gather(iterator);
        await this.deliver(records);
        this.recordPosition(records);
        iterator = next;
        if (records.length < this.config.batchSize) await this.untilRecords(records.length);
      } catch (error) {
        if (this.stopped) break;
        this.config.narrator.tell('problem', `reading ${this.config.streamArn}: ${error}`);
        iterator = undefined;
        await pause(1000);
      }
    }
  }

  /** Waits until there may be records, after a read that found the given number. */
  private async untilRecords(found: number): Promise<void> {
    if (!this.config.follower) return pause(found > 0 ? pauseMs : idleMs);
    if (this.hasNews || this.stopped) return;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
  }

  /** Reads a batch. If it has records to deliver, waits `gatheringMs` for more. */
  private async gather(iterator: string): Promise<StreamPage> {
    const { batchSize, gatheringMs } = this.config;
    const first = await this.stream.read(iterator, batchSize);
    const room = batchSize - first.records.length;
    if (gatheringMs === 0 || !first.next || room === 0 || !first.records.some(this.passes)) {
      return first;
    }
    await pause(gatheringMs);
    const { records, next } = await this.stream.read(first.next, room);
    return { records: [...first.records, ...records], next };
  }

  private recordPosition(records: DynamoDBRecord[]): void {
    const position = records.at(-1)?.dynamodb?.SequenceNumber;
    if (!position) return;
    this.position = position;
    this.config.follower?.delivered(position);
  }

  /** Delivers until the function has taken every record. Gives up on what is left after the last retry. */
  private async deliver(records: DynamoDBRecord[]): Promise<void> {
    let left = records.filter(this.passes);
    for (let retry = 0; left.length > 0 && !this.stopped; retry++) {
      if (retry > this.config.maxRetries) return this.giveUp(left);
      if (retry > 0) await pause(Math.min(10_000, firstRetryMs * 2 ** retry));
      left = await this.invoke(left);
    }
    if (left.length > 0) throw new Error('stopped before the batch was taken');
  }

  /** Returns what the function didn't take: every record from the first that it reported, as in Lambda. */
  private async invoke(records: DynamoDBRecord[]): Promise<DynamoDBRecord[]> {
    try {
      const response = (await this.config.function.invoke({
        Records: records.map((record) => ({ ...record, eventSourceARN: this.config.streamArn })),
      })) as DynamoDBBatchResponse | null;
      const failed = new Set(response?.batchItemFailures?.map((item) => item.itemIdentifier));
      const first = records.findIndex(({ dynamodb }) => failed.has(dynamodb?.SequenceNumber ?? ''));
      return first < 0 ? [] : records.slice(first);
    } catch {
      return records;
    }
  }

  /** Reports records to the failure queue: it is told which they are, and doesn't get the records themselves. */
  private async giveUp(records: DynamoDBRecord[]): Promise<void> {
    const { failureQueueUrl, narrator, streamArn, queuesUrl } = this.config;
    narrator.tell(
      'problem',
      `${this.config.function.config.name} refused ${records.length} stream records`,
    );
    if (!failureQueueUrl) return;
    const sqs = new SQSClient(clientConfig(queuesUrl));
    const MessageBody = JSON.stringify({
      DDBStreamBatchInfo: {
        streamArn,
        startSequenceNumber: records[0]?.dynamodb?.SequenceNumber,
        endSequenceNumber: records.at(-1)?.dynamodb?.SequenceNumber,
        batchSize: records.length,
      },
    });
    await sqs.send(new SendMessageCommand({ QueueUrl: failureQueueUrl, MessageBody }));
    sqs.destroy();
  }
}
