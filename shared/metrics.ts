import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

const units = {
  Requests: MetricUnit.Count,
  Errors: MetricUnit.Count,
  /** Responses with a 5xx status that are the service's fault. */
  Faults: MetricUnit.Count,
  /** Responses with a 503 as what a provider of models, of searches or of files outside of AWS fails. */
  ProviderFaults: MetricUnit.Count,
  RequestMs: MetricUnit.Milliseconds,
  /** How long a model call waits for its hold before the model is asked. */
  AddedMs: MetricUnit.Milliseconds,
  /** From a request's arrival until the first piece of its response. */
  FirstTokenMs: MetricUnit.Milliseconds,
  PromptTokens: MetricUnit.Count,
  CompletionTokens: MetricUnit.Count,
  SpendUsd: MetricUnit.NoUnit,
  /** Runs of jobs, by the status in which each left its job. */
  JobRuns: MetricUnit.Count,
  /** How long a job was ready before a worker claimed it. */
  QueueAgeMs: MetricUnit.Milliseconds,
  Pages: MetricUnit.Count,
  QuotaStops: MetricUnit.Count,
  /** Calls that were never settled, since their function died: they are free to their callers. */
  HoldsSwept: MetricUnit.Count,
  HoldsSweptUsd: MetricUnit.NoUnit,
  /** Calls that were made, and whose charge could not be written. */
  UnsettledCalls: MetricUnit.Count,
  /** Answers whose usage can't be true, or would cost more than was held. */
  UnbelievableUsage: MetricUnit.Count,
  /** Answers that are longer than their calls allow. */
  OutputBeyondLimit: MetricUnit.Count,
  /** The longest that a job has been ready which the sweep came by. */
  OldestReadyMs: MetricUnit.Milliseconds,
  /** How often calls of a model were stopped for a while because its upstream fails. */
  CircuitsOpened: MetricUnit.Count,
  /** How much of what all keys may spend in a day is spent or held. */
  CeilingPercent: MetricUnit.Percent,
} as const;

export type MetricName = keyof typeof units;

/** The instance is empty between two lines. A new one for each line would take three times as long. */
const metrics = new Metrics({ namespace: 'Quire' });

/**
 * Writes metrics as a log line in embedded metric format, by their dimensions and for the whole deployment. A key's
 * id is never a dimension: usage statistics have figures by key.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function measure(
  figures: Partial<Record<MetricName, number>>,
  dimensions: Record<string, string> = {},
): void {
  for (const [name, value] of Object.entries(figures)) {
    metrics.addMetric(name, units[name as MetricName], value);
  }
  if (Object.keys(dimensions).length > 0) metrics.addDimensions(dimensions).addDimensions({});
  metrics.publishStoredMetrics();
}
