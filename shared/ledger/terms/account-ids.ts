/*
 * An account is a key's, a team's, or a further limit's of either: `<owner>~<limit>`, and for one of a customer
 * `~` and a hash of what the customer is called. A busy account has parts: accounts with a share of its ceiling and
 * limits. The first is the account itself, the others `<its id>#<i>`.
 */

/** Whether an id is a team's, not a key's. */
export const isTeamId = (id: string) => id.startsWith('team_') && !isFurther(id);

/** Whether an account is a further limit's. */
export const isFurther = (id: string) => id.includes('~');

/** Whether an account is a customer's, and no later part of it. */
export const isCustomers = (id: string) => id.split('~').length === 3 && !isPart(id);

/** Whether an account is held on beside a key's own: its charges lie under the keys that hold on it. */
export const isBeside = (id: string) => id.startsWith('team_') || isFurther(id);

/** The id of the key or team that a further limit is of. */
export const limitOwner = (id: string) => id.split('~', 1)[0] as string;

/** The id of a further limit's account, or of a customer's. */
export const furtherId = (ownerId: string, limitId: string, customer?: string) =>
  [ownerId, limitId, ...(customer === undefined ? [] : [customer])].join('~');

/** The deployment as an owner of accounts: the ceiling of all keys is its one further limit. */
export const deploymentId = 'deployment';

/** The ceiling's account: it holds what all keys spend in a day. */
export const ceilingId = furtherId(deploymentId, 'u');

/** Whether an account is the ceiling's. No key may know its figures. */
export const isCeiling = (id: string) => limitOwner(id) === deploymentId;

/** What a further limit counts: u for nano-dollars, t for tokens, r for requests. */
const unitOf = (id: string) => id.split('~')[1]?.[0];

/** Whether an account's amounts are tokens. */
export const countsTokens = (id: string) => unitOf(id) === 't';

/** Whether a hold's account counts money. */
export const countsMoney = ({ key_id }: { key_id: string }) =>
  !countsTokens(key_id) && !countsRequests(key_id);

/** Whether an account limits requests alone. */
export const countsRequests = (id: string) => unitOf(id) === 'r';

/** Whether a call that is a request is one on an account. */
export const isRequestOn = (id: string) => !isBeside(id) || countsRequests(id);

/** The most parts of an account. A transaction takes them all, and 100 items at most. */
export const maxParts = 64;

/** The id of a part, by its number from 0. */
export const partId = (ownerId: string, index: number) =>
  index === 0 ? ownerId : `${ownerId}#${index}`;

/** The id of the account, of a key or a team, that a part belongs to; of one that is no part, its own. */
export const ownerOf = (id: string) => id.split('#', 1)[0] as string;

/** Whether an id names a part other than the first. */
export const isPart = (id: string) => id.includes('#');

/** The ids of an account's parts, its own first: each that takes holds, or ever did. */
export const idsOf = ({ key_id, parts = 1 }: { key_id: string; parts?: number }) =>
  Array.from({ length: parts }, (_, index) => partId(key_id, index));
