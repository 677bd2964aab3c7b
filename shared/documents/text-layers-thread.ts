import { openPdf } from './pdf.ts';
import { SharedPdfium } from './shared-pdfium.ts';
import { readDocumentsWith } from './threads/document-requests.ts';
import { MemoryLimit } from './threads/memory-limit.ts';

/** Nothing is drawn, so that pages take little; functions of 1,024 MB read text layers beside other work. */
const memory = new MemoryLimit(256);

const pdfium = new SharedPdfium(memory);
const vips = () => Promise.reject(new Error('This thread draws no pages'));

readDocumentsWith(({ path }) => openPdf(path, { pdfium, vips }), [memory]);
