import type Vips from 'wasm-vips';
import type { PageContent, PageOptions } from './document.ts';
import { unreadablePage } from './errors.ts';
import { encodeJpeg } from './jpeg.ts';
import type { OpenPdf } from './open-pdf.ts';
import type { Pdfium } from './pdfium.ts';
import type { Picture } from './pictures.ts';
import { renderPage } from './render-page.ts';
import { textLayerOf, withPage } from './usable-text-layer.ts';

/** PDFium may need 4 bytes of memory for each pixel. */
const maxPictureMegapixels = 250;

/** Reads a page, from 1: its text layer if that is real, else a picture if there is `vips`. Throws 422 if it is damaged. */
export function readPdfPage(
  pdf: OpenPdf,
  number: number,
  { forceOcr = false, words = false }: PageOptions,
  vips?: typeof Vips,
): PageContent {
  return withPage(pdf, number, (open) => {
    const layer = forceOcr ? undefined : textLayerOf(pdf, open, words);
    if (layer) return layer;
    if (!vips) return {};
    const { page, pictures } = open;
    if (pictures.some(({ pixels }) => pixels > maxPictureMegapixels * 1e6)) {
      throw unreadablePage(
        number,
        `a picture on it has more than ${maxPictureMegapixels} megapixels`,
      );
    }
    using image = renderPage(pdf.pdfium, page, pictures, vips);
    if (image.min() === 255 && pictures[0] && !isDecodable(pdf.pdfium, pictures[0])) {
      throw unreadablePage(number, 'its picture is damaged');
    }
    return { jpeg: encodeJpeg(image) };
  });
}

function isDecodable({ exports }: Pdfium, { object }: Picture): boolean {
  const bitmap = exports.FPDFImageObj_GetBitmap(object);
  if (bitmap) exports.FPDFBitmap_Destroy(bitmap);
  return bitmap !== 0;
}
