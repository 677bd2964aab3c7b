import type { Block } from '@aws-sdk/client-textract';
import { around, type Box, sharedWidth } from '../documents/box.ts';
import type { PageBlocks, TextLine } from './blocks.ts';
import type { TextTable } from './blocks-tables.ts';
import { readingOrder } from './layout-columns.ts';
import { type Row, rowsByMiddle } from './layout-rows.ts';

/** A part of a page, such as a heading or a paragraph. */
export interface TextElement {
  /** The type of its Block without `LAYOUT_`, such as `TEXT`, `LIST` or `SECTION_HEADER`. */
  kind: string;
  box: Box;
  rows: Row<TextLine>[];
  /** A list's items. */
  items?: Row<TextLine>[][];
  table?: TextTable;
}

/**
 * Returns a page's elements in reading order: Textract's layout with the lines that it left out, or found by lines'
 * places. A table's lines are only in its cells.
 * @see https://docs.aws.amazon.com/textract/latest/dg/layoutresponse.html
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
      const rows = rowsByMiddle([...linesOf(block), ...nested.flatMap(linesOf)]);
      return {
        kind: (block.BlockType ?? '').replace('LAYOUT_', ''),
        box: page.boxOf(block),
        rows,
        ...(nested.length > 0 && { items: nested.map((item) => rowsByMiddle(linesOf(item))) }),
      };
    })
    .filter(({ rows }) => rows.length > 0);
}

/** Returns lines and tables as elements in reading order, by where they stand. */
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
      ...tabular.map(tableElement),
    ];
  });
}

const boxOf = (rows: Row<TextLine>[]) => around(rows.flat().map(({ box }) => box));

const isIn = ({ wordIds }: TextLine, { wordIds: inTable }: TextTable) =>
  wordIds.filter((id) => inTable.has(id)).length > wordIds.length / 2;

/** Puts each element after the last one that stands above it, or else before the first one below it. */
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

/** Puts each table in place of its lines, into the first element that has one of them. */
function withTables(elements: readonly TextElement[], tables: readonly TextTable[]): TextElement[] {
  const unplaced = new Set(tables);
  const placed = elements.flatMap((element) => {
    const lines = element.rows.flat();
    const own = [...unplaced].filter((table) => lines.some((line) => isIn(line, table)));
    for (const table of own) unplaced.delete(table);
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
      ...own.map(tableElement),
      ...textElements(element.kind, after),
    ];
  });
  return insertAll(placed, [...unplaced].map(tableElement));
}

const tableElement = (table: TextTable): TextElement => ({
  kind: 'TABLE',
  box: table.box,
  rows: [],
  table,
});

function textElements(kind: string, lines: TextLine[]): TextElement[] {
  if (lines.length === 0) return [];
  const rows = rowsByMiddle(lines);
  return [{ kind: kind === 'TABLE' || kind === 'LIST' ? 'TEXT' : kind, box: boxOf(rows), rows }];
}
