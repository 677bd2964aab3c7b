import type { APIGatewayProxyEvent } from 'aws-lambda';
import { headersOf } from './request.ts';

/** Proxies between cut connections that are silent for half a minute. */
const longestWaitMs = 25_000;

/**
 * How long a caller prefers to wait rather than be refused, in ms, as in `Prefer: wait=20`. What can't be read is no preference.
 * @see https://www.rfc-editor.org/rfc/rfc7240#section-4.3
 */
export function preferredWaitMs(event: Pick<APIGatewayProxyEvent, 'headers'>): number {
  const wait = headersOf(event)['prefer']?.match(
    /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i,
  );
  return Math.min(longestWaitMs, 1_000 * Number(wait?.[1] ?? 0));
}
