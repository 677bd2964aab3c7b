import { timeOfId } from '../../uuid-time.ts';
import type { HeldCharge } from '../terms/charge.ts';

/** What one account holds of a call. */
export interface AccountHold {
  key_id: string;
  holdNanoUsd: number;
  /** When it was held, in ms since 1970. */
  heldAtMs: number;
  /** The number of the account's window in which it was held. */
  window: number;
  /** Whether the account counts it as a request under way. */
  isRequest: boolean;
  /** As how many, where it is of several calls; one by default. */
  requests?: number;
  /** Whether a charge tells of its end too, so that a recount finds it. */
  isCharged?: boolean;
}

/** What accounts hold, or have held, of the call that a charge tells of. */
export function holdsOfCharge(charge: HeldCharge): AccountHold[] {
  const { key_id, hold: holdNanoUsd, window, team, team_window = 0, request } = charge;
  const held = { holdNanoUsd, heldAtMs: timeOfId(charge.entry), isCharged: true };
  const own = { ...held, key_id, window, isRequest: request };
  return team ? [own, { ...held, key_id: team, window: team_window, isRequest: false }] : [own];
}
