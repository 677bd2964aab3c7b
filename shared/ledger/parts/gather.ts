import type { Account } from '../account/account.ts';
import type { Seen } from '../account/last-seen.ts';
import { maxRounds } from '../account/refuse.ts';
import { isPart, ownerOf } from '../terms/account-ids.ts';
import { BusyAccountError } from '../terms/limit-errors.ts';
import { happens, isLimited, moving, requestsLeft, type Share, slotsLeft } from './move.ts';
import { readRenewed, type Whole } from './whole.ts';

/** What is to be on one part. */
export interface Need {
  nanoUsd: number;
  /** Whether it has to have room for one more request, too. */
  asRequest: boolean;
}

/**
 * Has one part get what a call needs from the others, in one transaction. Returns it; undefined if another call came
 * first.
 */
export async function gather(
  { parts }: Whole,
  need: Need,
  now: number,
  into?: string,
): Promise<Seen | undefined> {
  const to = parts.find(({ key_id }) => key_id === into) ?? choose(parts, need, now);
  const gifts = giftsTo(to, parts, need, now);
  if (!gifts) return undefined;
  const seen = { key_id: to.key_id, held: to.held, ...(to.team && { team: to.team }) };
  if (gifts.length === 0) return { ...seen, available: to.available };
  const isMoved = await happens(moving(gifts, to, now));
  return isMoved ? { ...seen, available: need.nanoUsd } : undefined;
}

/** Has a part get what a call lacks. Returns how much the whole account has; another call may still take it first. */
export async function gatherInto(id: string, nanoUsd: number, now = Date.now()): Promise<number> {
  for (let rounds = 1; rounds <= maxRounds; rounds += 1) {
    const whole = await readRenewed(id, now);
    const has = Math.min(nanoUsd, Math.max(0, whole.account.available));
    if (has === 0) return 0;
    // What a closed part has left makes up first for what the account owes.
    if (isPart(id) && whole.parts[0].available < 0) await bringHome(id, now);
    else if (await gather(whole, { nanoUsd: has, asRequest: false }, now, id)) return has;
  }
  throw new BusyAccountError(ownerOf(id));
}

/** What other parts give for a large sum, in proportion, so that each keeps something for its next call. */
export function giftsFromAll({ parts: [own, ...others] }: Whole, nanoUsd: number) {
  const rich = others.filter(({ available }) => available > 0);
  let total = rich.reduce((sum, { available }) => sum + available, 0);
  const ofOwn = Math.max(0, own.available);
  let lacks =
    nanoUsd - (own.available < 0 ? own.available : shareOf(ofOwn, nanoUsd, ofOwn + total));
  const gifts = rich.map((from) => {
    const given = shareOf(from.available, lacks, total);
    lacks -= given;
    total -= from.available;
    return { from, share: { nanoUsd: given, requests: 0, atOnce: 0 } };
  });
  return gifts.filter(({ share }) => share.nanoUsd > 0);
}

/** A part of a sum, rounded down. Products of nano-dollars are too large for a number. */
const shareOf = (part: number, sum: number, whole: number) =>
  whole === 0 ? 0 : Number((BigInt(part) * BigInt(sum)) / BigInt(whole));

/** The part for which the least has to move; by chance among those that have enough. */
function choose(parts: Whole['parts'], need: Need, now: number): Account {
  const open = parts.slice(0, parts[0].open_parts ?? 1);
  const ready = open.filter((part) => has(part, need, now));
  if (ready.length > 0) return ready[Math.floor(Math.random() * ready.length)] as Account;
  const rank = (part: Account) =>
    need.asRequest ? Number(mayRequest(part, now)) + Number(slotsLeft(part) > 0) : 0;
  return open.reduce((best, part) => {
    const ahead = rank(part) - rank(best) || part.available - best.available;
    return ahead > 0 ? part : best;
  });
}

const has = (part: Account, { nanoUsd, asRequest }: Need, now: number) =>
  part.available >= nanoUsd && (!asRequest || (mayRequest(part, now) && slotsLeft(part) > 0));

/** Whether a part has a request left, and a limit of its own that is more than none. */
const mayRequest = (part: Account, now: number) =>
  part.requests_per_minute > 0 && requestsLeft(part, now) > 0;

/** What others give to one part, the richest first; undefined if they have too little. */
function giftsTo(to: Account, parts: Account[], { nanoUsd, asRequest }: Need, now: number) {
  const lacks: Share = {
    nanoUsd: Math.max(0, nanoUsd - to.available),
    requests:
      asRequest && isLimited(to.requests_per_minute)
        ? Math.max(0, 1 - requestsLeft(to, now), 1 - to.requests_per_minute)
        : 0,
    atOnce: asRequest && isLimited(to.max_concurrent) ? Math.max(0, 1 - slotsLeft(to)) : 0,
  };
  const gifts = new Map<Account, Share>();
  const take = (what: keyof Share, leftOf: (part: Account) => number) => {
    const others = parts.filter((part) => part.key_id !== to.key_id && leftOf(part) > 0);
    for (const part of others.sort((a, b) => leftOf(b) - leftOf(a))) {
      if (lacks[what] === 0) return;
      const share = gifts.get(part) ?? { nanoUsd: 0, requests: 0, atOnce: 0 };
      share[what] = Math.min(lacks[what], leftOf(part));
      lacks[what] -= share[what];
      gifts.set(part, share);
    }
  };
  take('nanoUsd', ({ available }) => available);
  take('requests', (part) => requestsLeft(part, now));
  take('atOnce', slotsLeft);
  if (lacks.nanoUsd + lacks.requests + lacks.atOnce > 0) return undefined;
  return [...gifts].map(([from, share]) => ({ from, share }));
}

/** Moves all that closed parts have left to the account itself. */
export async function bringHome(id: string, now = Date.now()): Promise<void> {
  const { parts } = await readRenewed(ownerOf(id), now);
  const [own, ...others] = parts;
  const gifts = others
    .filter(({ closed }) => closed)
    .map((from) => ({ from, share: leftOf(from, now) }))
    .filter(({ share }) => share.nanoUsd + share.requests + share.atOnce > 0);
  // What changes meanwhile is brought by the next that comes for it.
  if (gifts.length > 0) await happens(moving(gifts, own, now));
}

const leftOf = (part: Account, now: number): Share => ({
  nanoUsd: Math.max(0, part.available),
  // The limit of a part is all that is brought home, though a call that was undone may have left a count below 0.
  requests: isLimited(part.requests_per_minute)
    ? Math.max(0, Math.min(requestsLeft(part, now), part.requests_per_minute))
    : 0,
  atOnce: isLimited(part.max_concurrent) ? Math.max(0, slotsLeft(part)) : 0,
});
