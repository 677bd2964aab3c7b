import { itemsUnder } from '../aws/dynamodb.ts';
import { asRead, expressUpdate } from '../aws/express-update.ts';
import { putItem, updateItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import { NotFoundError } from '../http/errors.ts';
import { type Account, newAccount, requestsAttribute } from './account/account.ts';
import {
  accountLimits,
  type Customer,
  customerHash,
  findLimitList,
  type LimitList,
  listKey,
} from './account/limit-list.ts';
import { changeAccountLimits } from './change-limits.ts';
import { findWhole } from './parts/whole.ts';
import { nameAccount, setOnParts } from './team.ts';
import { countsMoney, countsRequests, countsTokens, furtherId } from './terms/account-ids.ts';
import { type FurtherLimit, identityOf, parseFurtherLimit } from './terms/further-limit.ts';
import { toUsd } from './terms/nano-usd.ts';
import { asRenewed, hasWindowEnded, never } from './terms/window.ts';

/**
 * Gives a key or a team these further limits, as an operator writes them, in the place of those that it has. One whose
 * amount alone is new goes on with what is spent of it.
 */
export async function setFurtherLimits(ownerId: string, names: readonly string[]): Promise<void> {
  for (;;) {
    const read: Partial<LimitList> = (await findLimitList(ownerId)) ?? {};
    const { version: before = 0, limits: had = [] } = read;
    if (names.length === 0 && had.length === 0) return;
    const version = before + 1;
    const limits = names.flatMap((name, index): FurtherLimit[] => {
      const limit = parseFurtherLimit(name);
      if (!limit) return [];
      const kept = had.find((each) => identityOf(each.name) === identityOf(name));
      return [{ ...limit, id: kept?.id ?? `${limit.id}${version.toString(36)}${index}` }];
    });
    for (const limit of limits) {
      const kept = had.find(({ id }) => id === limit.id);
      if (kept?.name !== limit.name) await setAccounts(ownerId, limit, kept !== undefined);
    }
    const isSet = await updateItem(
      expressUpdate(setting('LEDGER_TABLE'), listKey(ownerId), (value, name) => ({
        when: [asRead(read, 'version', value)],
        set: [`version = ${value(version)}`, `${name('limits')} = ${value(limits)}`],
      })),
    );
    if (!isSet) continue;
    await setOnParts(ownerId, { limits: version });
    return;
  }
}

/** Opens a limit's account, or changes those that there are: its customers' too. */
async function setAccounts(ownerId: string, limit: FurtherLimit, isOpen: boolean): Promise<void> {
  const id = furtherId(ownerId, limit.id);
  const limits = accountLimits(limit);
  if (!isOpen && !limit.perCustomer) {
    const Item = newAccount(id, new Date().toISOString(), limits, limit.name);
    await putItem({ TableName: setting('LEDGER_TABLE'), Item });
  }
  if (!isOpen) return;
  const change = async (accountId: string) => {
    await changeAccountLimits(accountId, limits);
    await nameAccount(accountId, limit.name);
  };
  if (!limit.perCustomer) return change(id);
  for await (const { entry } of customersOf(ownerId, limit.id))
    await change(furtherId(ownerId, entry.slice(prefix.length)));
}

const prefix = 'customer_';

const customersOf = (ownerId: string, limitId = '') =>
  itemsUnder<Customer>(setting('LEDGER_TABLE'), ownerId, `${prefix}${limitId}`);

/** A further limit as it stands. Of money the figures are US dollars, else tokens, or requests. */
export interface FurtherReading {
  limit: string;
  model: string | null;
  /** The customer of a limit for each customer; empty for calls without one. */
  customer: string | null;
  unit: 'usd' | 'tokens' | 'requests';
  max: number;
  used: number;
  held: number;
  remaining: number;
  reset_at: string | null;
}

/** Reads the further limits of a key or a team: of each customer's the one of `customer`. */
export async function readFurther(ownerId: string, customer = ''): Promise<FurtherReading[]> {
  const list = await findLimitList(ownerId);
  return Promise.all(
    (list?.limits ?? []).map(async (limit) => {
      const whose = limit.perCustomer ? customer : undefined;
      const id = furtherId(ownerId, limit.id, whose === undefined ? whose : customerHash(whose));
      const account = await findWhole(id);
      const isNew = newAccount(id, new Date().toISOString(), accountLimits(limit), limit.name);
      return figuresOf(limit, account ?? isNew, whose);
    }),
  );
}

/** Reads what all customers of a key or a team have. */
export async function* readCustomers(ownerId: string): AsyncGenerator<FurtherReading> {
  const list = await findLimitList(ownerId);
  for await (const { entry, customer } of customersOf(ownerId)) {
    const id = furtherId(ownerId, entry.slice(prefix.length));
    const limit = list?.limits.find((each) => entry.startsWith(`${prefix}${each.id}~`));
    const account = limit && (await findWhole(id));
    if (account) yield figuresOf(limit, account, customer);
  }
}

/** Returns a customer's limits in US dollars that renew, and the names of their extra. Throws `NotFoundError`. */
export async function customerBudgets(ownerId: string, customer: string) {
  const list = await findLimitList(ownerId);
  const budgets = (list?.limits ?? []).map(async (limit) => {
    const account = await findWhole(furtherId(ownerId, limit.id, customerHash(customer)));
    const name = `extra_usd of ${customer} by ${limit.name}`;
    const isRenewed = account && limit.duration !== null && countsMoney(account);
    return isRenewed ? { name, account, limits: accountLimits(limit) } : [];
  });
  const found = (await Promise.all(budgets)).flat();
  if (found.length > 0) return found;
  throw new NotFoundError(`No customer "${customer}" has called under a limit that renews.`);
}

/** Gives a customer more until its limits renew; 0 takes it back, and undefined leaves what it has. */
export async function raiseCustomer(ownerId: string, customer: string, extra_usd?: number) {
  for (const { account, limits } of await customerBudgets(ownerId, customer))
    await changeAccountLimits(account.key_id, { ...limits, extra_usd });
}

/** Erases a customer's name from the list. Its accounts go on under their hash, so that nobody passes a limit so. Returns whether there were any. */
export async function eraseCustomer(ownerId: string, name: string): Promise<boolean> {
  const listed = (await Array.fromAsync(customersOf(ownerId))).filter(
    ({ customer }) => customer === name && name !== '',
  );
  for (const { key_id, entry } of listed) {
    await updateItem(
      expressUpdate(setting('LEDGER_TABLE'), { key_id, entry }, (value) => ({
        when: ['attribute_exists(entry)'],
        set: [`customer = ${value('erased')}`],
      })),
    );
  }
  return listed.length > 0;
}

/** The ids of the accounts that a key or a team has beside its own. */
export async function* furtherAccounts(ownerId: string): AsyncGenerator<string> {
  const list = await findLimitList(ownerId);
  for (const { id, perCustomer } of list?.limits ?? [])
    if (!perCustomer) yield furtherId(ownerId, id);
  for await (const { entry } of customersOf(ownerId))
    yield furtherId(ownerId, entry.slice(prefix.length));
}

function figuresOf(limit: FurtherLimit, account: Account, customer?: string): FurtherReading {
  const { name, model = null, requestsPerMinute, maxConcurrent } = limit;
  const { key_id, running = 0 } = account;
  const named = { limit: name, model, customer: customer ?? null };
  const now = Date.now();
  if (countsRequests(key_id)) {
    const [max, used] =
      requestsPerMinute === undefined
        ? [maxConcurrent ?? 0, running]
        : [requestsPerMinute, account[requestsAttribute(now)] ?? 0];
    const remaining = Math.max(0, max - used);
    return { ...named, unit: 'requests', max, used, held: 0, remaining, reset_at: null };
  }
  const { ceiling, spent, held, available } = asRenewed(account, now);
  const isOver = hasWindowEnded(account, now);
  const amount = countsTokens(key_id) ? (sum: number) => sum : toUsd;
  return {
    ...named,
    unit: countsTokens(key_id) ? 'tokens' : 'usd',
    max: amount(ceiling),
    used: amount(spent),
    held: amount(held),
    remaining: amount(Math.max(0, available)),
    reset_at: isOver || account.window_ends_at === never ? null : account.window_ends_at,
  };
}
