import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { LaneQueue } from './lane-queue.ts';
import type { ServiceAlarms } from './service-alarms.ts';

export interface JobLanesProps {
  readonly alarms: ServiceAlarms;
  readonly laneShards: number;
}

/** The kinds of work that have a queue of their own. */
export class JobLanes extends Construct {
  readonly chat: LaneQueue;
  readonly ocr: LaneQueue;
  readonly folder: LaneQueue;
  private readonly laneShards: number;

  constructor(scope: Construct, id: string, { alarms, laneShards }: JobLanesProps) {
    super(scope, id);
    this.laneShards = laneShards;
    this.chat = new LaneQueue(this, 'chat', { name: 'chat', alarms });
    this.ocr = new LaneQueue(this, 'ocr', { name: 'ocr', alarms });
    this.folder = new LaneQueue(this, 'folder', { name: 'folder', alarms });
  }

  /** Lets a function send messages for jobs of any kind. */
  grantRing(fn: LambdaFunction): void {
    for (const lane of [this.chat, this.ocr, this.folder]) lane.grantRing(fn);
  }

  /** Sets how many shards each lane has, for a function that makes jobs or looks for them. */
  setShards(fn: LambdaFunction): void {
    fn.addEnvironment('LANE_SHARDS', String(this.laneShards));
  }
}
