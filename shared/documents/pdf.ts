import type Vips from 'wasm-vips';
import type { Document, PageContent, PageOptions } from './document.ts';
import { readPdfPage } from './pdf-page.ts';
import { PdfReader } from './pdf-reader.ts';
import type { SharedPdfium } from './shared-pdfium.ts';

/** What the PDFs of a process are read with. */
export interface Engines {
  pdfium: SharedPdfium;
  /** Loads libvips, to draw pages with. */
  vips: () => Promise<typeof Vips>;
}

/** Opens a PDF, which stays on disk: PDFium reads the parts it needs. Throws 422 if it can't be read. */
export async function openPdf(path: string, { pdfium, vips }: Engines): Promise<Document> {
  return new Pdf(await PdfReader.open(path, pdfium), vips);
}

class Pdf implements Document {
  readonly pageCount: number;
  readonly takeOut: Document['takeOut'];
  private readonly reader: PdfReader;
  private readonly vips: Engines['vips'];

  constructor(reader: PdfReader, vips: Engines['vips']) {
    this.reader = reader;
    this.vips = vips;
    this.pageCount = reader.pageCount;
    this.takeOut = reader.hasFiles() ? async (folder) => reader.takeOut(folder) : undefined;
  }

  async readPage(page: number, options: PageOptions = {}): Promise<PageContent> {
    const vips = (options.draw ?? true) ? await this.vips() : undefined;
    return this.reader.readPage(page, (pdf) => readPdfPage(pdf, page, options, vips));
  }

  close(): void {
    this.reader.close();
  }
}
