import type { PageContent } from './document.ts';
import { unreadablePage } from './errors.ts';
import { loadFlattened } from './flattened-page.ts';
import type { OpenPdf } from './open-pdf.ts';
import type { Pointer } from './pdfium-exports.ts';
import { type Picture, picturesOf } from './pictures.ts';
import { type PlacedWord, perMilleOf } from './placed-word.ts';
import { blocksInOrder, textOfBlocks } from './reading-order.ts';
import type { Row } from './rows.ts';
import { TextLayer } from './text-runs.ts';

/** A text layer shorter than this is a stamp or a page number, not the page's text. */
const minCharacters = 50;
/** A text layer with a larger share of letters that the font doesn't name is rubbish. */
const maxUnknownShare = 0.1;
/** Pictures that cover a larger share of the page than this are a scan, whatever text stands on them. */
const maxPictureShare = 0.5;

/** A page that PDFium has open. */
export interface OpenPage {
  page: Pointer;
  pictures: Picture[];
  /** Whether it has annotations, whose text is written after all the rest. */
  hasAnnotations: boolean;
}

/** Opens a page, from 1, for as long as `use` runs. Throws 422 if it is damaged. */
export function withPage<Result>(
  pdf: OpenPdf,
  number: number,
  use: (open: OpenPage) => Result,
): Result {
  const { pdfium, file } = pdf;
  file.brokenStreams = 0;
  file.opaqueStreams = 0;
  const { page, hasAnnotations } = loadFlattened(pdf, number);
  try {
    if (isDamaged(pdf, page)) throw unreadablePage(number, 'it is damaged');
    return use({ page, pictures: picturesOf(pdfium, page), hasAnnotations });
  } finally {
    pdfium.exports.FPDF_ClosePage(page);
  }
}

/**
 * Returns a page's text layer in reading order, with its words if they are asked for; nothing if it has none that is
 * real, so that it is read by OCR.
 */
export function textLayerOf(
  { pdfium }: OpenPdf,
  { page, pictures, hasAnnotations }: OpenPage,
  withWords: boolean,
): Pick<PageContent, 'textLayer' | 'words'> | undefined {
  const isScan = pictures.reduce((sum, { share }) => sum + share, 0) > maxPictureShare;
  if (isScan) return undefined;
  const layer = TextLayer.of(pdfium, page);
  if (!isReal(layer)) return undefined;
  const blocks = blocksInOrder(layer.runs, !hasAnnotations);
  return { textLayer: textOfBlocks(blocks), ...(withWords && { words: wordsOf(blocks, layer) }) };
}

const wordsOf = (blocks: Row[][], { page }: TextLayer): PlacedWord[] =>
  blocks
    .flat(2)
    .flatMap(({ words = [] }) => words)
    .map(({ text, ...box }) => ({ text, box: perMilleOf(box, page), confidence: null }));

/** Whether a part of the page is lost. PDFium shows what is left of it, or nothing, without an error. */
function isDamaged(pdf: OpenPdf, page: Pointer): boolean {
  const { brokenStreams, opaqueStreams } = pdf.file;
  if (pdf.isEncrypted()) return false;
  return (
    brokenStreams > 0 || (opaqueStreams > 0 && pdf.pdfium.exports.FPDFPage_CountObjects(page) === 0)
  );
}

function isReal({ characters, unknown }: TextLayer): boolean {
  return characters >= minCharacters && unknown <= maxUnknownShare * characters;
}
