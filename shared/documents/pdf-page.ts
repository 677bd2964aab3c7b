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

/** A text layer shorter than this is a stamp or a page number, not the page. */
const fewestCharacters = 50;
/** With more than this share of letters that mean nothing, a text layer isn't worth reading. */
const mostUnknown = 0.1;
/** Pictures over more of the page than this are a scan, whatever text stands on them. */
const pageSized = 0.5;
/** In megapixels; PDFium may need 4 bytes for each. */
const largestPicture = 250;

/** Reads one page: from its text layer if that is real, else as a picture. */
export function readPdfPage(
  pdf: OpenPdf,
  number: number,
  forceOcr: boolean,
  vips: typeof Vips,
): PageContent {
  const { pdfium, file } = pdf;
  file.brokenStreams = 0;
  file.opaqueStreams = 0;
  const { page, hasNotes } = loadFlattened(pdf, number);
  try {
    if (isDamaged(pdf, page)) throw unreadablePage(number, 'it is damaged');
    const pictures = picturesOf(pdfium, page);
    const isScan = pictures.reduce((sum, { share }) => sum + share, 0) > pageSized;
    if (!forceOcr && !isScan) {
      const layer = TextLayer.of(pdfium, page);
      if (isReal(layer)) return { textLayer: inReadingOrder(layer.runs, !hasNotes) };
    }
    if (pictures.some(({ pixels }) => pixels > largestPicture * 1e6)) {
      throw unreadablePage(number, `a picture on it has more than ${largestPicture} megapixels`);
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

/** PDFium shows what it can of a damaged page, or nothing, and doesn't say so. */
function isDamaged(pdf: OpenPdf, page: number): boolean {
  const { brokenStreams, opaqueStreams } = pdf.file;
  if (pdf.isEncrypted()) return false;
  return (
    brokenStreams > 0 || (opaqueStreams > 0 && pdf.pdfium.exports.FPDFPage_CountObjects(page) === 0)
  );
}

function isReal({ characters, unknown }: TextLayer): boolean {
  return characters >= fewestCharacters && unknown <= mostUnknown * characters;
}

function isBlank(image: Vips.Image): boolean {
  return image.min() === 255;
}

function isDecodable({ exports }: Pdfium, { object }: Picture): boolean {
  const bitmap = exports.FPDFImageObj_GetBitmap(object);
  if (bitmap) exports.FPDFBitmap_Destroy(bitmap);
  return bitmap !== 0;
}
