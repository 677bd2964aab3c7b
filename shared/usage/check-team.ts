import { type AccountDifference, furtherSummed, readSummed } from '../ledger/compare-account.ts';
import { endedOnTeam, firstKeptDay } from './charges.ts';

/** Whether a team's account and the charges of its keys agree. */
export interface TeamCheck {
  team_id: string;
  agrees: boolean;
  /** How many ended charges were held on it. */
  charges: number;
  account_differences: AccountDifference[];
  /** Whether the account was compared: all charges of its window are kept, and were read. */
  compares_account: boolean;
  under_way: { epochs: number };
}

/** Compares a team's account with the charges of all keys that were ever in it, from a day on. Changes nothing. */
export async function checkTeam(teamId: string, from?: string): Promise<TeamCheck> {
  const sum = await readSummed(teamId);
  const firstDay = [firstKeptDay(), from ?? ''].sort()[1] as string;
  const compares_account = sum !== undefined && sum.spentSince >= firstDay;
  const check = { team_id: teamId, agrees: true, charges: 0, account_differences: [] };
  if (!sum || !compares_account) return { ...check, compares_account, under_way: { epochs: 0 } };

  const further = await furtherSummed(teamId);
  let charges = 0;
  const days = from === undefined ? {} : { from: firstDay };
  for await (const page of endedOnTeam(teamId, days)) {
    for (const charge of page) for (const each of [sum, ...further]) each.add(charge);
    charges += page.length;
  }
  const account_differences = [sum, ...further].flatMap((each) => each.differences());
  const agrees = account_differences.length === 0;
  const under_way = { epochs: sum.underWay };
  return { team_id: teamId, agrees, charges, account_differences, compares_account, under_way };
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
