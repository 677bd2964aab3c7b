import { type Box, sharedArea } from './box.ts';
import type { Pdfium } from './pdfium.ts';

/** A picture on a page. */
export interface Picture {
  /** PDFium's image object. */
  object: number;
  box: Box;
  /** The share of the page's area that it covers, 0 to 1. */
  share: number;
  /** Its pixels per inch as it stands on the page. */
  dpi: number;
  /** Its width times its height. */
  pixels: number;
}

/** An affine matrix as PDF writes it: a b c d e f. */
type Matrix = readonly [number, number, number, number, number, number];

/** FPDF_PAGEOBJ_IMAGE and FPDF_PAGEOBJ_FORM. @see https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/fpdf_edit.h */
const imageType = 3;
const formType = 5;
/** How deep forms may lie within forms; pictures deeper down are left out. */
const maxFormDepth = 8;

/** Returns the pictures of a page and of its forms, the one that covers most of the page first. */
export function picturesOf(pdfium: Pdfium, page: number): Picture[] {
  const pageBox = pdfium.pageBox(page);
  return [...images(pdfium, pageObjects(pdfium, page), [1, 0, 0, 1, 0, 0])]
    .map(([object, matrix]) => {
      const box = extentOf(matrix);
      const share = sharedArea(box, pageBox) / sharedArea(pageBox, pageBox);
      return { object, box, share, ...resolutionOf(pdfium, object, matrix) };
    })
    .toSorted((one, other) => other.share - one.share);
}

/** Yields images with the matrices that place them on the page: an object's own is relative to its form. */
function* images(
  pdfium: Pdfium,
  objects: number[],
  formMatrix: Matrix,
  depth = 0,
): Generator<[object: number, matrix: Matrix]> {
  for (const object of objects) {
    const type = pdfium.exports.FPDFPageObj_GetType(object);
    if (type === imageType) yield [object, times(matrixOf(pdfium, object), formMatrix)];
    if (type === formType && depth < maxFormDepth) {
      const matrix = times(matrixOf(pdfium, object), formMatrix);
      yield* images(pdfium, formObjects(pdfium, object), matrix, depth + 1);
    }
  }
}

/** Returns the handles of what a page is drawn of, in the order of drawing. */
export function pageObjects({ exports }: Pdfium, page: number): number[] {
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

/** Returns where a matrix puts the unit square, which an image fills. Up is more for the matrix. */
function extentOf([a, b, c, d, e, f]: Matrix): Box {
  return {
    left: e + Math.min(0, a, c, a + c),
    right: e + Math.max(0, a, c, a + c),
    top: -f - Math.max(0, b, d, b + d),
    bottom: -f - Math.min(0, b, d, b + d),
  };
}

function resolutionOf(
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
