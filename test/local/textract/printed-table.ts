import { PDFiumLibrary } from '@hyzyla/pdfium';
import PDFDocument from 'pdfkit';
import { loadVips } from '../../../shared/documents/vips.ts';
import { collected } from '../../support/fixtures/scans.ts';

const [left, width, rowHeight] = [24, 250, 16];

/** The JPEG of a small page with a heading and, below it, a table with rules around its cells. */
export async function printedTable(heading: string, rows: string[][]): Promise<Uint8Array> {
  const pdf = new PDFDocument({ size: 'A6', margin: left });
  pdf.font('Helvetica-Bold').fontSize(16).text(heading, left, 40);
  pdf.font('Times-Roman').fontSize(10);
  const columnWidth = width / Math.max(...rows.map((row) => row.length));
  for (const [down, row] of rows.entries()) {
    for (const [column, text] of row.entries()) {
      const [x, y] = [left + column * columnWidth, 80 + down * rowHeight];
      pdf.rect(x, y, columnWidth, rowHeight).lineWidth(0.7).stroke();
      pdf.text(text, x + 4, y + 4, { lineBreak: false });
    }
  }
  const document = await (await PDFiumLibrary.init()).loadDocument(await collected(pdf));
  const vips = await loadVips();
  const page = await document
    .getPage(0)
    .render({ scale: 300 / 72, render: 'bitmap', colorSpace: 'Gray' });
  document.destroy();
  return vips.Image.newFromMemory(
    page.data,
    page.width,
    page.height,
    1,
    vips.BandFormat.uchar,
  ).jpegsaveBuffer();
}
