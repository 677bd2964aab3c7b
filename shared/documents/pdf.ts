import type { Document, PageContent } from './document.ts';
import { readPdfPage } from './pdf-page.ts';
import { PdfReader } from './pdf-reader.ts';
import { loadVips } from './vips.ts';

/** Opens a PDF, which stays on disk: PDFium reads the parts it needs. Throws 422 if it can't be read. */
export async function openPdf(path: string): Promise<Document> {
  return new Pdf(await PdfReader.open(path));
}

class Pdf implements Document {
  readonly pageCount: number;
  private readonly reader: PdfReader;

  constructor(reader: PdfReader) {
    this.reader = reader;
    this.pageCount = reader.pageCount;
  }

  async readPage(page: number, { forceOcr = false, draw = true } = {}): Promise<PageContent> {
    const vips = await loadVips();
    return this.reader.readPage(page, (pdf) => readPdfPage(pdf, page, { forceOcr, draw }, vips));
  }

  close(): void {
    this.reader.close();
  }
}
