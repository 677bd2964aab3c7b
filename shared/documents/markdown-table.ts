/**
 * Yields the lines of a Markdown table, whose head is the first row. All rows have as many cells as that one. What
 * stands in a cell becomes one line; no sign in it ends the cell.
 *
 * @see https://github.github.com/gfm/#tables-extension-
 */
export function* markdownTable(rows: Iterable<readonly string[]>): Generator<string> {
  let isHead = true;
  for (const row of rows) {
    yield lineOf(row.map(escapedCell));
    if (isHead) yield lineOf(row.map(() => '---'));
    isHead = false;
  }
}

/** A backslash before a bar would take the escape from it. */
const escapedCell = (text: string) => inOneLine(text).replace(/[\\|]/g, '\\$&');
const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** Returns a text with one space wherever it has some, or ends a line. */
export const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
