import { setting } from '../config.ts';

/** How long a client of AWS waits, in ms. */
interface Patience {
  /** From the begin of a request to the begin of its response, the upload of its body included. */
  responseMs: number;
  /** Between two pieces of a body, up or down; by default as long as for a response. */
  silenceMs?: number;
}

/** Until a client is connected; time in the queue for one of its 50 connections counts. */
const connectMs = 1_000;

/**
 * Makes a client's timeouts: a silent connection would hold a caller, a lease or the sweep. A body that goes on
 * coming may take any time. After a timeout the client sends its request again.
 * @see https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/node-configuring-timeouts.html
 */
export function timeouts({ responseMs, silenceMs = responseMs }: Patience) {
  const factor = setting('AWS_TIMEOUT_FACTOR');
  return {
    requestHandler: {
      connectionTimeout: connectMs * factor,
      requestTimeout: responseMs * factor,
      throwOnRequestTimeout: true,
      socketTimeout: silenceMs * factor,
    },
  };
}
