import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileOnDisk } from './document.ts';
import { OpenPdf } from './open-pdf.ts';
import { attachedFiles } from './pdf-extras.ts';
import { PdfFile } from './pdf-file.ts';
import type { SharedPdfium } from './shared-pdfium.ts';

/** PDFium keeps what it has read of a document; after more than this the document is opened anew. */
const maxKeptBytes = 32_000_000;

/** A PDF that is read page by page. */
export class PdfReader {
  readonly pageCount: number;
  private readonly file: PdfFile;
  private readonly pdf: OpenPdf;
  private readonly release: () => void;
  /** Whether the last page could not be read: what PDFium keeps of it would hide that the next time. */
  private hasFailed = false;

  /** Opens a PDF, which stays on disk: PDFium reads the parts it needs. Throws 422 if it can't be read. */
  static async open(path: string, shared: SharedPdfium): Promise<PdfReader> {
    const file = new PdfFile(path);
    const release = () => {
      file.close();
      shared.release();
    };
    try {
      return new PdfReader(file, new OpenPdf(await shared.use(), file), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  private constructor(file: PdfFile, pdf: OpenPdf, release: () => void) {
    this.file = file;
    this.pdf = pdf;
    this.release = release;
    this.pageCount = pdf.pageCount();
  }

  /**
   * Runs `read` for a page, from 1. Throws `RangeError` without such a page. After any other error but a 422 PDFium's
   * memory is unsafe.
   */
  readPage<Result>(page: number, read: (pdf: OpenPdf) => Result): Result {
    if (!(page >= 1 && page <= this.pageCount)) throw new RangeError(`There is no page ${page}`);
    if (this.hasFailed || this.file.bytesRead > maxKeptBytes) this.pdf.reopen();
    this.hasFailed = true;
    const result = read(this.pdf);
    this.hasFailed = false;
    return result;
  }

  hasFiles(): boolean {
    return this.pdf.pdfium.exports.FPDFDoc_GetAttachmentCount(this.pdf.document) > 0;
  }

  /** Writes the files that it carries to a folder. */
  takeOut(folder: string): FileOnDisk[] {
    return [...attachedFiles(this.pdf)].map(({ name, bytes }) => {
      const path = join(folder, randomUUID());
      writeFileSync(path, bytes);
      return { name, path };
    });
  }

  close(): void {
    this.pdf.close();
    this.release();
  }
}
