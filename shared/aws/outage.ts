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
 * Whether a service of AWS throttles, fails or can't be reached, after its client's own retries.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
export function isOutage(error: unknown): boolean {
  const { name, code, $metadata, CancellationReasons } = (error ?? {}) as Partial<AwsError>;
  if (!name || !$metadata) return false;
  if (($metadata.httpStatusCode ?? 0) >= 500 || throttled.test(name)) return true;
  if (name === 'TimeoutError' || notReached.test(code ?? '')) return true;
  return isCancelledForNow(CancellationReasons);
}

/** Whether DynamoDB certainly did nothing of a write, as it throttles or another write was in the way. */
export function isThrottled(error: unknown): boolean {
  const { name = '', $metadata, CancellationReasons } = (error ?? {}) as Partial<AwsError>;
  return (
    $metadata !== undefined &&
    (throttled.test(name) ||
      name === 'TransactionConflictException' ||
      isCancelledForNow(CancellationReasons))
  );
}

const isCancelledForNow = (reasons: AwsError['CancellationReasons'] = []) =>
  reasons.some(({ Code = '' }) => throttled.test(Code) || Code === 'TransactionConflict');
