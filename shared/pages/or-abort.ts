/** Waits until a signal says no more. The system's resolver can't be stopped, but need not be waited for. */
export function orAbort<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([value, promise]);
}
