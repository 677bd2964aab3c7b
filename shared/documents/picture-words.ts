import { type Box, heightOf, holds, widthOf } from './box.ts';
import type { Pdfium } from './pdfium.ts';
import type { Picture } from './pictures.ts';
import { type Drawing, drawGrey } from './render-page.ts';
import { placeOf, type TextLayer } from './text-runs.ts';
import { turned } from './text-turn.ts';

/** A smaller picture is a logo or an ornament: a receipt covers a twelfth of a sheet of A4. */
const minPictureShare = 0.05;
/** A picture of fewer pixels shows no words. */
const minPixels = 40_000;
/** A larger one is not unpacked here: it counts as one with words. */
const maxPixels = 60_000_000;
/** The page is drawn with this many pixels along its long side, about 72 an inch. */
const longSidePixels = 842;
/** Pixels along a square's side: more than the line of a usual text is high. */
const side = 24;
/** The least share of a picture's squares that look like words; photographs stay below. */
const minWordShare = 0.07;
const minWordSquares = 6;

/** The shares of pixels in a square of text: paper of one grey, and thin strokes. */
const minPaper = 0.5;
const [minInk, maxInk] = [0.03, 0.45];
/** Between lines there is a share of rows without ink; in sideways text, of columns. */
const minEmptyLines = 0.2;
/** How often the grey changes for each pixel of ink, across and down: rarely within a photograph's shapes. */
const minChanges = 0.4;
const [paperRange, inkRange] = [20, 50];

/** Whether pictures show words that the text layer lacks, by a small drawing of where the layer has no letters. */
export function showMoreWords(
  pdfium: Pdfium,
  page: number,
  pictures: readonly Picture[],
  layer: TextLayer,
): boolean {
  const large = pictures.filter(
    ({ share, pixels }) => share >= minPictureShare && pixels >= minPixels,
  );
  if (large.length === 0) return false;
  if (large.some(({ pixels }) => pixels > maxPixels)) return true;
  const drawing = drawGrey(pdfium, page, scaleOf(layer.page));
  const boxes = large.map(({ box }) =>
    onDrawing(turned(box, layer.quarterTurns), layer.page, drawing),
  );
  const letters = lettersBySquare(layer, drawing);
  return boxes.some((box) => showsWords(drawing, box, letters));
}

const scaleOf = (page: Box) => longSidePixels / Math.max(widthOf(page), heightOf(page));

function onDrawing(box: Box, page: Box, { width, height }: Drawing): Box {
  const [x, y] = [width / widthOf(page), height / heightOf(page)];
  return {
    left: (box.left - page.left) * x,
    right: (box.right - page.left) * x,
    top: (box.top - page.top) * y,
    bottom: (box.bottom - page.top) * y,
  };
}

function lettersBySquare(layer: TextLayer, drawing: Drawing): Set<number> {
  const squares = new Set<number>();
  for (const { words } of layer.all) {
    for (const word of words) {
      const { left, right, top, bottom } = onDrawing(placeOf(layer, word), layer.page, drawing);
      for (let y = Math.floor(top / side); y <= bottom / side; y++) {
        for (let x = Math.floor(left / side); x <= right / side; x++) squares.add(keyOf(x, y));
      }
    }
  }
  return squares;
}

const keyOf = (x: number, y: number) => y * 4096 + x;

function showsWords(drawing: Drawing, box: Box, letters: ReadonlySet<number>): boolean {
  const [columns, rows] = [drawing.width, drawing.height].map((pixels) =>
    Math.floor(pixels / side),
  ) as [number, number];
  const written = new Set<number>();
  let squares = 0;
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      if (!holds(box, { x: (x + 0.5) * side, y: (y + 0.5) * side })) continue;
      squares += 1;
      if (!letters.has(keyOf(x, y)) && looksWritten(drawing, x * side, y * side))
        written.add(keyOf(x, y));
    }
  }
  // Words make lines: a square of them has another beside it, or below it where they stand sideways.
  const inLines = [...written].filter((key) =>
    [1, -1, 4096, -4096].some((step) => written.has(key + step)),
  );
  return inLines.length >= Math.max(minWordSquares, minWordShare * squares);
}

/** Whether a square of a drawing looks like text: thin strokes, all darker or all lighter than their paper. */
function looksWritten({ width, grey }: Drawing, left: number, top: number): boolean {
  const pixels = new Uint8Array(side * side);
  for (let y = 0; y < side; y++) {
    const start = (top + y) * width + left;
    pixels.set(grey.subarray(start, start + side), y * side);
  }
  const paper = pixels.toSorted()[pixels.length / 2] ?? 0;
  const count = (is: (distance: number) => boolean) =>
    pixels.reduce((sum, pixel) => sum + (is(pixel - paper) ? 1 : 0), 0);
  if (count((distance) => Math.abs(distance) <= paperRange) < minPaper * pixels.length)
    return false;
  const [dark, light] = [
    count((distance) => distance < -inkRange),
    count((distance) => distance > inkRange),
  ];
  const ink = Math.max(dark, light);
  if (ink < minInk * pixels.length || ink > maxInk * pixels.length) return false;
  if (Math.min(dark, light) > 0.05 * ink) return false;
  const sign = dark > light ? -1 : 1;
  return hasStrokes((x, y) => ((pixels[y * side + x] ?? 0) - paper) * sign > inkRange, ink);
}

function hasStrokes(isInk: (x: number, y: number) => boolean, ink: number): boolean {
  const lines = [isInk, (x: number, y: number) => isInk(y, x)].map((at) => {
    let [changes, emptyLines] = [0, 0];
    for (let y = 0; y < side; y++) {
      let inLine = 0;
      for (let x = 0; x < side; x++) {
        if (at(x, y)) inLine += 1;
        if (x > 0 && at(x, y) !== at(x - 1, y)) changes += 1;
      }
      if (inLine === 0) emptyLines += 1;
    }
    return { changes, emptyLines };
  });
  return (
    lines.some(({ emptyLines }) => emptyLines >= minEmptyLines * side) &&
    lines.every(({ changes }) => changes >= minChanges * ink)
  );
}
