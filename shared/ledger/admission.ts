import { windowOf } from './account/account.ts';
import { credit } from './account/credit.ts';
import type { CallUse } from './account/limit-list.ts';
import { holdByPlan } from './reserve.ts';
import { isRequestOn } from './terms/account-ids.ts';
import type { HoldPlan } from './terms/hold-plan.ts';

/** A request that is counted, and under way, before it is known what the calls that answer it can cost. */
export interface Admission {
  /** Ends the request. Later calls do nothing more. */
  end(): Promise<void>;
}

/**
 * Counts a request for work that comes before its first call, whose calls are then no requests of their own. Nothing
 * is held, but key and team must have the least that the plan of the first call holds. It runs until it is ended,
 * `signal` aborts, or the audit ends it. Throws as `reserve` does.
 */
export async function admit(
  keyId: string,
  use: CallUse,
  plan: HoldPlan,
  signal: AbortSignal,
): Promise<Admission> {
  const { holdNanoUsd: from } = plan.fit({ available: 0, held: 0 });
  const nothing = { ...plan, fit: () => ({ holdNanoUsd: 0, from }) };
  const { account, further = [], heldAtMs } = await holdByPlan(keyId, nothing, true, use);
  const counting = [account, ...further].filter(({ key_id }) => isRequestOn(key_id));
  const parts = counting.map((each) => ({
    key_id: each.key_id,
    holdNanoUsd: 0,
    heldAtMs,
    window: windowOf(each),
    isRequest: true,
  }));
  let ended: Promise<unknown> | undefined;
  const end = async () => {
    signal.removeEventListener('abort', end);
    ended ??= Promise.all(parts.map((part) => credit(part, 0)));
    await ended;
  };
  signal.addEventListener('abort', end);
  return { end };
}
