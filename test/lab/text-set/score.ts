import type { Paper } from './papers.ts';

/** Shares from 0 to 1. */
export interface TextScore {
  /** Of the paper's words, those that the text has. */
  words: number;
  /** Of neighbouring words, those that are neighbours in the text too. */
  order: number;
  /** Of neighbouring cells, those that are neighbours in a table of the text. */
  recall: number;
  /** Of neighbouring cells in tables of the text, those that are the paper's. */
  precision: number;
}

/** Compares a text, in Markdown, with the paper that its document was made of. */
export function scoreOf({ pieces }: Paper, text: string): TextScore {
  const true_ = pieces.map((piece) => wordsOf(Object.values(piece).flat(2).join(' ')));
  const read = wordsOf(text.replaceAll(/^[|\s:-]+$/gm, ''));
  const cells = pieces.flatMap((piece) => ('rows' in piece ? neighbours(piece.rows) : []));
  const found = tablesIn(text).flatMap(neighbours);
  const shared = cells.length - without(cells, found).length;
  return {
    words: shareFound(true_.flat(), read),
    order: shareFound(true_.flatMap(pairsOf), pairsOf(read)),
    recall: cells.length === 0 ? 1 : shared / cells.length,
    precision: found.length === 0 ? 1 : shared / found.length,
  };
}

/** The marks of Markdown, and what stands between cells, are no words. */
const wordsOf = (text: string) =>
  text
    .normalize('NFC')
    .replaceAll(/[’']/g, "'")
    .split(/[\s|#*]+/)
    .filter((word) => /[\p{L}\p{N}%€+]/u.test(word));

const pairsOf = (words: string[]) => words.slice(1).map((word, at) => `${words[at]} ${word}`);

const shareFound = (wanted: string[], found: string[]) =>
  wanted.length === 0 ? 1 : 1 - without(wanted, found).length / wanted.length;

/** What is left of a list if each of another's is taken away once. */
function without(wanted: string[], found: string[]): string[] {
  const counts = new Map<string, number>();
  for (const each of found) counts.set(each, (counts.get(each) ?? 0) + 1);
  return wanted.filter((each) => {
    const count = counts.get(each) ?? 0;
    counts.set(each, count - 1);
    return count <= 0;
  });
}

/**
 * Each cell with the one right of it and the one below, as tables are compared.
 * @see https://doi.org/10.1145/2361354.2361365
 */
function neighbours(rows: string[][]): string[] {
  const same = (cell = '') => wordsOf(cell).join(' ');
  return rows.flatMap((row, y) =>
    row.flatMap((cell, x) =>
      [row[x + 1], rows[y + 1]?.[x]].flatMap((other, below) =>
        same(cell) && same(other) ? `${same(cell)} ${below ? '↓' : '→'} ${same(other)}` : [],
      ),
    ),
  );
}

/** The tables of a text in Markdown. */
function tablesIn(text: string): string[][][] {
  const tables = text.match(/(?:^[^\S\n]*\|.*\|[^\S\n]*(?:\n|$))+/gm) ?? [];
  return tables.map((table) =>
    table
      .trim()
      .split('\n')
      .filter((line) => !/^[|\s:-]+$/.test(line))
      .map((line) =>
        line
          .trim()
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.replaceAll('\\|', '|')),
      ),
  );
}
