import { readFileSync } from 'node:fs';
import PDFDocument from 'pdfkit';

const scan = new URL('../../../lib/local/drive/samples/two-column-scan.jpg', import.meta.url);

/** A PDF of so many pages, each of text, or each a picture of a page. */
export async function pdfOf(pages: number, kind: 'text' | 'scan'): Promise<Buffer> {
  const pdf = new PDFDocument({ autoFirstPage: false });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => pdf.once('end', resolve));
  const picture = readFileSync(scan);
  for (let page = 1; page <= pages; page++) {
    pdf.addPage({ size: 'A4', margin: 60 });
    if (kind === 'scan') pdf.image(picture, 0, 0, { width: 595, height: 842 });
    else
      pdf
        .fontSize(11)
        .text(
          `Page ${page}. ${'The lamps were counted and found to be as they were. '.repeat(40)}`,
        );
  }
  pdf.end();
  await ended;
  return Buffer.concat(chunks);
}
