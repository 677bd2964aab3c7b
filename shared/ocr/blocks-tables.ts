import type { Block } from '@aws-sdk/client-textract';
import { type Box, sharesRow } from '../documents/box.ts';
import type { PageBlocks } from './blocks.ts';

/** The text of a table, cell by cell. */
export interface TextTable {
  /** All of the same length. */
  rows: string[][];
  box: Box;
  wordIds: Set<string>;
}

/** Returns the tables of a page that have text. @see https://docs.aws.amazon.com/textract/latest/dg/how-it-works-tables.html */
export function tablesOf(page: PageBlocks): TextTable[] {
  const order = new Map(
    page.lines.flatMap(({ wordIds }) => wordIds).map((id, index) => [id, index]),
  );
  return page
    .ofType((type) => type === 'TABLE')
    .map((table) => {
      const cells = page.related(table).filter(({ BlockType }) => BlockType === 'CELL');
      const texts = new Map(cells.map((cell) => [cell, cellText(page, cell, order)]));
      for (const merged of page.related(table, 'MERGED_CELL')) {
        mergeTexts(page.related(merged), texts);
      }
      return {
        rows: cellRows(cells, texts),
        box: page.boxOf(table),
        wordIds: wordIdsOf(page, cells),
      };
    })
    .filter(({ rows }) => rows.some((row) => row.some(Boolean)));
}

function wordIdsOf(page: PageBlocks, cells: readonly Block[]): Set<string> {
  return new Set(cells.flatMap((cell) => page.related(cell).flatMap(({ Id }) => Id ?? [])));
}

/** Returns a cell's words and ticks in the order of the page's lines, which its children may not have. */
function cellText(page: PageBlocks, cell: Block, order: Map<string, number>): string {
  const place = ({ Id = '' }: Block) => order.get(Id) ?? -1;
  const isTick = ({ BlockType }: Block) => BlockType === 'SELECTION_ELEMENT';
  const children = page.related(cell);
  const inOrder = children
    .filter((child) => !isTick(child))
    .sort((one, other) => place(one) - place(other));
  for (const tick of children.filter(isTick)) {
    const box = page.boxOf(tick);
    const next = inOrder.findIndex((child) => isAfter(page.boxOf(child), box));
    inOrder.splice(next < 0 ? inOrder.length : next, 0, tick);
  }
  return inOrder
    .map((child) => {
      if (!isTick(child)) return child.Text ?? '';
      return child.SelectionStatus === 'SELECTED' ? '[x]' : '[ ]';
    })
    .join(' ');
}

/** Whether a box stands right of another one on its line, or below it. */
const isAfter = (box: Box, other: Box) =>
  sharesRow(box, other) ? box.left > other.left : box.top > other.top;

function mergeTexts(merged: readonly Block[], texts: Map<Block, string>): void {
  const [first, ...others] = merged.filter((cell) => texts.has(cell));
  if (!first) return;
  const text = [first, ...others]
    .map((cell) => texts.get(cell))
    .filter(Boolean)
    .join(' ');
  for (const cell of others) texts.set(cell, '');
  texts.set(first, text);
}

function cellRows(cells: readonly Block[], texts: Map<Block, string>): string[][] {
  const columns = Math.max(0, ...cells.map(({ ColumnIndex = 1 }) => ColumnIndex));
  const count = Math.max(0, ...cells.map(({ RowIndex = 1 }) => RowIndex));
  const rows = Array.from({ length: count }, () => Array<string>(columns).fill(''));
  for (const cell of cells) {
    const row = rows[(cell.RowIndex ?? 1) - 1];
    if (row) row[(cell.ColumnIndex ?? 1) - 1] = texts.get(cell) ?? '';
  }
  return rows;
}
