import pLimit from 'p-limit';
import { ConflictError } from '../http/errors.ts';
import { type AccountDifference, furtherSummed, readSummed } from '../ledger/compare-account.ts';
import { endedCharges, endedOnTeam, firstKeptDay } from './charges.ts';
import { compareUsage, type UsageDifference } from './compare.ts';
import type { EndedCharge } from './figures.ts';
import { readTotal } from './total.ts';

/** Whether a key's account, its usage by model, by tag and by day, and its charges agree. */
export interface KeyCheck {
  key_id: string;
  agrees: boolean;
  /** How many ended charges were read. */
  charges: number;
  usage_differences: UsageDifference[];
  /** How many charges were not counted that should have been. */
  missed: number;
  account_differences: AccountDifference[];
  /** Whether the account was compared: all charges of its window are kept, and were read. */
  compares_account: boolean;
  /** Entries that are not compared yet: charges that end now, and epochs before their audit. */
  under_way: { charges: number; epochs: number };
  /** Why the key could not be compared; null if it was. */
  problem: string | null;
}

/** The roll-up counts a charge a second or two after its end. One that is older was missed. */
const countedWithinMs = 60_000;

/** Compares a key's account and usage with its charges, from a day on. Only the revision of the usage changes. */
export async function checkKey(keyId: string, from?: string): Promise<KeyCheck> {
  const { compares_account, epochs, sums } = await sumsOf(keyId, from);
  const check: KeyCheck = {
    key_id: keyId,
    agrees: false,
    charges: 0,
    usage_differences: [],
    missed: 0,
    account_differences: [],
    compares_account,
    under_way: { charges: 0, epochs },
    problem: null,
  };
  const lately = new Date(Date.now() - countedWithinMs).toISOString();
  const onRead = (page: EndedCharge[]) => {
    for (const charge of page) {
      for (const sum of sums) sum.add(charge);
      if (charge.counted_in !== undefined) continue;
      if (charge.ended_at < lately) check.missed += 1;
      else check.under_way.charges += 1;
    }
  };
  try {
    const compared = (await isUsed(keyId)) && (await compareUsage(keyId, from, onRead));
    const { charges = 0, differences = [] } = compared || {};
    const account_differences = sums.flatMap((sum) => sum.differences());
    const wrong = check.missed + differences.length + account_differences.length;
    const found = { charges, usage_differences: differences, account_differences };
    return { ...check, ...found, agrees: wrong === 0 };
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    return { ...check, problem: error.message };
  }
}

/** An account and its further limits, if all charges of its window are kept and will be read. */
async function sumsOf(accountId: string, from?: string) {
  const sum = await readSummed(accountId);
  const compares_account = sum !== undefined && sum.spentSince >= firstKeptDay(from);
  const sums = compares_account ? [sum, ...(await furtherSummed(accountId))] : [];
  return { compares_account, epochs: sums[0]?.underWay ?? 0, sums };
}

const checksAtOnce = 8;

/** Checks keys, some at a time, in their order. */
export async function checkKeys(
  keys: readonly { id: string }[],
  from: string | undefined,
  tell: (done: number) => void = () => {},
): Promise<KeyCheck[]> {
  let done = 0;
  return pLimit(checksAtOnce).map(keys, async ({ id }) => {
    const check = await checkKey(id, from);
    tell(++done);
    return check;
  });
}

/** Whether a key has used anything. A key that never did has no usage, and a comparison would begin one. */
async function isUsed(keyId: string): Promise<boolean> {
  if ((await readTotal(keyId)).revision !== undefined) return true;
  for await (const page of endedCharges(keyId)) if (page.length > 0) return true;
  return false;
}

/** Whether a team's account and the charges of its keys agree. */
export interface TeamCheck
  extends Pick<KeyCheck, 'agrees' | 'charges' | 'account_differences' | 'compares_account'> {
  team_id: string;
  under_way: { epochs: number };
}

/** Compares a team's account with the charges of all keys that were ever in it, from a day on. Changes nothing. */
export async function checkTeam(team_id: string, from?: string): Promise<TeamCheck> {
  const { compares_account, epochs, sums } = await sumsOf(team_id, from);
  const days = from === undefined ? {} : { from: firstKeptDay(from) };
  let charges = 0;
  for await (const page of compares_account ? endedOnTeam(team_id, days) : []) {
    for (const charge of page) for (const sum of sums) sum.add(charge);
    charges += page.length;
  }
  const account_differences = sums.flatMap((sum) => sum.differences());
  const agrees = account_differences.length === 0;
  return { team_id, agrees, charges, account_differences, compares_account, under_way: { epochs } };
}

/** Checks teams, one after another: each reads the charges of several keys. */
export async function checkTeams(
  teams: readonly { id: string }[],
  from: string | undefined,
): Promise<TeamCheck[]> {
  const checks: TeamCheck[] = [];
  for (const { id } of teams) checks.push(await checkTeam(id, from));
  return checks;
}
