import type Vips from 'wasm-vips';
import type { PageContent } from './document.ts';
import { unreadablePage } from './errors.ts';
import { loadFlattened } from './flattened-page.ts';
import { encodeJpeg } from './jpeg.ts';
import type { OpenPdf } from './open-pdf.ts';
import type { Pdfium } from './pdfium.ts';
import { type Picture, picturesOf } from './pictures.ts';
import { inReadingOrder } from './reading-order.ts';
import { renderPage } from './render-page.ts';
import { TextLayer } from './text-layer.ts';

/** A text layer shorter than this is a stamp or a page number, not the page's text. */
const minCharacters = 50;
/** A text layer with a larger share of letters that the font doesn't name is rubbish. */
const maxUnknownShare = 0.1;
/** Pictures that cover a larger share of the page than this are a scan, whatever text stands on them. */
const maxPictureShare = 0.5;
/** PDFium may need 4 bytes of memory for each pixel. */
const maxPictureMegapixels = 250;

/** Reads a page, from 1: its text layer if that is real, else a picture. Throws 422 if it is damaged. */
export function readPdfPage(
  pdf: OpenPdf,
  number: number,
  forceOcr: boolean,
  vips: typeof Vips,
): PageContent {
  const { pdfium, file } = pdf;
  file.brokenStreams = 0;
  file.opaqueStreams = 0;
  const { page, hasAnnotations } = loadFlattened(pdf, number);
  try {
    if (isDamaged(pdf, page)) throw unreadablePage(number, 'it is damaged');
    const pictures = picturesOf(pdfium, page);
    const isScan = pictures.reduce((sum, { share }) => sum + share, 0) > maxPictureShare;
    if (!forceOcr && !isScan) {
      const layer = TextLayer.of(pdfium, page);
      if (isReal(layer)) return { textLayer: inReadingOrder(layer.runs, !hasAnnotations) };
    }
    if (pictures.some(({ pixels }) => pixels > maxPictureMegapixels * 1e6)) {
      throw unreadablePage(
        number,
        `a picture on it has more than ${maxPictureMegapixels} megapixels`,
      );
    }
    using image = renderPage(pdfium, page, pictures, vips);
    if (isBlank(image) && pictures[0] && !isDecodable(pdfium, pictures[0])) {
      throw unreadablePage(number, 'its picture is damaged');
    }
    return { jpeg: encodeJpeg(image) };
  } finally {
    pdfium.exports.FPDF_ClosePage(page);
  }
}

/** Whether a part of the page is lost. PDFium shows what is left of it, or nothing, without an error. */
function isDamaged(pdf: OpenPdf, page: number): boolean {
  const { brokenStreams, opaqueStreams } = pdf.file;
  if (pdf.isEncrypted()) return false;
  return (
    brokenStreams > 0 || (opaqueStreams > 0 && pdf.pdfium.exports.FPDFPage_CountObjects(page) === 0)
  );
}

function isReal({ characters, unknown }: TextLayer): boolean {
  return characters >= minCharacters && unknown <= maxUnknownShare * characters;
}

function isBlank(image: Vips.Image): boolean {
  return image.min() === 255;
}

function isDecodable({ exports }: Pdfium, { object }: Picture): boolean {
  const bitmap = exports.FPDFImageObj_GetBitmap(object);
  if (bitmap) exports.FPDFBitmap_Destroy(bitmap);
  return bitmap !== 0;
}
