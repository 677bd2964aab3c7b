import type { KeyCheck } from '../../../shared/usage/check.ts';
import { aligned } from '../text.ts';

/** The checks of some keys, as JSON: those that found something, and how many did not. */
export function checkRecord(checks: readonly KeyCheck[]) {
  const differing = checks.filter(({ agrees }) => !agrees);
  return {
    keys: checks.length,
    agreeing: checks.length - differing.length,
    charges: sum(checks.map(({ charges }) => charges)),
    accounts_left_out: checks.filter((check) => !check.compares_account).length,
    under_way: {
      charges: sum(checks.map(({ under_way }) => under_way.charges)),
      epochs: sum(checks.map(({ under_way }) => under_way.epochs)),
    },
    differing,
  };
}

/** Describes the checks of some keys: each difference, and what to do about it. */
export function describeChecks(checks: readonly KeyCheck[]): string {
  const { keys, agreeing, charges, accounts_left_out, under_way, differing } = checkRecord(checks);
  const rows = differing.flatMap(rowsOf);
  const problems = differing.flatMap(({ problem }) => problem ?? []);
  const wrongUsage = differing.filter((check) => check.missed + check.usage_differences.length > 0);
  const wrongAccounts = differing.filter(
    ({ account_differences }) => account_differences.length > 0,
  );
  return [
    ...(rows.length > 0 ? [aligned([['key', 'entry', 'figure', 'kept', 'charged'], ...rows])] : []),
    ...problems,
    `Of ${keys} keys ${agreeing} agree: account, models and days with ${charges} charges.`,
    ...wrongUsage.map(
      ({ key_id }) => `Put its usage right with: npm run usage -- rebuild ${key_id}`,
    ),
    ...(wrongAccounts.length > 0 ? [noCure] : []),
    ...(accounts_left_out > 0
      ? [
          `Not compared: ${accounts_left_out} accounts whose window began before the charges that were read.`,
        ]
      : []),
    ...(under_way.charges + under_way.epochs > 0
      ? [
          `Under way, and no difference: ${under_way.charges} charges of the last minute that are not counted yet, ${under_way.epochs} epochs of accounts that are not audited yet.`,
        ]
      : []),
  ].join('\n\n');
}

const noCure =
  'An account is changed by its calls and their audits alone, and no command changes it: one that differs was written to by somebody else, or by a fault of the service.';

function rowsOf({ key_id, usage_differences, missed, account_differences }: KeyCheck): string[][] {
  const usage = usage_differences.flatMap(({ entry, kept, charged }) =>
    (Object.keys(kept) as (keyof typeof kept)[])
      .filter((name) => kept[name] !== charged[name])
      .map((name) => [entry, name, String(kept[name]), String(charged[name])]),
  );
  const account = account_differences.map(({ figure, kept, charged }) => [
    ...['account', figure, String(kept), String(charged)],
  ]);
  const uncounted = missed > 0 ? [['charges', 'not counted', '0', String(missed)]] : [];
  return [...account, ...uncounted, ...usage].map((row) => [key_id, ...row]);
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
