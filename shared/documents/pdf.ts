import type { Document, PageContent } from './document.ts';
import { unreadablePage } from './errors.ts';
import { OpenPdf } from './open-pdf.ts';
import { PdfFile } from './pdf-file.ts';
import { readPdfPage } from './pdf-page.ts';
import { loadVips } from './vips.ts';

/** PDFium keeps what it has read of a document; after more than this the document is opened anew. */
const maxKeptBytes = 32_000_000;

/** Opens a PDF, which stays on disk: PDFium reads the parts it needs. Throws 422 if it can't be read. */
export async function openPdf(path: string): Promise<Document> {
  const file = new PdfFile(path);
  try {
    return new Pdf(file, await OpenPdf.from(file));
  } catch (error) {
    file.close();
    throw error;
  }
}

class Pdf implements Document {
  readonly pageCount: number;
  private readonly file: PdfFile;
  private pdf: OpenPdf | undefined;

  constructor(file: PdfFile, pdf: OpenPdf) {
    this.file = file;
    this.pdf = pdf;
    this.pageCount = pdf.pageCount();
  }

  async readPage(page: number, { forceOcr = false } = {}): Promise<PageContent> {
    if (!(page >= 1 && page <= this.pageCount)) throw new RangeError(`There is no page ${page}`);
    const vips = await loadVips();
    try {
      if (this.file.bytesRead > maxKeptBytes) this.pdf?.reopen();
      this.pdf ??= await OpenPdf.from(this.file);
      return readPdfPage(this.pdf, page, forceOcr, vips);
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
