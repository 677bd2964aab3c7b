import type { Value } from '../value.ts';

/**
 * Writes a line of CSV. Documents say what is in a cell: a text that a spreadsheet would take for a formula begins with an
 * apostrophe, as in the export of usage.
 * @see https://www.rfc-editor.org/rfc/rfc4180
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export const csvLine = (values: readonly Value[]): string => `${values.map(cell).join(',')}\r\n`;

function cell(value: Value): string {
  if (typeof value !== 'string') return value === null ? '' : `${value}`;
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
