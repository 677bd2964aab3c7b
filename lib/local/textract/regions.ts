import { findTables, type Table } from './page-tables.ts';
import { around, type Box, type RecognizedPage, turnBox } from './recognized-page.ts';
import { type TextLine, textLinesOf } from './text-lines.ts';

/** A part of a page's layout; the types of Textract's Blocks are these after `LAYOUT_`. */
export interface Region {
  kind: 'TEXT' | 'TABLE' | 'FIGURE';
  box: Box;
  lines: TextLine[];
  table?: Table;
}

/** A page's lines, and its regions in reading order. Boxes are of the page laid straight. */
export interface Layout {
  lines: TextLine[];
  regions: Region[];
}

/** Finds a page's layout: paragraphs, tables and figures. */
export function layoutOf(page: RecognizedPage): Layout {
  const lines = textLinesOf(page);
  const upright = (box: Box) => turnBox(box, -(page.skew ?? 0));
  const tables = findTables(lines, (page.rules ?? []).map(upright));
  const regions = page.blocks.flatMap(({ kind, box }, index): Region[] => {
    if (kind === 'figure') return [{ kind: 'FIGURE', box: upright(box), lines: [] }];
    return blockRegions(
      lines.filter(({ block }) => block === index),
      tables,
    );
  });
  return { lines, regions };
}

/** Returns a block's regions. A table stands where its first line does. */
function blockRegions(lines: TextLine[], tables: Table[]): Region[] {
  const regions: Region[] = [];
  for (const line of lines) {
    const table = tables.find((each) => each.lines.includes(line));
    const last = regions.at(-1);
    if (table) {
      if (table.lines[0] !== line) continue;
      regions.push({ kind: 'TABLE', box: table.box, lines: table.lines, table });
    } else if (last?.kind === 'TEXT' && last.lines[0]?.paragraph === line.paragraph) {
      last.lines.push(line);
      last.box = around([last.box, line.box]);
    } else regions.push({ kind: 'TEXT', box: line.box, lines: [line] });
  }
  return regions;
}
