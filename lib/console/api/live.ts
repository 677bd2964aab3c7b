import { useEffect, useRef, useState } from 'preact/hooks';

/** The value that was loaded last, and why no newer one could be loaded. */
export interface Live<Value> {
  value: Value | undefined;
  failure: Error | undefined;
  /** Loads it again now. */
  reload(): void;
}

export interface LiveOptions<Value> {
  /** Whether a value is final, so that it isn't loaded again. */
  isFinal?(value: Value): boolean;
  firstPauseMs?: number;
  maxPauseMs?: number;
}

/** Loads a value again and again while the page is seen, with longer pauses while nothing changes. */
export function useLive<Value>(
  name: string,
  load: (signal: AbortSignal) => Promise<Value>,
  options: LiveOptions<Value> = {},
): Live<Value> {
  const { isFinal, firstPauseMs = 1_000, maxPauseMs = 15_000 } = options;
  const [state, setState] = useState<{ name: string; value?: Value; failure?: Error }>({ name });
  const [round, setRound] = useState(0);
  const latest = useRef({ load, isFinal });
  latest.current = { load, isFinal };

  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pauseMs = firstPauseMs;
    let before = '';
    let isOver = false;

    const ask = async () => {
      clearTimeout(timer);
      timer = undefined;
      try {
        const value = await latest.current.load(leaving.signal);
        if (leaving.signal.aborted) return;
        const text = JSON.stringify(value);
        pauseMs = text === before ? Math.min(maxPauseMs, pauseMs * 1.5) : firstPauseMs;
        if (text !== before) setState({ name, value });
        before = text;
        isOver = latest.current.isFinal?.(value) ?? false;
      } catch (error) {
        if (leaving.signal.aborted) return;
        pauseMs = Math.min(maxPauseMs, pauseMs * 2);
        before = '';
        setState((last) => ({
          name,
          ...(last.name === name && last.value && { value: last.value }),
          failure: error as Error,
        }));
      }
      if (!isOver && !document.hidden) timer = setTimeout(ask, pauseMs);
    };
    const onSight = () => {
      clearTimeout(timer);
      if (!document.hidden && !isOver) ask();
    };

    ask();
    document.addEventListener('visibilitychange', onSight);
    return () => {
      leaving.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onSight);
    };
  }, [name, round]);

  const isCurrent = state.name === name;
  return {
    value: isCurrent ? state.value : undefined,
    failure: isCurrent ? state.failure : undefined,
    reload: () => setRound((last) => last + 1),
  };
}
