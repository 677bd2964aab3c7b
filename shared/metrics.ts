import { setting } from './config.ts';

/** The metrics, each with its unit. */
const units = {
  Requests: 'Count',
  Errors: 'Count',
  /** Responses with a 5xx status that are the service's fault. */
  Faults: 'Count',
  /** Responses with a 503 as what a provider of models, of searches or of files outside of AWS fails. */
  ProviderFaults: 'Count',
  RequestMs: 'Milliseconds',
  /** How long a model call waits for its hold before the model is asked. */
  AddedMs: 'Milliseconds',
  /** From a request's arrival until the first piece of its response. */
  FirstTokenMs: 'Milliseconds',
  PromptTokens: 'Count',
  CompletionTokens: 'Count',
  SpendUsd: 'None',
  /** Runs of jobs, by the status in which each left its job. */
  JobRuns: 'Count',
  /** How long a job was ready before a worker claimed it. */
  QueueAgeMs: 'Milliseconds',
  Pages: 'Count',
  QuotaStops: 'Count',
  /** Calls that were never settled, since their function died: they are free to their callers. */
  HoldsSwept: 'Count',
  /** What was held for them: the most that they can have cost. */
  HoldsSweptUsd: 'None',
  /** Calls that were made, and whose charge could not be written. */
  UnsettledCalls: 'Count',
  /** Answers whose usage can't be true, or would cost more than was held. */
  UnbelievableUsage: 'Count',
  /** Answers that are longer than their calls allow. */
  OutputBeyondLimit: 'Count',
  /** The longest that a job has been ready which the sweep came by. */
  OldestReadyMs: 'Milliseconds',
  /** How often calls of a model were stopped for a while because its upstream fails. */
  CircuitsOpened: 'Count',
} as const;

export type MetricName = keyof typeof units;

/**
 * Writes metrics for CloudWatch as one log line in embedded metric format: once by their dimensions, and once
 * for the deployment as a whole. A key's id is never a dimension: figures by key are in the usage statistics.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function measure(
  figures: Partial<Record<MetricName, number>>,
  dimensions: Record<string, string> = {},
): void {
  const names = Object.keys(dimensions);
  const line = {
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        {
          Namespace: 'Quire',
          Dimensions: names.length > 0 ? [['service', ...names], ['service']] : [['service']],
          Metrics: Object.keys(figures).map((name) => ({
            Name: name,
            Unit: units[name as MetricName],
          })),
        },
      ],
    },
    service: setting('SERVICE_NAME'),
    ...dimensions,
    ...figures,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
