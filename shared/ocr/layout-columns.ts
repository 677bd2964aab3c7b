import { heightOf, median } from '../documents/box.ts';
import { type Band, bandsAroundInsets, bandsBeside } from './layout-bands.ts';
import { paragraphsOf, type Readable, type Row, rowsByMiddle } from './layout-rows.ts';

/**
 * Puts lines in reading order, as paragraphs of rows. Textract lists them across columns. A line across ends columns;
 * short pieces side by side stay a row.
 */
export function readingOrder<Thing extends Readable>(things: readonly Thing[]): Row<Thing>[][] {
  const rows = rowsByMiddle(things);
  const bands = bandsWithColumns(rows);
  if (!bands) return paragraphsOf(rows);
  return bands.flatMap((band) =>
    band.columns
      ? band.columns.flatMap((column) => readingOrder(column))
      : readingOrder(band.things),
  );
}

/** The gutters that are looked at closely, those with most text in their columns: insets may hide more. */
const closelyRead = 5;

/** Returns the bands beside the gutter that has most text in its columns; undefined if there is no gutter. */
function bandsWithColumns<Thing extends Readable>(rows: readonly Row<Thing>[]) {
  const boxes = rows.flat().map(({ box }) => box);
  const height = median(boxes.map(heightOf));
  const step = height / 4;
  const gutters = new Set(boxes.map(({ left }) => (Math.round(left / step) - 1) * step));
  const likely = [...gutters]
    .map((gutter) => ({ gutter, text: textInColumns(bandsBeside(rows, gutter, height)) }))
    .filter(({ text }) => text > 0)
    .sort((one, other) => other.text - one.text)
    .slice(0, closelyRead);
  return likely
    .map(({ gutter }) => bandsAroundInsets(rows, gutter, height))
    .reduce<Band<Thing>[] | undefined>(
      (best, bands) => (best && textInColumns(best) >= textInColumns(bands) ? best : bands),
      undefined,
    );
}

const textInColumns = (bands: readonly Band<Readable>[]) =>
  bands
    .flatMap(({ columns }) => columns?.flat() ?? [])
    .reduce((sum, { text }) => sum + text.length, 0);
