import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, type Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** What an alarm says: what users notice, and what its reader should do. */
export interface AlarmText {
  readonly notices: string;
  readonly todo: string;
}

/** Alarms, each of which says what a user notices and what to do. */
export class ServiceAlarms extends Construct {
  private readonly enabled: boolean;

  constructor(scope: Construct, id: string, enabled: boolean) {
    super(scope, id);
    this.enabled = enabled;
  }

  /** Alarms while a dead-letter queue holds any message. */
  onMessages(queue: Queue, text: AlarmText): void {
    const metric = queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) });
    this.above(metric, nameOf(queue, 'messages'), 1, text);
  }

  /** Alarms when a function fails. */
  onErrors(fn: LambdaFunction, text: AlarmText): void {
    const metric = fn.metricErrors({ period: Duration.minutes(5) });
    this.above(metric, nameOf(fn, 'errors'), 1, text);
  }

  /** Alarms when a figure reaches a threshold. */
  above(metric: Metric, id: string, threshold: number, { notices, todo }: AlarmText): void {
    if (!this.enabled) return;
    metric.createAlarm(this, id, {
      alarmDescription: `${notices}. What to do: ${todo}.`,
      threshold,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}

const nameOf = ({ node }: Construct, what: string) =>
  `${node.path}-${what}`.split('/').slice(1).join('-');
