import { unreadablePage } from './errors.ts';
import type { OpenPdf } from './open-pdf.ts';
import { notesOf } from './pdf-extras.ts';

/** FLATTEN_SUCCESS: the page has changed. @see https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/fpdf_flatten.h */
const flattenSuccess = 1;

/** A page whose annotations and fields have been made part of it, so that they are read like the rest. */
export interface FlattenedPage {
  /** PDFium's handle. */
  page: number;
  /** Whether it had any: their text is written after all the rest, wherever it stands. */
  hasAnnotations: boolean;
}

/** Opens a page, from 1, which the caller must close. Throws 422 if it is damaged. */
export function loadFlattened(pdf: OpenPdf, number: number): FlattenedPage {
  const page = load(pdf, number);
  if (!pdf.notes.has(number)) pdf.notes.set(number, notesOf(pdf, page));
  if (pdf.pdfium.exports.FPDFPage_GetAnnotCount(page) <= 0) {
    return { page, hasAnnotations: pdf.flattened.has(number) };
  }
  if (flatten(pdf, page)) pdf.flattened.add(number);
  return { page: load(pdf, number), hasAnnotations: pdf.flattened.has(number) };
}

/** Flattens a page of the document in memory, and closes it. Returns whether that changed it. */
function flatten({ pdfium, form }: OpenPdf, page: number): boolean {
  const { exports } = pdfium;
  // A field may have a value but no appearance yet: this makes one.
  if (form) exports.FORM_OnAfterLoadPage(page, form);
  const result = exports.FPDFPage_Flatten(page, 0);
  if (form) exports.FORM_OnBeforeClosePage(page, form);
  exports.FPDF_ClosePage(page);
  return result === flattenSuccess;
}

function load({ pdfium, document }: OpenPdf, number: number): number {
  const page = pdfium.exports.FPDF_LoadPage(document, number - 1);
  if (!page) throw unreadablePage(number, 'it is damaged');
  return page;
}
