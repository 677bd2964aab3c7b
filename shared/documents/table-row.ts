/**
 * Writes a row of a Markdown table, each cell on one line, so that readers get the cells back: signs are escaped.
 * @see https://github.github.com/gfm/#tables-extension-
 */
export const tableRow = (cells: readonly string[]): string => rowOf(cells.map(cellOf));

/** Writes the line between the head of a Markdown table and its rows. */
export const tableRule = (columns: number): string => rowOf(Array(columns).fill('---'));

const rowOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const cellOf = (text: string) => text.replace(/[\\|]/g, '\\$&').replace(/\s+/g, ' ').trim();
