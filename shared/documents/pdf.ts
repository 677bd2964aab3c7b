import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Vips from 'wasm-vips';
import type { Document } from './document.ts';
import { OpenPdf } from './open-pdf.ts';
import { attachedFiles } from './pdf-extras.ts';
import { PdfFile } from './pdf-file.ts';
import { readPdfPage } from './pdf-page.ts';
import type { SharedPdfium } from './shared-pdfium.ts';

/** PDFium keeps what it has read of a document; after more than this the document is opened anew. */
const maxKeptBytes = 32_000_000;

/** The engines that read the PDFs of a process. */
export interface Engines {
  pdfium: SharedPdfium;
  /** Loads libvips, to draw pages with. */
  vips: () => Promise<typeof Vips>;
}

/** Opens a PDF, which stays on disk: PDFium reads the parts it needs. Throws 422 if it can't be read. */
export async function openPdf(path: string, { pdfium, vips }: Engines): Promise<Document> {
  const file = new PdfFile(path);
  const release = () => {
    file.close();
    pdfium.release();
  };
  try {
    return documentOf(file, new OpenPdf(await pdfium.use(), file), vips, release);
  } catch (error) {
    release();
    throw error;
  }
}

function documentOf(
  file: PdfFile,
  pdf: OpenPdf,
  vips: Engines['vips'],
  release: () => void,
): Document {
  const pageCount = pdf.pageCount();
  const hasFiles = pdf.pdfium.exports.FPDFDoc_GetAttachmentCount(pdf.document) > 0;
  // Whether the last page could not be read: what PDFium keeps of it would hide that the next time.
  let hasFailed = false;
  return {
    pageCount,
    takeOut: hasFiles ? async (folder) => takeOut(pdf, folder) : undefined,

    /** Any error but a 422 leaves PDFium's memory unsafe. */
    async readPage(page, options = {}) {
      const drawnWith = (options.draw ?? true) ? await vips() : undefined;
      if (!(page >= 1 && page <= pageCount)) throw new RangeError(`There is no page ${page}`);
      if (hasFailed || file.bytesRead > maxKeptBytes) pdf.reopen();
      hasFailed = true;
      const result = readPdfPage(pdf, page, options, drawnWith);
      hasFailed = false;
      return result;
    },

    close() {
      pdf.close();
      release();
    },
  };
}

const takeOut = (pdf: OpenPdf, folder: string) =>
  [...attachedFiles(pdf)].map(({ name, bytes }) => {
    const path = join(folder, randomUUID());
    writeFileSync(path, bytes);
    return { name, path };
  });
