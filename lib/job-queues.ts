import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { JobQueue } from './job-queue.ts';
import type { ServiceAlarms } from './service-alarms.ts';

export interface JobQueuesProps {
  readonly alarms: ServiceAlarms;
  readonly laneShards: number;
}

/** The queues of jobs, one for each kind of work. */
export class JobQueues extends Construct {
  readonly chat: JobQueue;
  readonly ocr: JobQueue;
  readonly folder: JobQueue;
  private readonly laneShards: number;

  constructor(scope: Construct, id: string, { alarms, laneShards }: JobQueuesProps) {
    super(scope, id);
    this.laneShards = laneShards;
    this.chat = new JobQueue(this, 'chat', { name: 'chat', alarms });
    this.ocr = new JobQueue(this, 'ocr', { name: 'ocr', alarms });
    this.folder = new JobQueue(this, 'folder', { name: 'folder', alarms });
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
