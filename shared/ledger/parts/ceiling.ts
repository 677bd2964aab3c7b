import { newItem, putItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { type Account, newAccount } from '../account/account.ts';
import {
  accountLimits,
  ceilings,
  type LimitList,
  listKey,
  openCustomer,
} from '../account/limit-list.ts';
import { ceilingId, deploymentId, isCustomers, ownerOf } from '../terms/account-ids.ts';
import { calendarText } from '../terms/calendar.ts';
import type { FurtherLimit } from '../terms/further-limit.ts';
import { noteMember } from './members.ts';

/** What all keys may spend in a day, as the operator has set it. */
export function ceilingLimit(): FurtherLimit {
  const amountUsd = setting('DAY_CEILING_USD') ?? 0;
  const duration = calendarText({ window: 'day', zone: 'UTC', anchor: undefined });
  return { id: 'u', name: `budget-usd=${amountUsd}/day`, amountUsd, duration };
}

/** Opens the account of all keys. Does nothing if there is one. */
export async function openCeiling(): Promise<void> {
  const limit = ceilingLimit();
  const account = newAccount(ceilingId, new Date().toISOString(), accountLimits(limit), limit.name);
  await putItem(newItem(setting('LEDGER_TABLE'), account));
  await listCeiling();
}

/** Returns the function that opens an account at its first hold: a customer's account, or the ceiling's. */
export const openerOf = (id: string) =>
  isCustomers(id) ? openCustomer : id === ceilingId ? openCeiling : undefined;

/** Lists the ceiling in the form of a further limit. */
export async function listCeiling(): Promise<void> {
  const Item: LimitList = { ...listKey(deploymentId), version: 1, limits: [ceilingLimit()] };
  await putItem({ TableName: setting('LEDGER_TABLE'), Item });
}

/** The keys that this function knows to be noted. */
const noted = new Set<string>();
const maxNoted = 10_000;

/** Notes a key on the ceiling, so that the ceiling's audit reads the key's charges. */
export async function noteOnCeiling(own: Account | undefined): Promise<void> {
  if (!own || ceilings().length === 0) return;
  const key_id = ownerOf(own.key_id);
  if (noted.has(key_id)) return;
  await noteMember(deploymentId, { key_id });
  if (noted.size >= maxNoted) noted.clear();
  noted.add(key_id);
}
