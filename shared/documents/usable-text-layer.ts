import { heightOf, widthOf } from './box.ts';
import type { PageContent } from './document.ts';
import { unreadablePage } from './errors.ts';
import { loadFlattened } from './flattened-page.ts';
import { isNonsense } from './nonsense.ts';
import type { OpenPdf } from './open-pdf.ts';
import { formLines } from './pdf-extras.ts';
import type { Pdfium } from './pdfium.ts';
import type { Pointer } from './pdfium-exports.ts';
import { showMoreWords } from './picture-words.ts';
import { type Picture, picturesOf } from './pictures.ts';
import { type PlacedWord, perMilleOf } from './placed-word.ts';
import { blocksOfLayer, textOfBlocks } from './reading-order.ts';
import { drawGrey } from './render-page.ts';
import type { Row } from './rows.ts';
import { placeOf, readTextLayer, type TextLayer } from './text-runs.ts';
import type { Warning } from './warnings.ts';

/** A shorter text layer may be a stamp on a scan, or a number on a page whose words are drawn as shapes. */
const minLetters = 50;
/** Pictures that cover a larger share of a page with so short a text layer are a scan. */
const maxPictureShare = 0.5;
/** A page with more shapes than this may have its words drawn with them. */
const maxShapes = 200;
/** Pixels along the long side of a page that is looked at for being blank. */
const blankPixels = 400;

/** A page that PDFium has open. */
export interface OpenPage {
  /** From 1. */
  number: number;
  page: Pointer;
  pictures: Picture[];
  /** Whether it has annotations; their text is written after all the rest. */
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
    return use({ number, page, pictures: picturesOf(pdfium, page), hasAnnotations });
  } finally {
    pdfium.exports.FPDF_ClosePage(page);
  }
}

/** Returns a page's real text layer in reading order, with words if asked for; nothing if the page needs OCR. */
export function textLayerOf(
  pdf: OpenPdf,
  open: OpenPage,
  withWords: boolean,
): Omit<PageContent, 'jpeg'> | undefined {
  const { pdfium } = pdf;
  const layer = readTextLayer(pdfium, open.page);
  const isUnseen = drawsBlank(pdfium, open, layer);
  if (isUnseen && layer.letters === '') {
    throw unreadablePage(open.number, 'its letters are of a font that is not in the file');
  }
  if (!isUnseen && !isWhole(pdfium, open, layer)) return undefined;
  const warnings: Warning[] = [];
  if (layer.isHidden) warnings.push('hidden_left_out');
  if (layer.isUntold || isUnseen) warnings.push('font_missing');
  const blocks = blocksOfLayer(layer, !open.hasAnnotations);
  const notes = pdf.notes.get(open.number) ?? [];
  const form = open.number === 1 ? formLines(pdf) : undefined;
  const texts = [
    textOfBlocks(blocks),
    form?.join('\n'),
    notes.map((note) => `[Note: ${note}]`).join('\n'),
  ];
  return {
    textLayer: texts.filter(Boolean).join('\n\n'),
    ...(warnings.length > 0 && { warnings }),
    ...(withWords && { words: wordsOf(blocks, layer) }),
  };
}

const wordsOf = (blocks: Row[][], layer: TextLayer): PlacedWord[] =>
  blocks
    .flat(2)
    .flatMap(({ words = [] }) => words)
    .map((word) => ({
      text: word.text,
      box: perMilleOf(placeOf(layer, word), layer.page),
      confidence: null,
    }));

/** Whether a part of the page is lost. PDFium shows what is left of it, or nothing, without an error. */
function isDamaged(pdf: OpenPdf, page: Pointer): boolean {
  const { brokenStreams, opaqueStreams } = pdf.file;
  if (pdf.isEncrypted()) return false;
  return (
    brokenStreams > 0 || (opaqueStreams > 0 && pdf.pdfium.exports.FPDFPage_CountObjects(page) === 0)
  );
}

/** Whether a page's layer lacks a part of its text, and the page is drawn blank. */
const drawsBlank = (pdfium: Pdfium, { page, pictures }: OpenPage, layer: TextLayer) =>
  (layer.isPartial || layer.isUntold) && pictures.length === 0 && isBlank(pdfium, page, layer);

/** Whether a layer has all words of its page, so that the page needs no OCR. */
function isWhole(pdfium: Pdfium, { page, pictures }: OpenPage, layer: TextLayer): boolean {
  if (layer.isPartial || isNonsense(layer)) return false;
  if (layer.letters.length < minLetters) {
    const share = pictures.reduce((sum, picture) => sum + picture.share, 0);
    if (share > maxPictureShare || isDrawing(pdfium, page)) return false;
  }
  if (layer.letters === '' && pictures.length === 0) return isBlank(pdfium, page, layer);
  return !showMoreWords(pdfium, page, pictures, layer);
}

/** Whether a page has enough shapes for words drawn with them. */
const isDrawing = ({ exports }: Pdfium, page: Pointer) =>
  exports.FPDFPage_CountObjects(page) > maxShapes;

/** Whether a page without text and pictures shows nothing. */
function isBlank(pdfium: Pdfium, page: Pointer, layer: TextLayer): boolean {
  const scale = blankPixels / Math.max(widthOf(layer.page), heightOf(layer.page));
  return drawGrey(pdfium, page, scale).grey.every((pixel) => pixel === 255);
}
