import { emptyDocument, encryptedDocument, unreadableDocument } from './errors.ts';
import type { PdfFile } from './pdf-file.ts';
import { Pdfium, readerSlot } from './pdfium.ts';
import type { Pointer } from './pdfium-exports.ts';

/** What FPDF_GetLastError says of a document whose password we'd need. */
const locked = [4, 5];
const formFillVersion = 2;

/** A document that PDFium has open. */
export class OpenPdf {
  readonly pdfium: Pdfium;
  readonly file: PdfFile;
  document: Pointer = 0;
  /** Of its fields to be filled in; 0 if it has none. */
  form: Pointer = 0;
  /** The numbers of the pages that notes and fields have been made part of. */
  readonly flattened = new Set<number>();

  static async from(file: PdfFile): Promise<OpenPdf> {
    const pdfium = await Pdfium.load();
    pdfium.setReader(file);
    const pdf = new OpenPdf(pdfium, file);
    pdf.open();
    return pdf;
  }

  private constructor(pdfium: Pdfium, file: PdfFile) {
    this.pdfium = pdfium;
    this.file = file;
  }

  pageCount(): number {
    return this.pdfium.exports.FPDF_GetPageCount(this.document);
  }

  isEncrypted(): boolean {
    return this.pdfium.exports.FPDF_GetSecurityHandlerRevision(this.document) >= 0;
  }

  /** Gives back all that PDFium has kept of the document. */
  reopen(): void {
    const { exports } = this.pdfium;
    if (this.form) exports.FPDFDOC_ExitFormFillEnvironment(this.form);
    exports.FPDF_CloseDocument(this.document);
    this.open();
  }

  private open(): void {
    const { pdfium, file } = this;
    const { exports } = pdfium;
    file.bytesRead = 0;
    this.flattened.clear();
    const access = pdfium.zeroed(12);
    pdfium.write(access, file.size, readerSlot);
    this.document = exports.FPDF_LoadCustomDocument(access, 0);
    this.refuse();
    this.form = exports.FPDF_GetFormType(this.document) ? this.openForm() : 0;
  }

  private refuse(): void {
    const { pdfium, file, document } = this;
    const { exports } = pdfium;
    if (!document && locked.includes(exports.FPDF_GetLastError())) throw encryptedDocument();
    if (!file.hasHeader()) throw unreadableDocument('it is no PDF');
    const isRebuilt = !document || !exports.FPDF_DocumentHasValidCrossReferenceTable(document);
    if (isRebuilt && !file.hasEnd()) throw unreadableDocument('its end is missing');
    if (!document) throw unreadableDocument('it is no valid PDF');
    if (this.pageCount() === 0) throw emptyDocument('pages');
  }

  private openForm(): Pointer {
    const callbacks = this.pdfium.zeroed(512);
    this.pdfium.write(callbacks, formFillVersion);
    return this.pdfium.exports.FPDFDOC_InitFormFillEnvironment(this.document, callbacks);
  }
}
