import { setTimeout as pause } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { clientConfig } from '../engines/client-config.ts';
import type { Narrator } from '../narrator.ts';
import { region } from '../template/resource-names.ts';
import type { FunctionHost } from './function-host.ts';
import { InvocationError } from './invocation.ts';
import { ThrottledError } from './quota.ts';

export interface QueuePollerConfig {
  url: string;
  queueUrl: string;
  queueArn: string;
  batchSize: number;
  maxConcurrency: number;
  function: FunctionHost;
  narrator: Narrator;
}

const throttledPauseMs = 500;

/** Whether an invocation failed as its process ended, which is told already. */
const isOfEnd = (error: Error) =>
  error instanceof InvocationError && error.errorType === 'Runtime.ExitError';

/**
 * Feeds a queue to a function as Lambda's event source mapping does. Messages that fail stay in the queue until
 * their visibility timeout ends.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export class QueuePoller {
  private readonly config: QueuePollerConfig;
  private readonly sqs: SQSClient;
  private readonly stopped = new AbortController();
  private readonly running = new Set<Promise<void>>();

  constructor(config: QueuePollerConfig) {
    this.config = config;
    this.sqs = new SQSClient(clientConfig(config.url));
    void this.poll();
  }

  /** Receives no more messages. */
  stop(): void {
    this.stopped.abort();
  }

  private async poll(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      if (this.running.size >= this.config.maxConcurrency) {
        await Promise.race(this.running);
        continue;
      }
      const messages = await this.receive();
      if (messages.length > 0) this.start(messages);
    }
    this.sqs.destroy();
  }

  private start(messages: Message[]): void {
    const run = this.deliver(messages).catch((error: Error) => {
      // Functions are ended with the stage. Their messages come again when it starts.
      if (this.stopped.signal.aborted || isOfEnd(error)) return;
      this.config.narrator.tell('problem', `${this.config.function.config.name}: ${error.message}`);
    });
    this.running.add(run);
    void run.then(() => this.running.delete(run));
  }

  private async receive(): Promise<Message[]> {
    try {
      const { Messages = [] } = await this.sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: this.config.queueUrl,
          MaxNumberOfMessages: Math.min(10, this.config.batchSize),
          WaitTimeSeconds: 20,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
        { abortSignal: this.stopped.signal },
      );
      return Messages;
    } catch (error) {
      if (this.stopped.signal.aborted) return [];
      this.config.narrator.tell('problem', `receiving from ${this.config.queueUrl}: ${error}`);
      await pause(1000);
      return [];
    }
  }

  /** Invokes the function; where Lambda's quota is used up, again as long as it takes, as Lambda's poller does. */
  private async invoke(event: SQSEvent): Promise<unknown> {
    for (;;) {
      try {
        return await this.config.function.invoke(event);
      } catch (error) {
        if (!(error instanceof ThrottledError) || this.stopped.signal.aborted) throw error;
        await pause(throttledPauseMs);
      }
    }
  }

  private async deliver(messages: Message[]): Promise<void> {
    const response = (await this.invoke(this.eventOf(messages))) as SQSBatchResponse | undefined;
    const failed = new Set(response?.batchItemFailures?.map((item) => item.itemIdentifier));
    const done = messages.filter(({ MessageId }) => !failed.has(MessageId ?? ''));
    if (done.length === 0) return;
    await this.sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl: this.config.queueUrl,
        Entries: done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
      }),
    );
  }

  private eventOf(messages: Message[]): SQSEvent {
    return {
      Records: messages.map((message) => ({
        messageId: message.MessageId ?? '',
        receiptHandle: message.ReceiptHandle ?? '',
        body: message.Body ?? '',
        attributes: (message.Attributes ?? {}) as unknown as SQSEvent['Records'][0]['attributes'],
        messageAttributes: {},
        md5OfBody: message.MD5OfBody ?? '',
        eventSource: 'aws:sqs',
        eventSourceARN: this.config.queueArn,
        awsRegion: region,
      })),
    };
  }
}
