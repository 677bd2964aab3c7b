import { unavailable } from './errors.ts';

/**
 * Reads a body after the chunks read before. Throws a 503 `ModelError` after `idleMs` of silence, or when `signal`
 * aborts.
 */
export async function* withIdleTimeout(
  body: ReadableStream<Uint8Array> | null,
  idleMs: number,
  signal: AbortSignal,
  head: readonly Uint8Array[] = [],
): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    yield* head;
    if (!reader) return;
    for (;;) {
      const { done, value } = await within(reader.read(), idleMs, signal);
      if (done) return;
      yield value;
    }
  } finally {
    await reader?.cancel().catch(() => {});
  }
}

const late = 'The model did not finish in time.';

/** Awaits what is read for a time, and throws as `withIdleTimeout` does. */
export async function within<Value>(
  read: Promise<Value>,
  idleMs: number,
  signal: AbortSignal,
): Promise<Value> {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(unavailable('The model fell silent.')), idleMs);
  const onAbort = () => reject(unavailable(late));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([read, broken]);
  } catch (error) {
    // The signal may have aborted the request first, whose error has another message.
    throw signal.aborted ? unavailable(late, error) : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
