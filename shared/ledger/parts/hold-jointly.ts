import { type Account, windowOf } from '../account/account.ts';
import { undoHold } from '../account/credit.ts';
import { type Ask, type Attempt, holdOnAccount, NoAccountError } from '../account/hold-account.ts';
import { forget, lastSeen, remember, type Seen } from '../account/last-seen.ts';
import { ownerOf } from './part-id.ts';
import { isInParts, pickPart } from './payers.ts';

/** A sum that is held on a key's account, and on its team's if it is in one; or who refused it. */
export type JointHold =
  | { held: { account: Account; team?: Account } }
  | {
      held?: undefined;
      refusedBy: Account[];
      /** Those that pay, as they are known now: the key's account first. */
      payers: [Seen, ...Seen[]];
    };

/**
 * Holds a sum on a key's account and its team's: both, or neither. A known team is asked at once, but after a key
 * that refused its last hold. What one held in vain is undone; after a death the audit gives it back.
 */
export async function holdJointly(
  payers: readonly [Seen, ...Seen[]],
  fit: Ask,
  now: number,
  asRequest: boolean,
): Promise<JointHold> {
  const [key] = payers;
  const attempts = new Map<string, Attempt>();
  const failures: unknown[] = [];
  const isRequest = (id: string) => asRequest && id === key.key_id;
  const ask = async (id: string) => {
    try {
      const attempt = await holdOnAccount(id, fitOf(id, payers, fit), now, isRequest(id));
      remember(attempt.account, !attempt.isHeld);
      attempts.set(id, attempt);
    } catch (error) {
      // The account may have fewer parts than this function remembers: the next call reads it anew.
      if (error instanceof NoAccountError) forget(ownerOf(id));
      failures.push(error);
    }
  };

  // What was remembered of the key's team may be old. What the key's account says counts.
  await Promise.all((key.refuses ? [key] : payers).map(({ key_id }) => ask(key_id)));
  const own = attempts.get(key.key_id);
  const team = own?.account.team;
  const asked = payers.find(({ key_id }) => ownerOf(key_id) === team);
  const teamId = team && (asked?.key_id ?? pickPart(team));
  if (teamId && own.isHeld && !attempts.has(teamId) && failures.length === 0) await ask(teamId);

  const paying = [key.key_id, ...(teamId ? [teamId] : [])];
  const isHeld = failures.length === 0 && paying.every((id) => attempts.get(id)?.isHeld);
  const refusedBy = paying.flatMap((id) => {
    const attempt = attempts.get(id);
    return attempt && !attempt.isHeld ? [attempt.account] : [];
  });
  const inVain = [...attempts].filter(
    ([id, attempt]) => attempt.isHeld && !(isHeld && paying.includes(id)),
  );
  await Promise.all(
    inVain.map(async ([id, { account }]) => {
      const part = {
        key_id: id,
        heldAtMs: now,
        window: windowOf(account),
        isRequest: isRequest(id),
        requests: fit.requests?.count ?? 1,
      };
      const undone = await undoHold({ ...part, holdNanoUsd: fit.holdNanoUsd });
      if (undone) attempts.set(id, { isHeld: false, account: undone });
    }),
  );
  if (failures.length > 0) throw failures[0];
  const [account, teamAccount] = paying.map((id) => attempts.get(id)?.account);
  if (isHeld && account) return { held: { account, ...(teamAccount && { team: teamAccount }) } };
  const known = (id: string) => attempts.get(id)?.account ?? lastSeen(id);
  return { refusedBy, payers: [known(key.key_id), ...(teamId ? [known(teamId)] : [])] };
}

/** Returns the fit for one of the accounts: `below` holds only for the one with the least available. */
function fitOf(id: string, payers: readonly Seen[], fit: Ask): Ask {
  const { holdNanoUsd, from, requests } = fit;
  // A part needs what is held, and its account what the hold was fitted to. A lease is a share of what one part has.
  if (isInParts(id) && !requests) return { holdNanoUsd, from: holdNanoUsd || (from ?? 0) };
  const least = Math.min(...payers.map(({ available }) => available));
  if (payers.find(({ key_id }) => key_id === id)?.available === least) return fit;
  const { below: _, ...rest } = fit;
  return rest;
}
