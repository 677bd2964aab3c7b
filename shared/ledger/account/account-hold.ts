import { timeOfId } from '../../uuid-time.ts';
import { countsRequests, countsTokens, isRequestOn } from '../terms/account-ids.ts';
import type { Charge, HeldCharge } from '../terms/charge.ts';
import { type Account, windowOf } from './account.ts';

/** What one account holds of a call. */
export interface AccountHold {
  key_id: string;
  /** What it holds; of tokens, as if each were a nano-dollar. */
  holdNanoUsd: number;
  /** When it was held, in ms since 1970. */
  heldAtMs: number;
  /** The number of the account's window in which it was held. */
  window: number;
  /** Whether the account counts it as a request under way. */
  isRequest: boolean;
  /** The number of requests that the hold counts as; one by default. */
  requests?: number;
  /** Whether a charge tells of its end too, so that a recount finds it. */
  isCharged?: boolean;
}

type Held = Pick<
  HeldCharge,
  | ('key_id' | 'entry' | 'hold' | 'window' | 'request')
  | ('team' | 'team_window' | 'further' | 'hold_tokens')
>;

/** What accounts hold, or have held, of the call that a charge tells of. */
export function holdsOfCharge(charge: Held): AccountHold[] {
  const { entry, key_id, window, team, team_window = 0, further = {}, request } = charge;
  const heldAtMs = timeOfId(entry);
  const windows = [[key_id, window], ...(team ? [[team, team_window]] : [])] as [string, number][];
  return [...windows, ...Object.entries(further)].map(([id, number]) => ({
    key_id: id,
    window: number,
    heldAtMs,
    isCharged: true,
    holdNanoUsd: amountOn(id, { nanoUsd: charge.hold, tokens: charge.hold_tokens }),
    isRequest: request && isRequestOn(id),
  }));
}

/** The accounts of a hold: the key's, the team's if there is one, and the further limits'. */
export interface HeldOn {
  account: Account;
  team?: Account;
  further?: Account[];
}

/** The attributes that name the accounts of a hold beside the key's, and the windows of all. */
export const windowsOf = ({ account, team, further = [] }: HeldOn) => ({
  window: windowOf(account),
  ...(team && { team: team.key_id, team_window: windowOf(team) }),
  ...(further.length > 0 && {
    further: Object.fromEntries(further.map((each) => [each.key_id, windowOf(each)])),
  }),
});

/** The accounts of a hold, the key's first. */
export const accountsOf = ({ account, team, further = [] }: HeldOn): Account[] => [
  account,
  ...(team ? [team] : []),
  ...further,
];

/** A sum as an account counts it: in nano-dollars, in tokens, or not at all. */
export const amountOn = (
  id: string,
  { nanoUsd, tokens = 0 }: { nanoUsd: number; tokens?: number | undefined },
): number => (countsTokens(id) ? tokens : countsRequests(id) ? 0 : nanoUsd);

/** What an ended call costs an account that it was held on. */
export const costOn = (
  id: string,
  { cost = 0, prompt_tokens = 0, completion_tokens = 0 }: Partial<Charge>,
): number => amountOn(id, { nanoUsd: cost, tokens: prompt_tokens + completion_tokens });
