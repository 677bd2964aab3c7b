import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';

interface Sending {
  isSentWhole: boolean;
}

const current = new AsyncLocalStorage<Sending>();
const sendings = new WeakMap<object, Sending>();

/**
 * Node's fetch tells of each request when it is made and when its body is written, and of neither by its promise.
 * @see https://github.com/nodejs/undici/blob/main/docs/docs/api/DiagnosticsChannel.md
 */
subscribe('undici:request:create', (message) => {
  const sending = current.getStore();
  if (sending) sendings.set(requestOf(message), sending);
});
subscribe('undici:request:bodySent', (message) => {
  const sending = sendings.get(requestOf(message));
  if (sending) sending.isSentWhole = true;
});

const requestOf = (message: unknown) => (message as { request: object }).request;

/** Runs what fetches once. Calls `onFailure` with its error if it throws, and with whether its request was sent whole. */
export function tellingIfSent<Result>(
  fetching: () => Promise<Result>,
  onFailure: (error: unknown, isSentWhole: boolean) => void,
): Promise<Result> {
  const sending: Sending = { isSentWhole: false };
  return current.run(sending, fetching).catch((error: unknown) => {
    onFailure(error, sending.isSentWhole);
    throw error;
  });
}
