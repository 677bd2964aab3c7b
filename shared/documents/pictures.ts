import type { Pdfium } from './pdfium.ts';
import { type Box, overlap } from './run.ts';

/** A picture on a page. */
export interface Picture {
  object: number;
  /** Of the page's area, at most 1. */
  share: number;
  /** How fine it is as it stands on the page. */
  dpi: number;
  pixels: number;
}

/** An affine matrix as PDF writes it: a b c d e f. */
type Matrix = readonly [number, number, number, number, number, number];

const imageType = 3;
const formType = 5;
const deepestForm = 8;

/** The pictures of a page, also those within its forms, the largest first. */
export function picturesOf(pdfium: Pdfium, page: number): Picture[] {
  const sheet = pdfium.pageBox(page);
  return [...images(pdfium, pageObjects(pdfium, page), [1, 0, 0, 1, 0, 0])]
    .map(([object, matrix]) => ({
      object,
      share: overlap(extentOf(matrix), sheet) / overlap(sheet, sheet),
      ...finenessOf(pdfium, object, matrix),
    }))
    .toSorted((one, other) => other.share - one.share);
}

function* images(
  pdfium: Pdfium,
  objects: number[],
  holder: Matrix,
  depth = 0,
): Generator<[object: number, matrix: Matrix]> {
  for (const object of objects) {
    const type = pdfium.exports.FPDFPageObj_GetType(object);
    if (type === imageType) yield [object, times(matrixOf(pdfium, object), holder)];
    if (type === formType && depth < deepestForm) {
      const matrix = times(matrixOf(pdfium, object), holder);
      yield* images(pdfium, formObjects(pdfium, object), matrix, depth + 1);
    }
  }
}

function pageObjects({ exports }: Pdfium, page: number): number[] {
  const count = exports.FPDFPage_CountObjects(page);
  return Array.from({ length: count }, (_, index) => exports.FPDFPage_GetObject(page, index));
}

function formObjects({ exports }: Pdfium, form: number): number[] {
  const count = Math.max(0, exports.FPDFFormObj_CountObjects(form));
  return Array.from({ length: count }, (_, index) => exports.FPDFFormObj_GetObject(form, index));
}

function matrixOf(pdfium: Pdfium, object: number): Matrix {
  pdfium.exports.FPDFPageObj_GetMatrix(object, pdfium.scratch);
  return pdfium.floats(6) as unknown as Matrix;
}

function times(one: Matrix, other: Matrix): Matrix {
  const [a, b, c, d, e, f] = one;
  const [A, B, C, D, E, F] = other;
  return [
    a * A + b * C,
    a * B + b * D,
    c * A + d * C,
    c * B + d * D,
    e * A + f * C + E,
    e * B + f * D + F,
  ];
}

/** An image fills the unit square; this is where its matrix puts that. */
function extentOf([a, b, c, d, e, f]: Matrix): Box {
  return {
    left: e + Math.min(0, a, c, a + c),
    right: e + Math.max(0, a, c, a + c),
    bottom: f + Math.min(0, b, d, b + d),
    top: f + Math.max(0, b, d, b + d),
  };
}

function finenessOf(
  pdfium: Pdfium,
  object: number,
  [a, b]: Matrix,
): Pick<Picture, 'dpi' | 'pixels'> {
  const { exports, scratch } = pdfium;
  pdfium.write(scratch, 0, 0);
  exports.FPDFImageObj_GetImagePixelSize(object, scratch, scratch + 4);
  const [width = 0, height = 0] = pdfium.integers(2);
  return { dpi: (width * 72) / Math.hypot(a, b), pixels: width * height };
}
