import { windowOf } from './account/account.ts';
import { credit } from './account/credit.ts';
import { holdByPlan } from './reserve.ts';
import type { HoldPlan } from './terms/hold-plan.ts';

/** A request that is counted, and under way, before it is known what the calls that answer it can cost. */
export interface Admission {
  /** Ends the request. Later calls do nothing more. */
  end(): Promise<void>;
}

/**
 * Counts a request against the key's requests per minute and at once, for work that comes before its first call. Its
 * calls are then held as no requests of their own. Nothing is held for the work itself, which is free; but the key and
 * its team must have the least that the plan of the first call holds, by as much as is known of it.
 *
 * The request is under way until it is ended, or `signal` aborts. If this process dies, the audit ends it. Throws as
 * `reserve` does, and then nothing is counted.
 */
export async function admit(
  keyId: string,
  plan: HoldPlan,
  signal: AbortSignal,
): Promise<Admission> {
  const { holdNanoUsd: from } = plan.fit({ available: 0, held: 0 });
  const nothing = { ...plan, fit: () => ({ holdNanoUsd: 0, from }) };
  const { account, heldAtMs } = await holdByPlan(keyId, nothing, true);
  const part = { key_id: account.key_id, holdNanoUsd: 0, heldAtMs, window: windowOf(account) };
  let ended: Promise<unknown> | undefined;
  const end = async () => {
    signal.removeEventListener('abort', end);
    ended ??= credit({ ...part, isRequest: true }, 0);
    await ended;
  };
  signal.addEventListener('abort', end);
  return { end };
}
