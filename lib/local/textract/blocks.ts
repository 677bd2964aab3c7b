import type { Block } from '@aws-sdk/client-textract';
import { type BlockMaker, blockMaker, type MadeBlock } from './block-maker.ts';
import type { Table } from './page-tables.ts';
import type { RecognizedPage, RecognizedWord } from './recognized-page.ts';
import { layoutOf } from './regions.ts';
import type { TextLine } from './text-lines.ts';

export type Feature = 'LAYOUT' | 'TABLES';

/**
 * Returns a page as Textract's Blocks: page, lines from the top down, words, and as asked for tables and layout.
 * @see https://docs.aws.amazon.com/textract/latest/dg/API_Block.html
 */
export function blocksOf(page: RecognizedPage, features: readonly Feature[]): Block[] {
  const { lines, regions } = layoutOf(page);
  const make = blockMaker(page);
  const words = new Map<RecognizedWord, MadeBlock>();
  for (const word of lines.flatMap((line) => line.words)) words.set(word, make.word(word));
  const idsOf = (some: RecognizedWord[]) => some.flatMap((word) => words.get(word)?.Id ?? []);

  const sorted = lines.toSorted(
    (one, other) => one.box.y0 - other.box.y0 || one.box.x0 - other.box.x0,
  );
  const lineBlocks = new Map(sorted.map((line) => [line, make.line(line, idsOf(line.words))]));
  const lineIds = (some: TextLine[]) => some.flatMap((line) => lineBlocks.get(line)?.Id ?? []);

  const tables = features.includes('TABLES')
    ? regions.flatMap(({ table }) => (table ? [tableBlocks(table, make, idsOf)] : []))
    : [];
  const layout = features.includes('LAYOUT')
    ? regions.map(({ kind, box, lines }) =>
        make.part(`LAYOUT_${kind}`, { box, words: wordsOf(lines) }, lineIds(lines)),
      )
    : [];

  const children = [...lineBlocks.values(), ...tables.flatMap(([table]) => table ?? []), ...layout];
  return [
    make.page(children.map(({ Id }) => Id)),
    ...lineBlocks.values(),
    ...sorted.flatMap((line) => line.words.flatMap((word) => words.get(word) ?? [])),
    ...tables.flat(),
    ...layout,
  ];
}

/** Returns a table's block, then its cells'. */
function tableBlocks(
  { box, cells, lines }: Table,
  make: BlockMaker,
  idsOf: (words: RecognizedWord[]) => string[],
): MadeBlock[] {
  const cellBlocks = cells.map(
    ({ row, column, ...cell }): MadeBlock => ({
      ...make.part('CELL', cell, idsOf(cell.words)),
      RowIndex: row + 1,
      ColumnIndex: column + 1,
      RowSpan: 1,
      ColumnSpan: 1,
      ...(row === 0 && { EntityTypes: ['COLUMN_HEADER'] }),
    }),
  );
  const ids = cellBlocks.map(({ Id }) => Id);
  const table = make.part('TABLE', { box, words: wordsOf(lines) }, ids);
  return [{ ...table, EntityTypes: ['STRUCTURED_TABLE'] }, ...cellBlocks];
}

const wordsOf = (lines: readonly TextLine[]) => lines.flatMap(({ words }) => words);
