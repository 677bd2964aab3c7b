import { findTables, type Table } from './page-tables.ts';
import { around, type Box, median, type RecognizedPage, turnBox } from './recognized-page.ts';
import { kindOf, type RegionKind } from './region-kinds.ts';
import { type TextLine, textLinesOf } from './text-lines.ts';

/** A part of a page's layout. */
export interface Region {
  kind: RegionKind;
  box: Box;
  lines: TextLine[];
  table?: Table;
}

/** A page's lines, and its regions in reading order. Boxes are of the page laid straight. */
export interface Layout {
  lines: TextLine[];
  regions: Region[];
}

/** Finds a page's layout by the places and the sizes of its words. */
export function layoutOf(page: RecognizedPage): Layout {
  const lines = textLinesOf(page);
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

/** A page needs more words than these outside its tables for its text's height to be known by them. */
const minWords = 30;

/** Returns the usual height of a page's type: that of the text outside tables, if there is enough. */
function bodyHeightOf(lines: readonly TextLine[], tables: readonly Table[]): number {
  const tabular = new Set(tables.flatMap((table) => table.lines));
  const text = lines.filter((line) => !tabular.has(line));
  const isEnough = text.flatMap(({ words }) => words).length > minWords;
  return heightOf(isEnough ? text : lines);
}

/** Returns a block's regions. A table stands where its first line does. */
function blockRegions(
  lines: TextLine[],
  tables: Table[],
  heights: { body: number; page: number },
): Region[] {
  const regions: Region[] = [];
  let text: TextLine[] = [];
  const endText = () => {
    for (const part of paragraphsOf(text, heights.body)) {
      const box = around(part.map((line) => line.box));
      regions.push({ kind: kindOf(part, box, heights), box, lines: part });
    }
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

/** Splits a block's lines into paragraphs. A heading is one of its own. */
function paragraphsOf(lines: readonly TextLine[], bodyHeight: number): TextLine[][] {
  const paragraphs: TextLine[][] = [];
  const isHeading = ({ height }: TextLine) => height >= bodyHeight * 1.2;
  for (const line of lines) {
    const last = paragraphs.at(-1);
    const before = last?.at(-1);
    const isSame = before?.paragraph === line.paragraph && isHeading(before) === isHeading(line);
    if (last && isSame) last.push(line);
    else paragraphs.push([line]);
  }
  return paragraphs;
}

/** How much taller than the page's other text a title's type is. */
const titleFactor = 1.5;

/** Makes the first of the largest headings the title, if its type is tall enough for one. */
function withTitle(regions: readonly Region[], bodyHeight: number): Region[] {
  const headings = regions.filter(({ kind }) => kind === 'SECTION_HEADER');
  const maxHeight = Math.max(...headings.map(({ lines }) => heightOf(lines)));
  const title = headings.find(({ lines }) => heightOf(lines) >= maxHeight * 0.95);
  const isTitle = title && maxHeight >= bodyHeight * titleFactor;
  return regions.map((region) =>
    isTitle && region === title ? { ...region, kind: 'TITLE' } : region,
  );
}

/** Returns the usual height of some lines' type, in which each line counts by its letters. */
function heightOf(lines: readonly TextLine[]): number {
  return median(
    lines.flatMap(({ height, words }) =>
      words.flatMap(({ text }) => Array(text.length).fill(height)),
    ),
  );
}
