import { unreadablePage } from './errors.ts';
import { OpenPdf } from './open-pdf.ts';
import { PdfFile } from './pdf-file.ts';

/** PDFium keeps what it has read of a document; after more than this the document is opened anew. */
const maxKeptBytes = 32_000_000;

/** A PDF that is read page by page, and that outlives a page at which PDFium crashes. */
export class PdfReader {
  readonly pageCount: number;
  private readonly file: PdfFile;
  private pdf: OpenPdf | undefined;

  /** Opens a PDF, which stays on disk: PDFium reads the parts it needs. Throws 422 if it can't be read. */
  static async open(path: string): Promise<PdfReader> {
    const file = new PdfFile(path);
    try {
      return new PdfReader(file, await OpenPdf.from(file));
    } catch (error) {
      file.close();
      throw error;
    }
  }

  private constructor(file: PdfFile, pdf: OpenPdf) {
    this.file = file;
    this.pdf = pdf;
    this.pageCount = pdf.pageCount();
  }

  /** Runs `read` for a page, from 1. Throws `RangeError` if there is no such page, and 422 if PDFium crashes. */
  async readPage<Result>(page: number, read: (pdf: OpenPdf) => Result): Promise<Result> {
    if (!(page >= 1 && page <= this.pageCount)) throw new RangeError(`There is no page ${page}`);
    try {
      if (this.file.bytesRead > maxKeptBytes) this.pdf?.reopen();
      this.pdf ??= await OpenPdf.from(this.file);
      return read(this.pdf);
    } catch (error) {
      // After an error PDFium's memory may be in any state: the next page gets a new one.
      this.pdf = undefined;
      throw isCrash(error) ? unreadablePage(page, 'it is damaged', error) : error;
    }
  }

  close(): void {
    this.file.close();
    this.pdf = undefined;
  }
}

/** Whether PDFium trapped, or ran out of stack or memory: that is the page's fault, and no other error is. */
function isCrash(error: unknown): boolean {
  return error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name);
}
