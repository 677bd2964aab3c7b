interface AwsError {
  name: string;
  code?: string;
  $metadata: { httpStatusCode?: number };
  /** Why a transaction was cancelled, item by item. */
  CancellationReasons?: { Code?: string }[];
}

const throttled = /Throttl|ThroughputExceeded|SlowDown|TooManyRequests|RequestLimitExceeded/;
const notReached = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT)$/;

/**
 * Whether a service of AWS throttles, fails or can't be reached, once its client has given up: whoever asks later may
 * well get an answer.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
export function isOutage(error: unknown): boolean {
  const { name, code, $metadata, CancellationReasons } = (error ?? {}) as Partial<AwsError>;
  if (!name || !$metadata) return false;
  if (($metadata.httpStatusCode ?? 0) >= 500 || throttled.test(name)) return true;
  if (name === 'TimeoutError' || notReached.test(code ?? '')) return true;
  const reasons = CancellationReasons ?? [];
  return reasons.some(({ Code = '' }) => throttled.test(Code) || Code === 'TransactionConflict');
}
