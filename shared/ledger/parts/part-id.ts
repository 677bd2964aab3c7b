/*
 * A busy account has parts: accounts with a share of its ceiling and limits. The first is the account itself, the
 * others `<its id>#<i>`.
 */

/** The most parts of an account. A transaction takes them all, and 100 items at most. */
export const maxParts = 64;

/** The id of a part, by its number from 0. */
export const partId = (ownerId: string, index: number) =>
  index === 0 ? ownerId : `${ownerId}#${index}`;

/** The id of the account, of a key or a team, that a part belongs to; of one that is no part, its own. */
export const ownerOf = (id: string) => id.split('#', 1)[0] as string;

/** Whether an id is that of a part other than the first. */
export const isPart = (id: string) => id.includes('#');

/** The ids of an account's parts, its own first: each that takes holds, or ever did. */
export const idsOf = ({ key_id, parts = 1 }: { key_id: string; parts?: number }) =>
  Array.from({ length: parts }, (_, index) => partId(key_id, index));
