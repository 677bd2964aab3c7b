import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** What is measured, and in which unit. */
const units = {
  Requests: MetricUnit.Count,
  Errors: MetricUnit.Count,
  /** Errors that are ours or a provider's. */
  Faults: MetricUnit.Count,
  RequestMs: MetricUnit.Milliseconds,
  /** What a model call waits for before its model is asked: its hold. */
  AddedMs: MetricUnit.Milliseconds,
  /** From a request's arrival until the model's first byte. */
  FirstTokenMs: MetricUnit.Milliseconds,
  PromptTokens: MetricUnit.Count,
  CompletionTokens: MetricUnit.Count,
  SpendUsd: MetricUnit.NoUnit,
  /** A worker's runs of jobs, by the status that each left its job in. */
  JobRuns: MetricUnit.Count,
  /** From when a job was ready until a worker took it. */
  QueueAgeMs: MetricUnit.Milliseconds,
  Pages: MetricUnit.Count,
  QuotaStops: MetricUnit.Count,
  HoldsSwept: MetricUnit.Count,
} as const;

export type MetricName = keyof typeof units;

/**
 * Writes figures for CloudWatch as one log line in embedded metric format: by their dimensions, and for
 * the deployment as a whole. Never a key's id: what is measured by key is in the statistics.
 */
export function measure(
  figures: Partial<Record<MetricName, number>>,
  dimensions: Record<string, string> = {},
): void {
  const metrics = new Metrics({ namespace: 'Quire' });
  for (const [name, value] of Object.entries(figures)) {
    metrics.addMetric(name, units[name as MetricName], value);
  }
  if (Object.keys(dimensions).length > 0) metrics.addDimensions(dimensions).addDimensions({});
  metrics.publishStoredMetrics();
}
