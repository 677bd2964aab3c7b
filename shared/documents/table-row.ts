/**
 * Writes a row of a Markdown table, each cell on one line. Whoever reads the Markdown gets each cell back as it was: a sign
 * that would end a cell is escaped, and so is the sign that escapes.
 *
 * @see https://github.github.com/gfm/#tables-extension-
 */
export const tableRow = (cells: readonly string[]): string => rowOf(cells.map(cellOf));

/** Writes the line between the head of a Markdown table and its rows. */
export const tableRule = (columns: number): string => rowOf(Array(columns).fill('---'));

const rowOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const cellOf = (text: string) => text.replace(/[\\|]/g, '\\$&').replace(/\s+/g, ' ').trim();
