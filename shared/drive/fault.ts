import * as v from 'valibot';

/** How a request to Google failed; none of its body, headers or address goes further than this. */
export interface Fault {
  /** Absent where no answer came. */
  status?: number | undefined;
  /** Google's own word for it, or the system's where no answer came. */
  reason?: string | undefined;
  retryAfterMs?: number | undefined;
  /** The service account's token, or the key it is minted with, isn't good. */
  isUnauthorized: boolean;
  /** The same request may well go through in a moment. */
  isPassing: boolean;
}

/** What gaxios throws: with a `response` where there was one. */
const GaxiosFailure = v.object({
  config: v.looseObject({}),
  response: v.optional(
    v.object({ status: v.number(), headers: v.instance(Headers), data: v.unknown() }),
  ),
});

const Reason = v.pipe(v.string(), v.regex(/^\w{1,60}$/));
/** Where no answer came, fetch tells the system's word for it: ECONNREFUSED, ENOTFOUND. */
const NetworkFailure = v.object({ cause: v.object({ cause: v.object({ code: Reason }) }) });
const ApiRefusal = v.object({
  error: v.object({ errors: v.tupleWithRest([v.object({ reason: Reason })], v.unknown()) }),
});
const TokenRefusal = v.object({ error: Reason });

const rateReasons = ['rateLimitExceeded', 'userRateLimitExceeded', 'sharingRateLimitExceeded'];

/** Reads how a request failed; undefined for what isn't a failed request. */
export function faultOf(error: unknown): Fault | undefined {
  const { success, output } = v.safeParse(GaxiosFailure, error);
  if (!success) return undefined;
  const { response } = output;
  if (!response) {
    const reason = v.is(NetworkFailure, error) ? error.cause.cause.code : undefined;
    return { reason, isUnauthorized: false, isPassing: true };
  }

  const { status, headers } = response;
  const body = parsed(response.data);
  const isOfToken = v.is(TokenRefusal, body);
  const reason = isOfToken ? body.error : reasonIn(body);
  return {
    status,
    reason,
    retryAfterMs: readRetryAfter(headers.get('retry-after')),
    isUnauthorized: status === 401 || (isOfToken && !isPassing(status)),
    isPassing: isPassing(status, reason),
  };
}

function reasonIn(body: unknown): string | undefined {
  return v.is(ApiRefusal, body) ? body.error.errors[0].reason : undefined;
}

const isPassing = (status: number, reason = '') =>
  status === 408 ||
  status === 429 ||
  status >= 500 ||
  (status === 403 && rateReasons.includes(reason));

/** An answer asked for as a stream comes as text where it is an error. */
function parsed(data: unknown): unknown {
  if (typeof data !== 'string') return data;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function readRetryAfter(value: string | null): number | undefined {
  if (!value) return undefined;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
