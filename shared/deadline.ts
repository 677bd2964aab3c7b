/** A signal that aborts when its time is up, unless it is cleared before. */
export interface Deadline {
  signal: AbortSignal;
  clear(): void;
}

/** Begins a time of `ms`, also over once `parent` aborts. `AbortSignal.timeout` would stay in memory until its time is up. */
export function deadline(ms: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const timeout = () => controller.abort(new DOMException('The time is up', 'TimeoutError'));
  const timer = setTimeout(timeout, ms).unref();
  const follow = () => controller.abort(parent?.reason);
  if (parent?.aborted) follow();
  parent?.addEventListener('abort', follow, { once: true });
  const clear = () => {
    clearTimeout(timer);
    parent?.removeEventListener('abort', follow);
  };
  return { signal: controller.signal, clear };
}
