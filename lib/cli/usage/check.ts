import type { AccountDifference } from '../../../shared/ledger/compare-account.ts';
import type { KeyCheck, TeamCheck } from '../../../shared/usage/check.ts';
import { aligned } from '../text.ts';
import { figureRows } from './usage-text.ts';

/** The checks of some keys and teams, as JSON: the checks that found something, and how many found nothing. */
export function checkRecord(checks: readonly KeyCheck[], teams: readonly TeamCheck[] = []) {
  const differing = checks.filter(({ agrees }) => !agrees);
  return {
    keys: checks.length,
    agreeing: checks.length - differing.length,
    charges: sum(checks.map(({ charges }) => charges)),
    accounts_left_out: checks.filter((check) => !check.compares_account).length,
    under_way: {
      charges: sum(checks.map(({ under_way }) => under_way.charges)),
      epochs: sum([...checks, ...teams].map(({ under_way }) => under_way.epochs)),
    },
    differing,
    teams: {
      checked: teams.length,
      agreeing: teams.filter(({ agrees }) => agrees).length,
      accounts_left_out: teams.filter((check) => !check.compares_account).length,
      differing: teams.filter(({ agrees }) => !agrees),
    },
  };
}

/** Describes the checks of some keys: each difference, and what to do about it. */
export function describeChecks(
  checks: readonly KeyCheck[],
  teamChecks: readonly TeamCheck[] = [],
): string {
  const record = checkRecord(checks, teamChecks);
  const { keys, agreeing, charges, under_way, differing, teams } = record;
  const rows = [...differing.flatMap(rowsOf), ...teams.differing.flatMap(rowsOfTeam)];
  const problems = differing.flatMap(({ problem }) => problem ?? []);
  const wrongUsage = differing.filter((check) => check.missed + check.usage_differences.length > 0);
  const wrongAccounts = [...differing, ...teams.differing].filter(
    ({ account_differences }) => account_differences.length > 0,
  );
  const leftOut = record.accounts_left_out + teams.accounts_left_out;
  const underWay = under_way.charges + under_way.epochs;
  return [
    rows.length > 0 && aligned([['key or team', 'entry', 'figure', 'kept', 'charged'], ...rows]),
    ...problems,
    `Of ${keys} keys ${agreeing} agree: account, models and days with ${charges} charges.`,
    teams.checked > 0 &&
      `Of ${teams.checked} teams ${teams.agreeing} agree: account with what their keys were charged.`,
    ...wrongUsage.map(
      ({ key_id }) => `Put its usage right with: npm run usage -- rebuild ${key_id}`,
    ),
    wrongAccounts.length > 0 && noCure,
    leftOut > 0 &&
      `Not compared: ${leftOut} accounts whose window began before the charges that were read.`,
    underWay > 0 &&
      `Under way, which is no difference: ${under_way.charges} of the last minute's charges, not counted yet; ${under_way.epochs} epochs of accounts, not audited yet.`,
  ]
    .filter((part) => part !== false)
    .join('\n\n');
}

const noCure =
  'An account is changed by its calls and their audits alone, and no command changes it: one that differs was written to by somebody else, or by a fault of the service.';

function rowsOf({ key_id, usage_differences, missed, account_differences }: KeyCheck): string[][] {
  const usage = usage_differences.flatMap(figureRows);
  const account = account_differences.map(accountRow);
  const uncounted = missed > 0 ? [['charges', 'not counted', '0', String(missed)]] : [];
  return [...account, ...uncounted, ...usage].map((row) => [key_id, ...row]);
}

const rowsOfTeam = ({ team_id, account_differences }: TeamCheck) =>
  account_differences.map((difference) => [team_id, ...accountRow(difference)]);

const accountRow = ({ figure, kept, charged }: AccountDifference) => [
  ...['account', figure, String(kept), String(charged)],
];

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
