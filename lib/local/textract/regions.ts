import { listsAndParagraphs, withBullets } from './lists.ts';
import { findTables, type Table } from './page-tables.ts';
import type { Box, RecognizedPage } from './recognized-page.ts';
import { heightOf, kindOf, type RegionKind, withTitle } from './region-kinds.ts';
import { around, type TextLine, textLinesOf, turnBox } from './text-lines.ts';

/** A part of a page's layout, as Textract tells them apart. */
export interface Region {
  kind: RegionKind;
  box: Box;
  lines: TextLine[];
  /** A list's items. */
  items?: TextLine[][];
  table?: Table;
}

/** A page's lines and the regions they make up in reading order; boxes are of the page laid straight. */
export interface Layout {
  lines: TextLine[];
  regions: Region[];
}

/** Finds a page's layout from where the recognizer found its words, and how large. */
export function layoutOf(page: RecognizedPage): Layout {
  const lines = withBullets(textLinesOf(page));
  const upright = (box: Box) => turnBox(box, -(page.skew ?? 0));
  const tables = findTables(lines, (page.rules ?? []).map(upright));
  const bodyHeight = bodyHeightOf(lines, tables);

  const regions = page.blocks.flatMap(({ kind, box }, index): Region[] => {
    if (kind === 'figure') return [{ kind: 'FIGURE', box: upright(box), lines: [] }];
    const own = lines.filter(({ block }) => block === index);
    return blockRegions(own, tables, { body: bodyHeight, page: page.height });
  });
  return { lines, regions: withTitle(regions, bodyHeight) };
}

/** A page's usual type: its text's rather than its tables', where it has some. */
function bodyHeightOf(lines: readonly TextLine[], tables: readonly Table[]): number {
  const tabular = new Set(tables.flatMap((table) => table.lines));
  const text = lines.filter((line) => !tabular.has(line));
  const isText = text.flatMap(({ words }) => words).length > fewestWords;
  return heightOf(isText ? text : lines);
}

const fewestWords = 30;

/** A block's regions; a table stands where its first line does. */
function blockRegions(
  lines: TextLine[],
  tables: Table[],
  heights: { body: number; page: number },
): Region[] {
  const regions: Region[] = [];
  let text: TextLine[] = [];
  const endText = () => {
    const parts = listsAndParagraphs(text, heights.body);
    regions.push(
      ...parts.map(({ lines: part, items }): Region => {
        const box = around(part.map((line) => line.box));
        return items
          ? { kind: 'LIST', box, lines: part, items }
          : { kind: kindOf(part, box, heights), box, lines: part };
      }),
    );
    text = [];
  };
  for (const line of lines) {
    const table = tables.find((each) => each.lines.includes(line));
    if (!table) text.push(line);
    else if (table.lines[0] === line) {
      endText();
      regions.push({ kind: 'TABLE', box: table.box, lines: table.lines, table });
    }
  }
  endText();
  return regions;
}
