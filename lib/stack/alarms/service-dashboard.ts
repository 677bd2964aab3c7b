import { Duration, Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { MetricName } from '../../../shared/metrics.ts';
import { serviceMetric } from './service-metric.ts';

/** The dashboard of the service's metrics. */
export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, { stageName }: { readonly stageName: string }) {
    super(scope, id);
    new Dashboard(this, 'dashboard', {
      // An account has one of each name, for all regions.
      dashboardName: `quire-${stageName}-${Stack.of(this).region}`,
      defaultInterval: Duration.hours(12),
      widgets: [
        [
          this.graph('Requests by route', this.each('Requests', 'route')),
          this.graph('Errors by code', this.each('Errors', 'code')),
          this.graph('Time to first token, ms', ...this.percentiles('FirstTokenMs')),
          this.graph('Added before the model is asked, ms', ...this.percentiles('AddedMs')),
        ],
        [
          this.graph('Spend by model, USD', this.each('SpendUsd', 'model')),
          this.graph('Tokens', this.sum('PromptTokens'), this.sum('CompletionTokens')),
          this.graph('Pages by source', this.each('Pages', 'source')),
          this.graph(
            'Stops',
            this.sum('QuotaStops'),
            this.sum('HoldsSwept'),
            this.sum('UnsettledCalls'),
            this.sum('UnbelievableUsage'),
            this.sum('OutputBeyondLimit'),
          ),
        ],
        [
          this.graph('Runs of jobs by outcome', this.each('JobRuns', 'status,job_type')),
          this.graph('Wait for a worker, ms', this.each('QueueAgeMs', 'lane', 'p95')),
          this.graph('Requests, ms', this.each('RequestMs', 'route', 'p95')),
        ],
      ],
    });
  }

  private graph(title: string, ...metrics: (Metric | MathExpression)[]): GraphWidget {
    return new GraphWidget({ title, left: metrics, width: 6, height: 6 });
  }

  /** One line for each value of a dimension. */
  private each(name: MetricName, dimensions: string, statistic = 'Sum'): MathExpression {
    const schema = `{Quire,service,${dimensions}}`;
    const filter = `service="${Stack.of(this).stackName}" MetricName="${name}"`;
    return new MathExpression({
      expression: `SEARCH('${schema} ${filter}', '${statistic}', 300)`,
      label: '',
    });
  }

  private sum(name: MetricName): Metric {
    return serviceMetric(this, name);
  }

  private percentiles(name: MetricName): Metric[] {
    return ['p50', 'p95', 'p99'].map((statistic) => serviceMetric(this, name, statistic));
  }
}
