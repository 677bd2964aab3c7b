import { useState } from 'preact/hooks';

/** The action of a button: whether it is under way, why the last try failed unless its user stopped it, and a function to begin it. */
export function useAction() {
  const [problem, setProblem] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const act = async (action: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    await action().catch((error: Error) => {
      if (error.name !== 'AbortError') setProblem(error);
    });
    setBusy(false);
  };
  return { problem, isBusy, act };
}
