import * as v from 'valibot';

/** How a request to Google failed. Its body, headers and URL go no further than this file. */
export interface RequestFailure {
  /** The response's status; absent if no response came. */
  status?: number | undefined;
  /** Google's code for the reason, such as `rateLimitExceeded`, or the system's, such as `ECONNREFUSED`. */
  reason?: string | undefined;
  retryAfterMs?: number | undefined;
  /** Whether Google refused the access token, or the service account's key. */
  isUnauthorized: boolean;
  /** Whether the same request may succeed in a moment. */
  isTransient: boolean;
}

/** What a response says, as JSON; still text if it was requested as a stream. */
const Body = v.union([v.pipe(v.string(), v.parseJson()), v.unknown()]);
/** What gaxios throws: with a `response` if one came. */
const GaxiosFailure = v.object({
  config: v.looseObject({}),
  response: v.optional(v.object({ status: v.number(), headers: v.instance(Headers), data: Body })),
});

const Reason = v.pipe(v.string(), v.regex(/^\w{1,60}$/));
/** What fetch throws if no response came, with the system's error code two causes deep. */
const NetworkFailure = v.object({ cause: v.object({ cause: v.object({ code: Reason }) }) });
/** The body of an error of Drive's API. */
const ApiRefusal = v.object({
  error: v.object({ errors: v.tupleWithRest([v.object({ reason: Reason })], v.unknown()) }),
});
/** The body of an error of the token endpoint: https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
const TokenRefusal = v.object({ error: Reason });

/** The reasons for which Drive throttles with a 403 instead of a 429. */
const rateLimitReasons = ['rateLimitExceeded', 'userRateLimitExceeded', 'sharingRateLimitExceeded'];

/**
 * Reads how a request failed. Returns undefined for an error that isn't a failed request.
 * @see https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
export function failureOf(error: unknown): RequestFailure | undefined {
  const { success, output } = v.safeParse(GaxiosFailure, error);
  if (!success) return undefined;
  const { response } = output;
  if (!response) {
    const reason = v.is(NetworkFailure, error) ? error.cause.cause.code : undefined;
    return { reason, isUnauthorized: false, isTransient: true };
  }

  const { status, headers, data: body } = response;
  const isOfToken = v.is(TokenRefusal, body);
  const reason = isOfToken ? body.error : reasonIn(body);
  return {
    status,
    reason,
    retryAfterMs: readRetryAfter(headers.get('retry-after')),
    isUnauthorized: status === 401 || (isOfToken && !isTransient(status)),
    isTransient: isTransient(status, reason),
  };
}

function reasonIn(body: unknown): string | undefined {
  return v.is(ApiRefusal, body) ? body.error.errors[0].reason : undefined;
}

const isTransient = (status: number, reason = '') =>
  status === 408 ||
  status === 429 ||
  status >= 500 ||
  (status === 403 && rateLimitReasons.includes(reason));

/** Reads a `Retry-After` header, which is a number of seconds or a date. */
function readRetryAfter(value: string | null): number | undefined {
  if (!value) return undefined;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
