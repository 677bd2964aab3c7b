import { setting } from '../config.ts';

/** How long a client of AWS waits, in ms. */
interface Patience {
  /** From the begin of a request to that of its response, the upload of its body included. */
  responseMs: number;
  /** Between two pieces of a body, whichever way it goes; by default as long as for a response. */
  silenceMs?: number;
}

/** Until a client is connected; time in the queue for one of its 50 connections counts. */
const connectMs = 1_000;

/**
 * Makes a client's timeouts. Without them a connection that falls silent holds a caller, a lease or the sweep for as
 * long as the function may run. None limits how long a body takes that goes on coming. The client sends a request again
 * after a timeout, as after a fault of the service.
 *
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
