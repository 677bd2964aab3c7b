import { MemoryLimit } from '../memory-limit.ts';
import { openPdf } from '../pdf.ts';
import { readDocumentsWith } from '../processes/document-requests.ts';
import { SharedPdfium } from '../shared-pdfium.ts';

/** Nothing is drawn, so that pages take little; functions of 1,024 MB read text layers beside other work. */
const memory = new MemoryLimit(256);

const pdfium = new SharedPdfium(memory);
const vips = () => Promise.reject(new Error('This process draws no pages'));

readDocumentsWith(({ path }) => openPdf(path, { pdfium, vips }), [memory]);
