import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { QueueWithDeadLetters } from './queue-with-dead-letters.ts';

/** The queues of jobs, one for each kind of work. */
export class JobQueues extends Construct {
  readonly chat: QueueWithDeadLetters;
  readonly ocr: QueueWithDeadLetters;
  readonly folder: QueueWithDeadLetters;
  private readonly laneShards: number;

  constructor(scope: Construct, id: string, laneShards: number) {
    super(scope, id);
    this.laneShards = laneShards;
    this.chat = new QueueWithDeadLetters(this, 'chat');
    this.ocr = new QueueWithDeadLetters(this, 'ocr');
    this.folder = new QueueWithDeadLetters(this, 'folder');
  }

  /** Lets a function send messages for jobs of any kind. */
  grantRing(fn: LambdaFunction): void {
    for (const queue of [this.chat, this.ocr, this.folder]) queue.grantRing(fn);
  }

  /** Sets how many shards each queue has, for a function that makes jobs or looks for them. */
  setShards(fn: LambdaFunction): void {
    fn.addEnvironment('LANE_SHARDS', String(this.laneShards));
  }
}
