import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, type Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** Alarms, each of which says what a user notices. */
export class ServiceAlarms extends Construct {
  private readonly enabled: boolean;

  constructor(scope: Construct, id: string, enabled: boolean) {
    super(scope, id);
    this.enabled = enabled;
  }

  /** Alarms while a dead-letter queue holds anything. */
  onMessages(queue: Queue, userImpact: string): void {
    const metric = queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) });
    this.onAny(`${queue.node.path}-messages`, metric, userImpact);
  }

  /** Alarms when a function fails. */
  onErrors(fn: LambdaFunction, userImpact: string): void {
    this.onAny(
      `${fn.node.path}-errors`,
      fn.metricErrors({ period: Duration.minutes(5) }),
      userImpact,
    );
  }

  private onAny(path: string, metric: Metric, userImpact: string): void {
    if (!this.enabled) return;
    metric.createAlarm(this, path.split('/').slice(1).join('-'), {
      alarmDescription: userImpact,
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
