import { Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { MetricName } from '../../../shared/metrics.ts';

/** Returns a metric of the deployment as a whole, as its functions measure it. */
export function serviceMetric(
  scope: Construct,
  metricName: MetricName,
  statistic = 'Sum',
  period = Duration.minutes(5),
): Metric {
  return new Metric({
    namespace: 'Quire',
    metricName,
    dimensionsMap: { service: Stack.of(scope).stackName },
    statistic,
    period,
  });
}
