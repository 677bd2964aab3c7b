import type Vips from 'wasm-vips';
import { scaleToFit } from './jpeg.ts';
import type { Pdfium } from './pdfium.ts';
import type { Picture } from './pictures.ts';

const maxDpi = 300;
/** A picture that covers a larger share of the page than this is a scan of all of it. */
const minScanShare = 0.9;
/** The long side of A4 at 300 dpi. A page that is one scan and larger than A4 is drawn no smaller. */
const minScanPixels = 3508;

/**
 * FPDFBitmap_Gray, and FPDF_GRAYSCALE | FPDF_RENDER_LIMITEDIMAGECACHE.
 * @see https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/fpdfview.h
 */
const greyFormat = 1;
const renderFlags = 0x08 | 0x200;
const white = 0xffffffff;

/** Draws a page in grey at 300 dpi, or less for a coarser scan or a huge page. Throws `RangeError` without memory. */
export function renderPage(
  pdfium: Pdfium,
  page: number,
  pictures: Picture[],
  vips: typeof Vips,
): Vips.Image {
  const { exports } = pdfium;
  const points = [exports.FPDF_GetPageWidthF(page), exports.FPDF_GetPageHeightF(page)] as const;
  const dpi = dpiFor(Math.max(...points), pictures);
  const [fullWidth, fullHeight] = points.map((side) => (side * dpi) / 72) as [number, number];
  const scale = scaleToFit(fullWidth, fullHeight);
  const width = Math.max(1, Math.floor(fullWidth * scale));
  const height = Math.max(1, Math.floor(fullHeight * scale));
  const grey = drawPixels(pdfium, page, width, height);
  return vips.Image.newFromMemory(grey, width, height, 1, vips.BandFormat.uchar);
}

/** A page in grey, a byte for each pixel. */
export interface Drawing {
  width: number;
  height: number;
  grey: Uint8Array;
}

/** Draws a page in grey on white, with this many pixels a point. Throws `RangeError` if there is no memory for it. */
export function drawGrey(pdfium: Pdfium, page: number, scale: number): Drawing {
  const { exports } = pdfium;
  const [width, height] = [exports.FPDF_GetPageWidthF(page), exports.FPDF_GetPageHeightF(page)].map(
    (points) => Math.max(1, Math.floor(points * scale)),
  ) as [number, number];
  return { width, height, grey: drawPixels(pdfium, page, width, height) };
}

function drawPixels(pdfium: Pdfium, page: number, width: number, height: number): Uint8Array {
  const { exports } = pdfium;
  const pixels = exports.malloc(width * height);
  if (!pixels) throw new RangeError('No memory for the page');
  const bitmap = exports.FPDFBitmap_CreateEx(width, height, greyFormat, pixels, width);
  exports.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
  exports.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, renderFlags);
  exports.FPDFBitmap_Destroy(bitmap);
  const grey = pdfium.bytes(pixels, width * height).slice();
  exports.free(pixels);
  return grey;
}

/** Returns the resolution to draw a page at: no finer than its one scan; but some scans lie about theirs with 72 dpi. */
function dpiFor(longSidePoints: number, pictures: Picture[]): number {
  const scans = pictures.filter(({ share }) => share > minScanShare);
  if (scans.length === 0) return maxDpi;
  const scanDpi = Math.max(...scans.map(({ dpi }) => dpi));
  return Math.min(maxDpi, Math.max(scanDpi, (minScanPixels * 72) / longSidePoints));
}
