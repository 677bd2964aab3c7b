import { unreadablePage } from './errors.ts';
import type { OpenPdf } from './open-pdf.ts';

const changed = 1;

/** A page with its notes and filled-in fields made part of it, so that they are read like the rest. */
export interface FlattenedPage {
  page: number;
  /** Whether there were any: they are written after all the rest, wherever they stand. */
  hasNotes: boolean;
}

/** Opens a page; whoever asks closes it. */
export function loadFlattened(pdf: OpenPdf, number: number): FlattenedPage {
  const page = load(pdf, number);
  if (pdf.pdfium.exports.FPDFPage_GetAnnotCount(page) <= 0) {
    return { page, hasNotes: pdf.flattened.has(number) };
  }
  if (flatten(pdf, page)) pdf.flattened.add(number);
  return { page: load(pdf, number), hasNotes: pdf.flattened.has(number) };
}

/** Changes the document in memory, and closes the page. */
function flatten({ pdfium, form }: OpenPdf, page: number): boolean {
  const { exports } = pdfium;
  // Fields may have a value and no appearance yet: this draws them.
  if (form) exports.FORM_OnAfterLoadPage(page, form);
  const result = exports.FPDFPage_Flatten(page, 0);
  if (form) exports.FORM_OnBeforeClosePage(page, form);
  exports.FPDF_ClosePage(page);
  return result === changed;
}

function load({ pdfium, document }: OpenPdf, number: number): number {
  const page = pdfium.exports.FPDF_LoadPage(document, number - 1);
  if (!page) throw unreadablePage(number, 'it is damaged');
  return page;
}
