import { clockFault } from './call-faults.ts';

/**
 * Makes this thread's clock one that tests can set wrong. Returns what sets it, as an invocation begins; timers go on
 * as they are. Without tests that ask for faults the clock is left alone.
 */
export function clockSetter(functionName: string): () => void {
  const aheadMs = clockFault(functionName);
  if (!aheadMs) return () => {};
  const RightDate = Date;
  let ahead = 0;
  const now = () => RightDate.now() + ahead;
  globalThis.Date = new Proxy(RightDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length > 0 ? args : [now()], newTarget),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  return () => {
    ahead = aheadMs();
  };
}
