import { hash } from 'node:crypto';
import { getItem } from '../../aws/dynamodb.ts';
import { expressUpdate } from '../../aws/express-update.ts';
import { writeTransaction } from '../../aws/transact.ts';
import { newItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { ServiceError } from '../../http/errors.ts';
import { ceilingId, furtherId, limitOwner, ownerOf } from '../terms/account-ids.ts';
import type { FurtherLimit } from '../terms/further-limit.ts';
import { BusyAccountError } from '../terms/limit-errors.ts';
import type { Metadata } from '../terms/metadata.ts';
import { type Account, type AccountLimits, newAccount } from './account.ts';

/** The further limits of a key or a team, as the table holds them. Its account says which version it goes by. */
export interface LimitList {
  key_id: string;
  entry: 'limits';
  version: number;
  limits: FurtherLimit[];
  /** How many customers have accounts. */
  customers?: number;
}

/** The fields of a call that decide which further limits it counts against. */
export interface CallUse {
  model?: string;
  metadata?: Metadata | null | undefined;
  /** The user that the request names, which limits of each `user` go by. */
  user?: string | undefined;
}

export const listKey = (key_id: string) => ({ key_id, entry: 'limits' }) as const;

/** Reads an owner's further limits as they are now; undefined if it never had one. */
export const findLimitList = (ownerId: string) =>
  getItem<LimitList>(setting('LEDGER_TABLE'), listKey(ownerId));

const maxLists = 1_000;
const lists = new Map<string, LimitList>();

/** The further limits that an account goes by; undefined if it has none, or where this function has not read them. */
function known(account: Account | undefined): LimitList | undefined {
  if (!account?.limits) return undefined;
  const list = lists.get(ownerOf(account.key_id));
  return list && list.version >= account.limits ? list : undefined;
}

/** The account that every call is held on, if the operator has set a ceiling. */
export const ceilings = () => (setting('DAY_CEILING_USD') === undefined ? [] : [ceilingId]);

/** The accounts of further limits that a call is held on, as far as this function knows. */
export const furtherKnown = (owners: readonly (Account | undefined)[], use: CallUse): string[] => [
  ...owners.flatMap((account) => idsIn(known(account), use)),
  ...ceilings(),
];

/** The accounts of further limits that a call is held on. It reads the lists that are not known. */
export async function furtherNow(
  owners: readonly (Account | undefined)[],
  use: CallUse,
): Promise<string[]> {
  for (const account of owners) {
    if (!account?.limits || known(account)) continue;
    const id = ownerOf(account.key_id);
    const list = await findLimitList(id);
    if (list) lists.set(id, list);
    const [oldest] = lists.keys();
    if (lists.size > maxLists && oldest !== undefined) lists.delete(oldest);
  }
  return furtherKnown(owners, use);
}

const limitsIn = (list: LimitList | undefined, { model }: CallUse): FurtherLimit[] =>
  (list?.limits ?? []).filter((limit) => limit.model === undefined || limit.model === model);

const idsIn = (list: LimitList | undefined, use: CallUse): string[] =>
  limitsIn(list, use).map((limit) =>
    furtherId(
      list?.key_id ?? '',
      limit.id,
      limit.perCustomer ? customerHash(customerOf(limit, use)) : undefined,
    ),
  );

const maxNameLength = 512;

/** The customer that a limit counts a call for. A user's name that no metadata could have is its hash. */
function customerOf({ byUser }: FurtherLimit, { metadata, user = '' }: CallUse): string {
  const named = metadata?.['customer'];
  if (named || !byUser) return named ?? '';
  return user.length <= maxNameLength && user.isWellFormed() ? user : customerHash(user);
}

/** The metadata of a charge, which names its user as the customer where a limit counts by it. */
export function namingCustomer(
  owners: readonly (Account | undefined)[],
  use: CallUse,
): { metadata?: Metadata } {
  const limits = owners.flatMap((account) => limitsIn(known(account), use));
  const limit = limits.find(({ byUser }) => byUser);
  const customer = limit && customerOf(limit, use);
  return customer ? { metadata: { ...use.metadata, customer } } : {};
}

/** Whether a call that is held for one model counts alike if another answers it: the other has no limits of its own. */
export const countsAlike = (owners: readonly (Account | undefined)[], model: string): boolean =>
  owners.every(
    (account) =>
      !account?.limits || known(account)?.limits.every((limit) => limit.model !== model) === true,
  );

/** Returns the hash in a customer's account id. Calls without a customer share one, so that they pass no limit. */
export const customerHash = (customer = '') => hash('sha256', customer, 'base64url').slice(0, 22);

const maxCustomers = 100_000;

/** A customer's account, as it is listed. */
export interface Customer {
  key_id: string;
  /** `customer_` and what its account's id ends with. */
  entry: string;
  /** The customer's name as callers write it; empty for calls without one. */
  customer: string;
}

/** Opens a customer's account at its first call. Throws if a key or team has too many. */
export async function openCustomer(id: string, use: CallUse): Promise<void> {
  const ownerId = limitOwner(id);
  const [, limitId, ofCustomer] = id.split('~');
  const list = await findLimitList(ownerId);
  // A limit that was just taken away is opened as it was: its call began before.
  const limit = [...(list?.limits ?? []), ...(lists.get(ownerId)?.limits ?? [])].find(
    (each) => each.id === limitId,
  );
  if (!limit) throw new BusyAccountError(ownerId);
  const TableName = setting('LEDGER_TABLE');
  const now = new Date().toISOString();
  const customer: Customer = {
    key_id: ownerId,
    entry: `customer_${limitId}~${ofCustomer}`,
    customer: customerOf(limit, use),
  };
  const failed = await writeTransaction([
    {
      Update: expressUpdate(TableName, listKey(ownerId), (value) => ({
        when: [`attribute_not_exists(customers) OR customers < ${value(maxCustomers)}`],
        add: [`customers ${value(1)}`],
      })),
    },
    { Put: newItem(TableName, newAccount(id, now, accountLimits(limit), limit.name)) },
    { Put: newItem(TableName, customer) },
  ]);
  if (failed?.includes(0) && !failed.includes(1)) {
    const most = maxCustomers.toLocaleString('en');
    throw new ServiceError(
      429,
      'too_many_customers',
      `This key's limit ${limit.name} has the accounts of ${most} customers, and takes no more. Name one of them in metadata.customer.`,
    );
  }
}

/** A limit as its account has it. */
export const accountLimits = (limit: FurtherLimit): AccountLimits => ({
  budget_usd: limit.amountUsd ?? null,
  duration: limit.duration,
  requests_per_minute: limit.requestsPerMinute ?? null,
  max_concurrent: limit.maxConcurrent ?? null,
});
