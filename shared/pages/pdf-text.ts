import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadFlattened } from '../documents/flattened-page.ts';
import { MemoryLimit } from '../documents/memory-limit.ts';
import { isNonsense } from '../documents/nonsense.ts';
import { OpenPdf } from '../documents/open-pdf.ts';
import { PdfFile } from '../documents/pdf-file.ts';
import { Pdfium } from '../documents/pdfium.ts';
import { blocksOfLayer, textOfBlocks } from '../documents/reading-order.ts';
import { readTextLayer } from '../documents/text-runs.ts';
import { ServiceError } from '../http/errors.ts';
import { newTempDir } from '../temp-dir.ts';
import { maxPageCharacters } from './page.ts';

/** What a reader gets of a long PDF; most end at `maxPageCharacters` before. */
const maxPages = 200;
/** What PDFium may take: nothing is drawn. */
const maxMb = 256;
const maxMs = 4_000;

/** Returns the text layers of a PDF's pages. A page without one, or a damaged one, is left out. Throws 422. */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  await using folder = await newTempDir();
  const path = join(folder.path, 'page.pdf');
  await writeFile(path, bytes);
  const file = new PdfFile(path);
  try {
    return readPages(new OpenPdf(await Pdfium.load(new MemoryLimit(maxMb)), file));
  } finally {
    file.close();
  }
}

function readPages(pdf: OpenPdf): string {
  const endsAt = performance.now() + maxMs;
  const texts: string[] = [];
  let length = 0;
  const lastPage = Math.min(pdf.pageCount(), maxPages);
  for (let number = 1; number <= lastPage; number++) {
    if (length > maxPageCharacters || performance.now() > endsAt) break;
    try {
      const text = textLayerOf(pdf, number);
      if (text) texts.push(text);
      length += text.length;
    } catch (error) {
      // After any error but a damaged page's, PDFium's memory may be in any state.
      if (!(error instanceof ServiceError)) break;
    }
  }
  return texts.join('\n\n');
}

function textLayerOf(pdf: OpenPdf, number: number): string {
  const { page, hasAnnotations } = loadFlattened(pdf, number);
  const layer = readTextLayer(pdf.pdfium, page);
  pdf.pdfium.exports.FPDF_ClosePage(page);
  return layer.letters === '' || isNonsense(layer)
    ? ''
    : textOfBlocks(blocksOfLayer(layer, !hasAnnotations));
}
