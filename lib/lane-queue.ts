import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ServiceAlarms } from './service-alarms.ts';

export interface LaneQueueProps {
  readonly name: string;
  readonly alarms: ServiceAlarms;
}

/** One lane's doorbells and the queue for those that nobody could answer. */
export class LaneQueue extends Construct {
  private readonly queue: Queue;
  private readonly name: string;

  constructor(scope: Construct, id: string, { name, alarms }: LaneQueueProps) {
    super(scope, id);
    this.name = name;
    const deadLetters = new Queue(this, 'dead-letters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      // A worker's whole time and a minute for the poller: never two workers on one message.
      visibilityTimeout: workerTimeout.plus(Duration.minutes(1)),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 },
    });
    alarms.onMessages(deadLetters, {
      notices: `${name} jobs start up to two minutes late: their workers fail before they begin`,
      todo: `find the error in the worker's logs, put it right, then redrive: aws sqs start-message-move-task --source-arn with this queue's ARN`,
    });
  }

  /** Lets a function ring for this lane's jobs. */
  grantRing(fn: LambdaFunction): void {
    this.queue.grantSendMessages(fn);
    fn.addEnvironment(`${this.name.toUpperCase()}_QUEUE_URL`, this.queue.queueUrl);
  }

  /** Lets `workers` copies of a function at once answer this lane's doorbells, each a few of them. */
  feed(fn: LambdaFunction, workers: number, batchSize = 10): void {
    fn.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize,
        maxConcurrency: workers,
        reportBatchItemFailures: true,
      }),
    );
  }
}

/** The longest a Lambda may run. */
export const workerTimeout = Duration.minutes(15);
