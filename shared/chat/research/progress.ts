/**
 * Runs work, yields its progress, and returns its result. If the reader leaves, `signal` aborts, and calls under way
 * are awaited and settled.
 */
export async function* progress<Event, Result>(
  work: (tell: (event: Event) => void, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Event, Result> {
  const readerLeft = new AbortController();
  const told: Event[] = [];
  let ended = false;
  let wake = () => {};
  const tell = (event: Event) => {
    told.push(event);
    wake();
  };
  const working = work(tell, readerLeft.signal).finally(() => {
    ended = true;
    wake();
  });
  try {
    for (;;) {
      for (let event = told.shift(); event !== undefined; event = told.shift()) yield event;
      if (ended) return await working;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (told.length > 0 || ended) resolve();
      });
    }
  } finally {
    readerLeft.abort();
    await Promise.allSettled([working]);
  }
}
