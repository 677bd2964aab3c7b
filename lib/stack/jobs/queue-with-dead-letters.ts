import { CfnOutput, Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ServiceAlarms } from '../alarms/service-alarms.ts';
import { queueDefaults } from '../base/queue-defaults.ts';

/** The queue of one kind of jobs: of messages, each for a job, with its dead-letter queue. */
export class QueueWithDeadLetters extends Construct {
  private readonly queue: Queue;

  constructor(scope: Construct, name: string) {
    super(scope, name);
    const deadLetters = new Queue(this, 'dead-letters', queueDefaults);
    this.queue = new Queue(this, 'queue', {
      ...queueDefaults,
      // A worker's timeout, and a minute for the poller: two workers never have the same message.
      visibilityTimeout: workerTimeout.plus(Duration.minutes(1)),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 },
    });
    this.putOut('Queue', this.queue);
    this.putOut('DeadLetters', deadLetters);
    ServiceAlarms.of(this).onMessages(deadLetters, {
      notices: `${name} jobs start up to two minutes late: their workers fail before they begin`,
      todo: `find the error in the worker's logs, put it right, then npm run jobs -- redrive --stack NAME`,
      runbook: 'Dead letters',
      essential: true,
    });
    // A message is in flight for as long as its worker, and comes back once if that dies.
    ServiceAlarms.of(this).onAge(this.queue, Duration.minutes(30), {
      notices: `${name} jobs wait more than half an hour before they start`,
      todo: `see whether the ${name} workers run at all, or are too few`,
      runbook: 'Jobs wait',
    });
  }

  /** Puts out the URL of a queue, such as `ChatQueue`, for operators' commands. */
  private putOut(role: string, { queueUrl: value }: Queue): void {
    const { id } = this.node;
    const kind = id.charAt(0).toUpperCase() + id.slice(1);
    new CfnOutput(this, `${role}-url`, { value }).overrideLogicalId(`${kind}${role}`);
  }

  /** Lets a function send messages for this queue's jobs. */
  grantRing(fn: LambdaFunction): void {
    this.allow(fn, 'sqs:SendMessage');
  }

  /** Lets a function ask whether this queue is there. */
  grantLook(fn: LambdaFunction): void {
    this.allow(fn, 'sqs:GetQueueAttributes');
  }

  private allow(fn: LambdaFunction, action: string): void {
    this.queue.grant(fn, action);
    fn.addEnvironment(`${this.node.id.toUpperCase()}_QUEUE_URL`, this.queue.queueUrl);
  }

  /** Feeds this queue's messages to a function: to at most `workers` copies at once, a batch to each. */
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

/** The longest that a Lambda function may run. @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const workerTimeout = Duration.minutes(15);
