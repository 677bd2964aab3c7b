import { emptyDocument, encryptedDocument, unreadableDocument } from './errors.ts';
import type { PdfFile } from './pdf-file.ts';
import { type Pdfium, readerSlot } from './pdfium.ts';
import type { Pointer } from './pdfium-exports.ts';

/**
 * FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY: the document needs a password, or is encrypted in an unknown way.
 * @see https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/fpdfview.h
 */
const passwordErrors = [4, 5];

/**
 * The version of FPDF_FORMFILLINFO, which every build takes. Its callbacks are left out.
 * @see https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/fpdf_formfill.h
 */
const formFillVersion = 2;
/** More than FPDF_FORMFILLINFO takes. */
const formFillBytes = 512;

/** A document that PDFium has open. */
export class OpenPdf {
  readonly pdfium: Pdfium;
  readonly file: PdfFile;
  document: Pointer = 0;
  /** PDFium's handle of the document's form; 0 if it has none. */
  form: Pointer = 0;
  /** The numbers of the pages whose annotations and fields have been made part of them. */
  readonly flattened = new Set<number>();
  /** What people have noted on each page that was opened: notes go where a page is flattened. */
  readonly notes = new Map<number, string[]>();

  private readonly reader: number;

  /** Opens a file; throws 422 if it is encrypted, damaged or without pages. */
  constructor(pdfium: Pdfium, file: PdfFile) {
    this.pdfium = pdfium;
    this.file = file;
    this.reader = pdfium.addReader(file);
    this.open();
  }

  pageCount(): number {
    return this.pdfium.exports.FPDF_GetPageCount(this.document);
  }

  isEncrypted(): boolean {
    return this.pdfium.exports.FPDF_GetSecurityHandlerRevision(this.document) >= 0;
  }

  /** Closes the document, by which PDFium frees all that it has kept of it, and opens it again. */
  reopen(): void {
    this.closeDocument();
    this.open();
  }

  close(): void {
    this.closeDocument();
    this.pdfium.removeReader(this.reader);
  }

  private closeDocument(): void {
    const { exports } = this.pdfium;
    if (this.form) exports.FPDFDOC_ExitFormFillEnvironment(this.form);
    if (this.document) exports.FPDF_CloseDocument(this.document);
    this.form = 0;
    this.document = 0;
  }

  private open(): void {
    const { pdfium, file } = this;
    const { exports } = pdfium;
    file.bytesRead = 0;
    this.flattened.clear();
    // FPDF_FILEACCESS: the file's size, the function that reads a block, and a parameter for it.
    const access = pdfium.zeroed(12);
    pdfium.write(access, file.size, readerSlot, this.reader);
    this.document = exports.FPDF_LoadCustomDocument(access, 0);
    this.requireReadable();
    this.form = exports.FPDF_GetFormType(this.document) ? this.openForm() : 0;
  }

  private requireReadable(): void {
    const { pdfium, file, document } = this;
    const { exports } = pdfium;
    if (!document && passwordErrors.includes(exports.FPDF_GetLastError()))
      throw encryptedDocument();
    if (!file.hasHeader()) throw unreadableDocument('it is no PDF');
    const isRebuilt = !document || !exports.FPDF_DocumentHasValidCrossReferenceTable(document);
    if (isRebuilt && !file.hasEnd()) throw unreadableDocument('its end is missing');
    if (!document) throw unreadableDocument('it is no valid PDF');
    if (this.pageCount() === 0) throw emptyDocument('pages');
  }

  private openForm(): Pointer {
    const callbacks = this.pdfium.zeroed(formFillBytes);
    this.pdfium.write(callbacks, formFillVersion);
    return this.pdfium.exports.FPDFDOC_InitFormFillEnvironment(this.document, callbacks);
  }
}
