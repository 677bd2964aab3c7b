import { ServiceError } from '../http/errors.ts';

/** What a failed call to Textract means. */
export type TextractFailure = 'throttled' | 'unavailable' | 'unreadable' | 'forbidden' | 'unknown';

/** Returns what a failed call means, by the error and its causes: a throttle may be wrapped in another error. */
export function failureOf(error: unknown): TextractFailure {
  const links = chainOf(error);
  return order.find((failure) => links.some((link) => tests[failure](link))) ?? 'unknown';
}

/** Returns the error that a job fails with or waits for; an unknown error as it is. */
export function toServiceError(error: unknown): unknown {
  switch (failureOf(error)) {
    case 'throttled':
      return new ServiceError(429, 'ocr_throttled', 'Text recognition takes no more pages now.', {
        cause: error,
        retryAfterSeconds: 5,
      });
    case 'unavailable':
      return new ServiceError(503, 'ocr_unavailable', 'Text recognition does not answer now.', {
        cause: error,
        retryAfterSeconds: 5,
      });
    case 'unreadable':
      return new ServiceError(422, 'unreadable_page', 'The page is no image that can be read.', {
        cause: error,
        retryAfterSeconds: null,
      });
    case 'forbidden':
      return new ServiceError(500, 'ocr_forbidden', 'The service may not use text recognition.', {
        cause: error,
      });
    default:
      return error;
  }
}

/** What one error of a chain says of itself. */
interface Link {
  /** Its name and its codes, as the SDK, AWS and Node give them. */
  names: string[];
  status: number | undefined;
  isThrottle: boolean;
  isRetryable: boolean;
}

/** What passes comes first: it decides about a chain in which several failures meet. */
const order = ['throttled', 'unavailable', 'forbidden', 'unreadable'] as const;

const tests: Record<(typeof order)[number], (link: Link) => boolean> = {
  throttled: ({ names, status, isThrottle }) =>
    isThrottle || status === 429 || names.some((name) => throttles.test(name)),
  unavailable: ({ names, status = 0, isRetryable }) =>
    isRetryable || status >= 500 || names.some((name) => faults.test(name)),
  forbidden: ({ names, status }) =>
    status === 401 || status === 403 || names.some((name) => refusals.test(name)),
  unreadable: ({ names }) => names.some((name) => unreadables.test(name)),
};

const throttles =
  /^(throttl|requestthrottled|toomanyrequests|requestlimitexceeded|provisionedthroughputexceeded|limitexceeded|bandwidthlimitexceeded|slowdown)/i;

const faults =
  /^(internal(server|service|failure)|serviceunavailable|requesttimeout|timeouterror|networkingerror|econn|epipe|etimedout|enotfound|eai_again|ehostunreach|enetunreach|und_err|syntaxerror)/i;

const refusals =
  /^(accessdenied|unrecognizedclient|invalidsignature|signaturedoesnotmatch|expiredtoken|invalidclienttoken|missingauthenticationtoken|incompletesignature|notauthorized|optinrequired|subscriptionrequired|credentialsprovider)/i;

const unreadables =
  /^(unsupporteddocument|baddocument|documenttoolarge|invalidparameter|validation(error|exception))/i;

function chainOf(error: unknown): Link[] {
  const seen = new Set<unknown>();
  const links: Link[] = [];
  const waiting = [error];
  while (waiting.length > 0) {
    const next = waiting.shift();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    const fields = next as Record<string, unknown>;
    links.push(toLink(fields));
    const { cause, originalError, error: inner, errors } = fields;
    waiting.push(cause, originalError, inner, ...(Array.isArray(errors) ? errors : []));
  }
  return links;
}

function toLink(fields: Record<string, unknown>): Link {
  const { $metadata, $response, $retryable, $fault } = fields;
  const names = [fields['name'], fields['code'], fields['Code'], fields['__type']];
  const statuses = [
    propertyOf($metadata, 'httpStatusCode'),
    propertyOf($response, 'statusCode'),
    fields['statusCode'],
    fields['status'],
  ];
  return {
    names: names.flatMap((name) =>
      typeof name === 'string' ? (name.split('#').at(-1) ?? []) : [],
    ),
    status: statuses.find((status) => typeof status === 'number'),
    isThrottle: propertyOf($retryable, 'throttling') === true,
    isRetryable: Boolean($retryable) || $fault === 'server',
  };
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
