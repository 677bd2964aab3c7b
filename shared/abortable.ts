/** Awaits a value, or throws a signal's reason as soon as it aborts; what makes the value goes on. */
export async function abortable<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([value, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
