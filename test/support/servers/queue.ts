import { DeleteMessageBatchCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { afterAll } from 'vitest';
import { sqs } from '../../../shared/aws/sqs.ts';
import { setting } from '../../../shared/config.ts';

/** Takes all messages of a queue, the chat one's, that are visible now, as records of a Lambda event. */
export async function takeMessages(QueueUrl = setting('CHAT_QUEUE_URL')): Promise<SQSRecord[]> {
  const records: SQSRecord[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: atOnce }),
    );
    records.push(...Messages.map(({ MessageId, Body = '' }) => recordOf(Body, MessageId)));
    const Entries = Messages.map(({ MessageId: Id, ReceiptHandle }) => ({ Id, ReceiptHandle }));
    if (Entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    // The local queue gives as many as it has.
    if (Entries.length < atOnce) return records;
  }
}

/** Tells of each queue to which this process sends messages from now on. */
export function onMessages(tell: (queueUrl: string) => void): void {
  sqs.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const { QueueUrl } = args.input as { QueueUrl?: string };
        if (QueueUrl && commandName?.startsWith('SendMessage')) tell(QueueUrl);
        return next(args);
      },
    { step: 'initialize', name: 'onMessages' },
  );
}

/** The most messages that one request receives. */
const atOnce = 10;

let messages = 0;

/** A record of an SQS event. */
export const recordOf = (body: string, messageId = `message-${++messages}`): SQSRecord => ({
  messageId,
  body,
  receiptHandle: messageId,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: 'test',
    ApproximateFirstReceiveTimestamp: '0',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:chat',
  awsRegion: 'us-east-1',
});

export const eventOf = (...Records: SQSRecord[]): SQSEvent => ({ Records });

let isOver = false;
afterAll(() => {
  isOver = true;
});

/**
 * The context of a worker that has `remainingMs` left, all its time by default, until the tests of its file are over:
 * one that a test gave up would go on to take the jobs of the next file.
 */
export const contextOf = (remainingMs = 900_000) =>
  ({ getRemainingTimeInMillis: () => (isOver ? 0 : remainingMs) }) as Context;

/** The context of a worker that claims what it has messages for, and nothing after that. */
export function contextOfOneClaim(): Context {
  const times = [900_000];
  return { getRemainingTimeInMillis: () => times.pop() ?? 0 } as Context;
}
