import type { Metadata } from './metadata.ts';

/** How a cost is known: `exact` from the provider, `estimated` from the text, `partial` for a call that broke off. */
export type Accuracy = 'exact' | 'partial' | 'estimated';

/** What a charge is for. */
export interface ChargeSubject {
  model: string;
  /** The tags under which its use is counted, such as `batch` and `batch:chat`. */
  tags: string[];
  /** The caller's own metadata. It is exported, and never counted. */
  metadata?: Metadata;
  job_id?: string;
}

/** An ended model call, OCR page or web search: `settled` with its cost, or `released` without. Amounts are nano-dollars. */
export interface Charge extends ChargeSubject {
  key_id: string;
  /** `charge_` and a UUIDv7 of the moment at which its most was held. */
  entry: string;
  status: 'settled' | 'released';
  /** The most that the call could cost. */
  hold: number;
  /** The number of the budget's window that it counts in: the one in which it was held. */
  window: number;
  /** The team that it was held on too. */
  team?: string;
  /** The number of the window of the team's budget that it counts in. */
  team_window?: number;
  /** The numbers of the windows of the further limits' accounts that it was held on, by their ids. */
  further?: Record<string, number>;
  /** The most tokens that it was held to take, where further limits count them. */
  hold_tokens?: number;
  /** Whether it was a request under way. */
  request: boolean;
  created_at: string;
  cost?: number;
  figures?: Accuracy;
  prompt_tokens?: number;
  completion_tokens?: number;
  /** Nine bytes of a hash of the prompt, where its provider told `prompt_tokens` and the budget may be tight. */
  prompt_hash?: string;
  /** Pages read by OCR. */
  images?: number;
  /** Whether it was released. */
  failed?: boolean;
  ended_at?: string;
  /** When the table forgets it, in seconds since 1970. */
  expires_at: number;
}

/** How long a charge is kept: a year, and time to close its books. */
export const chargeRetentionSeconds = 400 * 86_400;

/**
 * What a call under way has used so far, as its charge if its process dies before its end. It lies right behind the place of
 * that charge, so that a reader of an epoch's charges reads both.
 */
export interface NotedUse {
  key_id: string;
  entry: `${string}#noted`;
  charge: Charge;
  /** When the table may forget it, in seconds since 1970. */
  expires_at: number;
}

/** A charge before its end. */
export type HeldCharge = Omit<Charge, 'status' | 'ended_at'> & { window: number };
