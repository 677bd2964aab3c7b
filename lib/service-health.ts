import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { ServiceAlarms } from './service-alarms.ts';
import { serviceMetric } from './service-metric.ts';

export interface ServiceHealthProps {
  readonly alarms: ServiceAlarms;
  readonly concurrency: number;
}

/** The alarms on the service as a whole: on what its functions measure, and on what happens before they run. */
export class ServiceHealth extends Construct {
  private readonly props: ServiceHealthProps;

  constructor(scope: Construct, id: string, props: ServiceHealthProps) {
    super(scope, id);
    this.props = props;
    this.watchCallers();
    this.watchJobs();
    this.watchConcurrency();
  }

  private watchCallers(): void {
    const { alarms } = this.props;
    alarms.on(
      serviceMetric(this, 'Faults'),
      'faults',
      { threshold: 10 },
      {
        notices: 'Callers get 5xx answers',
        todo: 'find the code of the errors; model_unavailable is a provider in trouble',
        runbook: 'Faults',
      },
    );
    alarms.on(
      serviceMetric(this, 'CircuitsOpened'),
      'provider-down',
      { threshold: 5 },
      {
        notices: 'Answers of a model are 503 or come from its next upstream, and chat jobs wait',
        todo: 'see which provider it is, and whether its key is valid; add an upstream to the model',
        runbook: 'Provider down',
        essential: true,
      },
    );
    alarms.on(
      serviceMetric(this, 'HoldsSwept'),
      'holds-swept',
      { threshold: 5 },
      {
        notices: 'Answers break off or never come; nobody pays for them but the operator',
        todo: 'functions die between asking a model and settling: find out which, and why',
        runbook: 'Holds swept',
        essential: true,
      },
    );
    alarms.on(
      serviceMetric(this, 'UnbelievableUsage'),
      'unbelievable-usage',
      { threshold: 1 },
      {
        notices:
          'Some answers have an estimated usage, and the operator may pay more than the key does',
        todo: "compare the figures of the log with the provider's bill and the catalogue",
        runbook: 'Unbelievable usage',
      },
    );
    alarms.on(
      serviceMetric(this, 'OutputBeyondLimit'),
      'output-beyond-limit',
      { threshold: 1 },
      {
        notices: 'Some answers are longer than was asked for, and cost more; some streams are cut',
        todo: "set outputLimitName of the model's upstream in the catalogue, or its maxOutputTokens",
        runbook: 'Output beyond its limit',
      },
    );
  }

  private watchJobs(): void {
    const { alarms } = this.props;
    const text = {
      notices: 'Jobs wait more than a quarter of an hour before they start',
      todo: 'find the lane, then raise its workers or quire:textractPagesPerSecond, and deploy',
      runbook: 'Jobs wait',
    };
    const threshold = 15 * 60_000;
    alarms.on(serviceMetric(this, 'QueueAgeMs', 'p95'), 'queue-age', { threshold }, text);
    // The sweep comes by at a job that waits after 1, 2, 4, 8, 16 minutes: half an hour holds one of them.
    const oldest = serviceMetric(this, 'OldestReadyMs', 'Maximum', Duration.minutes(30));
    alarms.on(oldest, 'oldest-ready', { threshold }, { ...text, essential: true });
  }

  /** The account's functions of other stacks count as well: they take from the same quota. */
  private watchConcurrency(): void {
    const { alarms, concurrency } = this.props;
    const ofAccount = (metricName: string, statistic: string) =>
      new Metric({ namespace: 'AWS/Lambda', metricName, statistic, period: Duration.minutes(5) });
    alarms.on(
      ofAccount('Throttles', 'Sum'),
      'throttles',
      { threshold: 1 },
      {
        notices: 'Some calls get 429 or 5xx answers, jobs start late',
        todo: 'see which function it is, and what takes the concurrency of the account',
        runbook: 'Concurrency',
        essential: true,
      },
    );
    alarms.on(
      ofAccount('ConcurrentExecutions', 'Maximum'),
      'concurrency',
      { threshold: Math.ceil(concurrency * 0.8) },
      {
        notices: 'Nothing yet; soon calls get 429 answers and jobs start late',
        todo: 'have the quota of concurrent executions raised, or lower the workers',
        runbook: 'Concurrency',
        essential: true,
      },
    );
  }
}
