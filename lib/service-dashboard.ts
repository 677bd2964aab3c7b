import { Duration, Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { MetricName } from '../shared/metrics.ts';
import type { ServiceAlarms } from './service-alarms.ts';

export interface ServiceDashboardProps {
  readonly stageName: string;
  readonly alarms: ServiceAlarms;
}

/** The dashboard of the service's metrics, and the alarms on them. */
export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, { stageName, alarms }: ServiceDashboardProps) {
    super(scope, id);
    new Dashboard(this, 'dashboard', {
      dashboardName: `quire-${stageName}`,
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
            this.sum('UnbelievableUsage'),
          ),
        ],
        [
          this.graph('Runs of jobs by outcome', this.each('JobRuns', 'status,job_type')),
          this.graph('Wait for a worker, ms', this.each('QueueAgeMs', 'lane', 'p95')),
          this.graph('Requests, ms', this.each('RequestMs', 'route', 'p95')),
        ],
      ],
    });
    this.addAlarms(alarms);
  }

  private addAlarms(alarms: ServiceAlarms): void {
    alarms.above(this.sum('Faults'), 'faults', 10, {
      notices: 'Callers get 5xx answers',
      todo: 'see "Errors by code" on the dashboard; model_unavailable is a provider in trouble: add an upstream to the model; anything else is in the logs, level error',
    });
    alarms.above(this.percentile('QueueAgeMs', 'p95'), 'queue-age', 15 * 60_000, {
      notices: 'Jobs wait more than a quarter of an hour before they start',
      todo: 'see "Wait for a worker" for the lane; raise quire:chatWorkers, quire:ocrWorkers or quire:textractPagesPerSecond, and deploy',
    });
    alarms.above(this.sum('UnbelievableUsage'), 'unbelievable-usage', 5, {
      notices: 'Nothing: the calls are billed by an estimate, or by what was held',
      todo: 'a provider reports usage that cannot be true: search the logs for "unbelievable usage", compare with its bill, and correct the window, limits or prices of the model in the catalogue',
    });
    alarms.above(this.sum('HoldsSwept'), 'holds-swept', 20, {
      notices: 'Some keys have less to spend than they should for up to twenty minutes',
      todo: 'callers of models die before they settle: look for timeouts and crashes in the logs of create-chat-completion, stream-chat, run-chat-job and run-ocr-job',
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

  private sum(metricName: MetricName): Metric {
    return this.metric(metricName, 'Sum');
  }

  private percentile(metricName: MetricName, statistic: string): Metric {
    return this.metric(metricName, statistic);
  }

  private percentiles(metricName: MetricName): Metric[] {
    return ['p50', 'p95', 'p99'].map((statistic) => this.metric(metricName, statistic));
  }

  private metric(metricName: MetricName, statistic: string): Metric {
    return new Metric({
      namespace: 'Quire',
      metricName,
      dimensionsMap: { service: Stack.of(this).stackName },
      statistic,
      period: Duration.minutes(5),
    });
  }
}
