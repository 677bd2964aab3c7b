import type { Document, PageContent } from './document.ts';
import { unreadablePage } from './errors.ts';
import { OpenPdf } from './open-pdf.ts';
import { PdfFile } from './pdf-file.ts';
import { readPdfPage } from './pdf-page.ts';
import { loadVips } from './vips.ts';

/** After so much has been read, and kept, of a document it is opened anew. */
const keptBytes = 32_000_000;

/** Opens a PDF, which stays on disk: PDFium reads the parts it needs. */
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
      if (this.file.bytesRead > keptBytes) this.pdf?.reopen();
      this.pdf ??= await OpenPdf.from(this.file);
      return readPdfPage(this.pdf, page, forceOcr, vips);
    } catch (error) {
      // What broke off in the middle of PDFium leaves it in no state to go on with.
      this.pdf = undefined;
      throw isFault(error) ? unreadablePage(page, 'it is damaged', error) : error;
    }
  }

  close(): void {
    this.file.close();
    this.pdf = undefined;
  }
}

/** A trap in PDFium, or its stack running over; anything else is not the page's fault. */
function isFault(error: unknown): boolean {
  return error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name);
}
