import type Vips from 'wasm-vips';
import { scaleToFit } from './jpeg.ts';
import type { Pdfium } from './pdfium.ts';
import type { Picture } from './pictures.ts';

const renderDpi = 300;
/** A picture over more of the page than this is all that there is on it. */
const wholePage = 0.9;
/** The long side of A4 at 300 dpi. */
const scanPixels = 3508;

const grey = 1;
const white = 0xffffffff;
/** FPDF_GRAYSCALE | FPDF_RENDER_LIMITEDIMAGECACHE */
const renderFlags = 0x08 | 0x200;

/** Draws a page in grey on white, at 300 dpi unless that is more than its scan has or anyone takes. */
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
  const pixels = exports.malloc(width * height);
  if (!pixels) throw new RangeError('No memory for the page');
  const bitmap = exports.FPDFBitmap_CreateEx(width, height, grey, pixels, width);
  exports.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
  exports.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, renderFlags);
  exports.FPDFBitmap_Destroy(bitmap);
  const bytes = pdfium.bytes(pixels, width * height);
  const image = vips.Image.newFromMemory(bytes, width, height, 1, vips.BandFormat.uchar);
  exports.free(pixels);
  return image;
}

/** A page that is one scan is drawn no finer than the scan is; some say a pixel is a point. */
function dpiFor(longSidePoints: number, pictures: Picture[]): number {
  const scans = pictures.filter(({ share }) => share > wholePage);
  if (scans.length === 0) return renderDpi;
  const scanDpi = Math.max(...scans.map(({ dpi }) => dpi));
  return Math.min(renderDpi, Math.max(scanDpi, (scanPixels * 72) / longSidePoints));
}
