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
