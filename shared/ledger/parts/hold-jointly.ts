import { type Account, windowOf } from '../account/account.ts';
import { amountOn, type HeldOn } from '../account/account-hold.ts';
import { undoHold } from '../account/credit.ts';
import { type Ask, type Attempt, holdOnAccount, NoAccountError } from '../account/hold-account.ts';
import { forget, lastSeen, remember, type Seen } from '../account/last-seen.ts';
import { type CallUse, furtherNow } from '../account/limit-list.ts';
import { countsTokens, isRequestOn, ownerOf } from '../terms/account-ids.ts';
import { noteOnCeiling, openerOf } from './ceiling.ts';
import { isInParts, pickPart } from './payers.ts';

/** A sum that is held on all accounts that pay for a key; or the account that refused it. */
export type JointHold =
  | { held: HeldOn }
  | {
      held?: undefined;
      refusedBy: Account[];
      /** Those that pay, as they are known now: the key's account first. */
      payers: [Seen, ...Seen[]];
    };

/**
 * Holds a sum on the accounts of a key, its team and the further limits that the call counts against: on all, or on
 * none. Those that are known are asked at once, but after a key that refused its last hold. What one held in vain is
 * undone; after a death the audit gives it back.
 */
export async function holdJointly(
  payers: readonly [Seen, ...Seen[]],
  fit: Ask,
  now: number,
  asRequest: boolean,
  use: CallUse = {},
): Promise<JointHold> {
  const [key] = payers;
  const attempts = new Map<string, Attempt>();
  const failures: unknown[] = [];
  const isRequest = (id: string) => asRequest && isRequestOn(id);
  const hold = (id: string) => holdOnAccount(id, askOf(id, payers, fit), now, isRequest(id));
  const ask = async (id: string) => {
    try {
      const attempt = await hold(id).catch(async (error: unknown) => {
        const open = openerOf(id);
        if (!(error instanceof NoAccountError && open)) throw error;
        await open(id, use);
        return hold(id);
      });
      remember(attempt.account, !attempt.isHeld);
      attempts.set(id, attempt);
    } catch (error) {
      // The account may have fewer parts than this function remembers: the next call reads it anew.
      if (error instanceof NoAccountError) forget(ownerOf(id));
      failures.push(error);
    }
  };
  const paying = [key.key_id];
  const areHeld = () => failures.length === 0 && paying.every((id) => attempts.get(id)?.isHeld);
  const askToo = async (ids: readonly string[]) => {
    const partOf = (id: string) => payers.find(({ key_id }) => ownerOf(key_id) === id)?.key_id;
    const more = ids.map((id) => partOf(id) ?? pickPart(id));
    const isAsked = areHeld();
    paying.push(...more);
    if (isAsked) await Promise.all(more.filter((id) => !attempts.has(id)).map(ask));
  };

  // The payers in memory may be old. The key's account decides, and the team's for the team's limits.
  await Promise.all((key.refuses ? [key] : payers).map(({ key_id }) => ask(key_id)));
  const own = attempts.get(key.key_id)?.account;
  const known = (id: string) => attempts.get(id)?.account ?? lastSeen(id).account;
  if (own?.team) await askToo([own.team]);
  const [, teamId] = paying;
  const owners = [own, teamId === undefined ? undefined : known(teamId)];
  const further = await furtherNow(owners, use).catch((error: unknown) => {
    failures.push(error);
    return [];
  });
  const isNoted = noteOnCeiling(own).catch((error: unknown) => failures.push(error));
  await Promise.all([askToo(further), isNoted]);

  // Requests that are held ahead are of calls that are not known yet, nor what limits them.
  const isHeld = areHeld() && !(fit.requests && owners.some((account) => account?.limits));
  const refusedBy = paying.flatMap((id) => {
    const attempt = attempts.get(id);
    return attempt && !attempt.isHeld ? [attempt.account] : [];
  });
  const inVain = [...attempts].filter(
    ([id, attempt]) => attempt.isHeld && !(isHeld && paying.includes(id)),
  );
  await Promise.all(
    inVain.map(async ([id, { account }]) => {
      const part = { key_id: id, heldAtMs: now, window: windowOf(account) };
      const requests = { isRequest: isRequest(id), requests: fit.requests?.count ?? 1 };
      const holdNanoUsd = askOf(id, payers, fit).holdNanoUsd;
      const undone = await undoHold({ ...part, ...requests, holdNanoUsd });
      if (undone) attempts.set(id, { isHeld: false, account: undone });
    }),
  );
  if (failures.length > 0) throw failures[0];
  const accountOf = (id: string | undefined) => attempts.get(id ?? '')?.account as Account;
  if (isHeld) {
    const team = teamId === undefined ? {} : { team: accountOf(teamId) };
    const beside = paying.filter((id) => id !== key.key_id && id !== teamId);
    return { held: { account: accountOf(key.key_id), ...team, further: beside.map(accountOf) } };
  }
  const [first, ...others] = paying.map((id) => attempts.get(id)?.account ?? lastSeen(id));
  return { refusedBy, payers: [first as Seen, ...others] };
}

/** Returns the fit for one of the accounts: `below` holds only for the one with the least available. */
function askOf(id: string, payers: readonly Seen[], fit: Ask): Ask {
  const { tokens, requests } = fit;
  const holdNanoUsd = amountOn(id, { nanoUsd: fit.holdNanoUsd, tokens });
  const from = amountOn(id, { nanoUsd: fit.from ?? fit.holdNanoUsd, tokens });
  // A part needs what is held, and its account what the hold was fitted to. A lease is a share of what one part has.
  if (isInParts(id) && !requests) return { holdNanoUsd, from: holdNanoUsd || from };
  const rest = { ...fit, holdNanoUsd, from };
  const paysMoney = (each: Seen) => !countsTokens(each.key_id);
  const least = Math.min(...payers.filter(paysMoney).map(({ available }) => available));
  const isLeast = payers.some((each) => each.key_id === id && each.available === least);
  if (isLeast && paysMoney({ key_id: id } as Seen)) return rest;
  const { below: _, ...others } = rest;
  return others;
}
