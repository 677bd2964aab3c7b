import { median } from './blocks-geometry.ts';
import { type Band, bandsBeside } from './layout-bands.ts';
import { heightOf, paragraphsOf, type Readable, type Row, rowsOf } from './layout-rows.ts';

/**
 * Puts a page's lines in reading order, as paragraphs of rows: Textract gives them from the top of
 * the page down, through all its columns. What goes across the columns, as a heading does, parts
 * them; short pieces side by side, as a table's cells are, stay a row.
 */
export function readingOrder<Thing extends Readable>(things: readonly Thing[]): Row<Thing>[][] {
  const rows = rowsOf(things);
  const bands = widestColumns(rows);
  if (!bands) return paragraphsOf(rows);
  return bands.flatMap((band) =>
    band.columns
      ? band.columns.flatMap((column) => readingOrder(column))
      : readingOrder(band.things),
  );
}

/** The bands beside the gutter that has most text in its columns, if there is a gutter at all. */
function widestColumns<Thing extends Readable>(rows: readonly Row<Thing>[]) {
  const boxes = rows.flat().map(({ box }) => box);
  const height = median(boxes.map(heightOf));
  const step = height / 4;
  const gutters = new Set(boxes.map(({ left }) => (Math.round(left / step) - 1) * step));
  let most = 0;
  let best: Band<Thing>[] | undefined;
  for (const gutter of gutters) {
    const bands = bandsBeside(rows, gutter, height);
    const text = charactersIn(bands.flatMap(({ columns }) => columns?.flat() ?? []));
    if (text <= most) continue;
    most = text;
    best = bands;
  }
  return best;
}

const charactersIn = (things: readonly Readable[]) =>
  things.reduce((sum, { text }) => sum + text.length, 0);
