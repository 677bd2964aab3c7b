import type { Block } from '@aws-sdk/client-textract';
import type { PageBlocks, TextLine } from './blocks.ts';
import { around, type Box, sharedWidth } from './blocks-geometry.ts';
import type { TextTable } from './blocks-tables.ts';
import { readingOrder } from './layout-columns.ts';
import { type Row, rowsOf } from './layout-rows.ts';

/** A part of a page, such as a heading or a paragraph. */
export interface TextElement {
  /** As Textract's, without `LAYOUT_`. */
  kind: string;
  box: Box;
  rows: Row<TextLine>[];
  /** A list's items. */
  items?: Row<TextLine>[][];
  table?: TextTable;
}

/**
 * A page's elements in reading order: Textract's where it was asked for the layout, with the lines it
 * put into none; else found from where the lines are. Lines of a table are in its cells alone.
 */
export function elementsOf(page: PageBlocks, tables: readonly TextTable[]): TextElement[] {
  const layout = layoutElements(page);
  if (layout.length === 0) return placedElements(page.lines, tables);

  const placed = new Set(layout.flatMap(({ rows }) => rows.flat()));
  const rest = page.lines.filter((line) => !placed.has(line));
  return withTables(insertAll(layout, placedElements(rest, [])), tables);
}

function layoutElements(page: PageBlocks): TextElement[] {
  const blocks = page.ofType((type) => type.startsWith('LAYOUT_'));
  const inLists = new Set(blocks.flatMap((block) => page.related(block)));
  const linesOf = (block: Block) =>
    page.related(block).flatMap(({ Id = '' }) => page.lineOf(Id) ?? []);
  return blocks
    .filter((block) => !inLists.has(block))
    .map((block) => {
      const nested = page
        .related(block)
        .filter(({ BlockType = '' }) => BlockType.startsWith('LAYOUT_'));
      const rows = rowsOf([...linesOf(block), ...nested.flatMap(linesOf)]);
      return {
        kind: (block.BlockType ?? '').replace('LAYOUT_', ''),
        box: page.boxOf(block),
        rows,
        ...(nested.length > 0 && { items: nested.map((item) => rowsOf(linesOf(item))) }),
      };
    })
    .filter(({ rows }) => rows.length > 0);
}

/** Puts lines and tables in reading order by their places. */
function placedElements(lines: readonly TextLine[], tables: readonly TextTable[]): TextElement[] {
  const loose = lines.filter((line) => !tables.some((table) => isIn(line, table)));
  const things = [
    ...loose.map((line) => ({ box: line.box, text: line.text, line, table: undefined })),
    ...tables.map((table) => ({ box: table.box, text: '', line: undefined, table })),
  ];
  return readingOrder(things).flatMap((paragraph) => {
    const rows = paragraph.map((row) => row.flatMap(({ line }) => line ?? []));
    const text = rows.filter(({ length }) => length > 0);
    const tabular = paragraph.flat().flatMap(({ table }) => table ?? []);
    return [
      ...(text.length > 0 ? [{ kind: 'TEXT', box: boxOf(text), rows: text }] : []),
      ...tabular.map((table) => ({ kind: 'TABLE', box: table.box, rows: [], table })),
    ];
  });
}

const boxOf = (rows: Row<TextLine>[]) => around(rows.flat().map(({ box }) => box));

const isIn = ({ wordIds }: TextLine, { wordIds: inTable }: TextTable) =>
  wordIds.filter((id) => inTable.has(id)).length > wordIds.length / 2;

/** Puts each element after the last that stands above it, or before all that stand below. */
function insertAll(elements: readonly TextElement[], more: readonly TextElement[]): TextElement[] {
  const all = [...elements];
  for (const element of more) {
    const { box } = element;
    const isAbove = (other: TextElement) =>
      sharedWidth(other.box, box) > 0 && other.box.top <= box.top;
    const isBelow = (other: TextElement) =>
      sharedWidth(other.box, box) > 0 && other.box.top > box.top;
    const above = all.findLastIndex(isAbove);
    const below = all.findIndex(isBelow);
    all.splice(above >= 0 ? above + 1 : below >= 0 ? below : all.length, 0, element);
  }
  return all;
}

/** A table stands where the first element does that has one of its lines, in place of those lines. */
function withTables(elements: readonly TextElement[], tables: readonly TextTable[]): TextElement[] {
  const left = new Set(tables);
  const placed = elements.flatMap((element) => {
    const lines = element.rows.flat();
    const own = [...left].filter((table) => lines.some((line) => isIn(line, table)));
    for (const table of own) left.delete(table);
    const isLoose = (line: TextLine) => !tables.some((table) => isIn(line, table));
    if (lines.every(isLoose)) return [element];
    const loose = lines.filter(isLoose);
    const ownTop = Math.min(...own.map(({ box }) => box.top));
    const [before, after] = [
      loose.filter(({ box }) => box.top < ownTop),
      loose.filter(({ box }) => box.top >= ownTop),
    ];
    return [
      ...textElements(element.kind, before),
      ...own.map((table) => ({ kind: 'TABLE', box: table.box, rows: [], table })),
      ...textElements(element.kind, after),
    ];
  });
  return insertAll(
    placed,
    [...left].map((table) => ({ kind: 'TABLE', box: table.box, rows: [], table })),
  );
}

function textElements(kind: string, lines: TextLine[]): TextElement[] {
  if (lines.length === 0) return [];
  const rows = rowsOf(lines);
  return [{ kind: kind === 'TABLE' || kind === 'LIST' ? 'TEXT' : kind, box: boxOf(rows), rows }];
}
