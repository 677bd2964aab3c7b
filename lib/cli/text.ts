import type { KeyChange } from '../../shared/keys/history.ts';

/** Writes rows as aligned columns. */
export function aligned(rows: string[][]): string {
  // A month's export may have more rows than a function takes arguments.
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Writes an ISO instant to the minute, in UTC. */
export const minuteOf = (iso: string) => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

/** Writes dollars with all their decimals, at least two. */
export const dollars = (usd: number) => `$${usd.toFixed(9).replace(/(\.\d\d\d*?)0*$/, '$1')}`;

/** A text that callers have sent, without characters that control a terminal. */
export const printable = (text: string) =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** Writes a budget and how long it lasts. */
export function budgetText({
  budget_usd,
  duration,
}: {
  budget_usd: number | null;
  duration: string | null;
}): string {
  if (budget_usd === null) return 'no limit';
  return `${dollars(budget_usd)}${duration ? ` per ${duration}` : ''}`;
}

/** Describes changes of keys or teams; of a new one only the limits that differ from the defaults. */
export function describeHistory(changes: readonly KeyChange[], usual: object): string {
  if (changes.length === 0) return 'No change is written down.';
  return changes.map((change) => describe(change, usual)).join('\n\n');
}

function describe(change: KeyChange, usual: object): string {
  const { at, by, action, key_id, fields, old_secret_until } = change;
  const told = Object.entries(fields)
    .filter(([name, { new: value }]) => action !== 'created' || !isUsual(usual, name, value))
    .sort(([a], [b]) => a.localeCompare(b));
  const lines = told.map(([name, field]) =>
    action === 'created'
      ? `${printable(name)}: ${written(name, field.new)}`
      : `${printable(name)}: ${written(name, field.old)} → ${written(name, field.new)}${sameHost(field)}`,
  );
  if (old_secret_until) lines.push(`the old secret works until ${minuteOf(old_secret_until)}`);
  if (action === 'changed' && told.length === 0) lines.push('nothing differed');
  const heading = `${minuteOf(at)}  ${action}  ${key_id}  by ${printable(by ?? 'nobody known')}`;
  return [heading, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Only the origin of a webhook is written down: another path, or the same address set again, shows no difference. */
const sameHost = ({ old, new: now }: KeyChange['fields'][string]) =>
  old === now ? ' (set again, or with another path)' : '';

function isUsual(usual: object, name: string, value: unknown): boolean {
  const usually = { state: 'active', ...usual } as Record<string, unknown>;
  return JSON.stringify(usually[name] ?? null) === JSON.stringify(value);
}

function written(name: string, value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none';
  if (/_usd\b/.test(name)) return dollars(Number(value));
  return printable(Array.isArray(value) ? value.join(', ') : String(value));
}
