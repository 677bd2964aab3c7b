import { Duration } from 'aws-cdk-lib';
import type { ITable, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import {
  FilterCriteria,
  type Function as LambdaFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type AlarmText, ServiceAlarms } from '../alarms/service-alarms.ts';
import { acknowledge } from './permissions.ts';
import { queueDefaults } from './queue-defaults.ts';

export interface StreamFeedProps {
  readonly table: TableV2;
  readonly fn: LambdaFunction;
  /** A record is delivered if it matches any of these. */
  readonly patterns: Record<string, unknown>[];
  /** How long records are gathered before they are delivered, so that more of them come at once; default: not at all. */
  readonly gatheredFor?: Duration;
  /** Whether records of several items are delivered at the same time. Records of one partition key stay in order. */
  readonly inParallel?: boolean;
  /** What a user notices of batches that were given up, and what to do. */
  readonly alarmText: Omit<AlarmText, 'runbook'>;
  /** What a user notices of records that wait for more than five minutes, and what to do. */
  readonly latenessText: Omit<AlarmText, 'runbook'>;
}

/** Feeds a table's stream to a function, in order; batches that fail each time are noted in a queue. */
export class StreamFeed extends Construct {
  constructor(scope: Construct, id: string, props: StreamFeedProps) {
    super(scope, id);
    const { table, fn, patterns, gatheredFor, inParallel, alarmText, latenessText } = props;
    const missed = new Queue(this, 'missed-batches', queueDefaults);
    acknowledge(missed, {
      SQS3: 'It is itself where a stream gives up what its function refuses.',
    });
    const alarms = ServiceAlarms.of(this);
    alarms.onMessages(missed, { runbook: 'Missed batches', ...alarmText });
    alarms.onLateness(fn, Duration.minutes(5), { runbook: 'Streams late', ...latenessText });
    fn.addEventSource(
      // TableV2 differs from ITable only under `exactOptionalPropertyTypes`.
      new DynamoEventSource(table as ITable, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 100,
        ...(gatheredFor && { maxBatchingWindow: gatheredFor }),
        ...(inParallel && { parallelizationFactor: 10 }),
        retryAttempts: 10,
        bisectBatchOnError: true,
        reportBatchItemFailures: true,
        onFailure: new SqsDlq(missed),
        filters: patterns.map((pattern) => FilterCriteria.filter(pattern)),
      }),
    );
  }
}
