import { openImage } from '../image.ts';
import { MemoryLimit } from '../memory-limit.ts';
import { openPdf } from '../pdf.ts';
import { readDocumentsWith } from '../processes/document-requests.ts';
import { SharedPdfium } from '../shared-pdfium.ts';
import { loadVips } from '../vips.ts';

/** Together with all else within the 2,048 MB of the function that draws pages. */
const pdfiumMemory = new MemoryLimit(1_152);
const vipsMemory = new MemoryLimit(576);

const pdfium = new SharedPdfium(pdfiumMemory);
const vips = () => loadVips(vipsMemory);

readDocumentsWith(
  async ({ path, kind }) =>
    kind === 'pdf' ? openPdf(path, { pdfium, vips }) : openImage(path, await vips(), vipsMemory),
  [pdfiumMemory, vipsMemory],
);
