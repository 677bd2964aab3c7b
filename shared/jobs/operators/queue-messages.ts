import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs';
import { sqs } from '../../aws/sqs.ts';
import { setting } from '../../config.ts';
import type { QueueName } from '../engine/item/queue-shards.ts';
import { queueUrlOf } from '../work/notify.ts';

/** How many messages a queue has, about: SQS counts them with a minute's delay. */
export interface QueueMessages {
  visible: number;
  in_flight: number;
  delayed: number;
  /** In its dead-letter queue. */
  dead: number;
}

const deadLettersSettings = {
  chat: 'CHAT_DEAD_LETTERS_URL',
  ocr: 'OCR_DEAD_LETTERS_URL',
  folder: 'FOLDER_DEAD_LETTERS_URL',
} as const;

/** Counts the messages of a queue. */
export async function countMessages(queue: QueueName): Promise<QueueMessages> {
  const [waiting, dead] = await Promise.all([
    countsOf(queueUrlOf(queue)),
    countsOf(setting(deadLettersSettings[queue])),
  ]);
  return { ...waiting, dead: dead.visible };
}

async function countsOf(QueueUrl: string): Promise<Omit<QueueMessages, 'dead'>> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ],
    }),
  );
  return {
    visible: Number(Attributes['ApproximateNumberOfMessages'] ?? 0),
    in_flight: Number(Attributes['ApproximateNumberOfMessagesNotVisible'] ?? 0),
    delayed: Number(Attributes['ApproximateNumberOfMessagesDelayed'] ?? 0),
  };
}

/** A receive of SQS may find nothing though there is something. */
const emptyReceives = 3;

/** Moves dead letters back to their queue: each is sent before it is deleted, as one sent twice does nothing twice. */
export async function moveDeadLettersBack(
  queue: QueueName,
  onMoved: (moved: number) => void = () => {},
): Promise<number> {
  const [queueUrl, deadUrl] = [queueUrlOf(queue), setting(deadLettersSettings[queue])];
  let moved = 0;
  for (let empty = 0; empty < emptyReceives; ) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: deadUrl, MaxNumberOfMessages: 10 }),
    );
    empty = Messages.length === 0 ? empty + 1 : 0;
    if (Messages.length === 0) continue;
    const sent = await send(queueUrl, Messages);
    if (sent.length > 0) await remove(deadUrl, sent);
    moved += sent.length;
    onMoved(moved);
  }
  return moved;
}

async function send(QueueUrl: string, messages: Message[]): Promise<Message[]> {
  const Entries = messages.map(({ Body }, index) => ({ Id: String(index), MessageBody: Body }));
  const { Successful = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  return Successful.flatMap(({ Id }) => messages[Number(Id)] ?? []);
}

async function remove(QueueUrl: string, messages: Message[]): Promise<void> {
  const Entries = messages.map(({ ReceiptHandle }, index) => ({
    Id: String(index),
    ReceiptHandle,
  }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
}
