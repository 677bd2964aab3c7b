import { lastSeen, leastOf, type Seen } from '../account/last-seen.ts';
import { type CallUse, furtherKnown } from '../account/limit-list.ts';
import { countsTokens, isPart, ownerOf, partId } from '../terms/account-ids.ts';
import type { Free } from '../terms/hold-plan.ts';
import { asRenewed } from '../terms/window.ts';

/** Whether an account has parts, or had some, as far as this function knows. */
export const isInParts = (id: string) =>
  isPart(id) || lastSeen(ownerOf(id)).account?.parts !== undefined;

/** The id of the part that a call of an account asks: any of those that take holds, by chance. */
export const pickPart = (ownerId: string) =>
  partId(ownerId, Math.floor(Math.random() * openPartsOf(ownerId)));

/** How many parts of an account take holds, as far as this function knows. */
const openPartsOf = (ownerId: string) => lastSeen(ownerId).account?.open_parts ?? 1;

/** Returns the payers of a key as they were seen last, a part of each account: the key's first, then the team's, then the further limits'. */
export function payersOf(keyId: string, use: CallUse = {}): [Seen, ...Seen[]] {
  const own = lastSeen(pickPart(keyId));
  const team = own.team ?? lastSeen(keyId).team;
  const owners = [
    own.account ?? lastSeen(keyId).account,
    team === undefined ? undefined : lastSeen(team).account,
  ];
  const others = [...(team ? [team] : []), ...furtherKnown(owners, use)];
  return [own, ...others.map((id) => lastSeen(pickPart(id)))];
}

/** What a call may take of several accounts: the least of any, as money and as tokens. */
export function freeOf(payers: readonly Seen[], now: number): Free {
  const [tokens, money] = [true, false].map((are) =>
    payers.filter(({ key_id }) => countsTokens(key_id) === are),
  ) as [Seen[], Seen[]];
  // A minute that is over begins anew with the next hold.
  const left = tokens.map((seen) =>
    wholeSeen(seen.account ? { ...seen, available: asRenewed(seen.account, now).available } : seen),
  );
  const free = leastOf(money.map(wholeSeen));
  return tokens.length > 0 ? { ...free, tokens: leastOf(left).available } : free;
}

/** What a part's whole account has and holds, if all parts were like those seen: exact for an account of one part. */
export function wholeSeen(seen: Seen): Free {
  if (!isInParts(seen.key_id)) return seen;
  const parts = partsSeen(seen.key_id);
  const known = parts.filter((part) => part !== undefined);
  const scale = parts.length / known.length;
  const sumOf = (what: 'available' | 'held') =>
    Math.floor(known.reduce((sum, part) => sum + part[what], 0) * scale);
  return known.length > 0
    ? { available: sumOf('available'), held: sumOf('held') }
    : { available: Number.POSITIVE_INFINITY, held: 0 };
}

/** The parts of an account that take holds, as they were seen last; undefined for one that was not seen. */
export const partsSeen = (id: string) =>
  Array.from(
    { length: openPartsOf(ownerOf(id)) },
    (_, index) => lastSeen(partId(ownerOf(id), index)).account,
  );
