import PDFDocument from 'pdfkit';
import { collected } from '../../support/fixtures/scans.ts';
import type { Paper, Piece } from './papers.ts';

/** How a paper is laid out. */
export interface Layout {
  columns?: 1 | 2;
  /** In points; texts of cells wrap. */
  tableWidth?: number;
  /** Whether lines are drawn between cells. */
  rules?: boolean;
  /** Whether the page is turned by a quarter, and what is on it turned back. */
  turned?: boolean;
}

const margin = 56;
const gap = 28;
const day = new Date('2026-06-02T10:00:00Z');

/** Draws a paper as a PDF of one page. */
export function drawnPdf({ pieces }: Paper, layout: Layout): Promise<Uint8Array> {
  const { columns = 1, rules = true, turned = false } = layout;
  const pdf = new PDFDocument({ autoFirstPage: false, info: { CreationDate: day } });
  pdf.addPage({ size: 'A4', margin });
  if (turned) turn(pdf);
  const width = (pdf.page.width - 2 * margin - (columns - 1) * gap) / columns;
  const tableWidth = Math.min(width, layout.tableWidth ?? width);
  let [x, y] = [margin, margin];
  for (const piece of pieces) {
    // The second column begins with the piece after the middle one.
    if (columns === 2 && x === margin && piece === pieces[Math.ceil(pieces.length / 2)]) {
      [x, y] = [margin + width + gap, margin];
    }
    if ('rows' in piece) {
      y = drawTable(pdf, piece.rows, { x, y: y + 6, width: tableWidth, rules }) + 12;
      continue;
    }
    const isHead = 'heading' in piece;
    for (const line of linesOf(piece)) {
      pdf.font(isHead ? 'Times-Bold' : 'Times-Roman').fontSize(isHead ? 13 : 10);
      pdf.text(line, x, y, { width, align: isHead ? 'left' : 'justify' });
      y += pdf.heightOfString(line, { width }) + 5;
    }
    y += 4;
  }
  return collected(pdf);
}

function linesOf(piece: Exclude<Piece, { rows: unknown }>): string[] {
  if ('heading' in piece) return [piece.heading];
  return 'text' in piece ? [piece.text] : piece.items.map((item) => `• ${item}`);
}

interface TablePlace {
  x: number;
  y: number;
  width: number;
  rules: boolean;
}

/** Draws a table, whose columns are as wide as their longest words want. Returns where it ends. */
function drawTable(
  pdf: PDFKit.PDFDocument,
  rows: string[][],
  { x, y, width, rules }: TablePlace,
): number {
  pdf.font('Times-Roman').fontSize(width < 300 ? 7 : 9);
  const wants = (rows[0] ?? []).map(
    (_, column) =>
      Math.max(...rows.map((row) => Math.min(140, pdf.widthOfString(row[column] ?? '')))) + 12,
  );
  const scale = Math.min(1, width / wants.reduce((sum, want) => sum + want, 0));
  const widths = wants.map((want) => want * scale);
  let below = y;
  for (const row of rows) {
    const heights = row.map((cell, column) =>
      pdf.heightOfString(cell, { width: (widths[column] ?? 0) - 8 }),
    );
    const height = Math.max(...heights) + 6;
    let left = x;
    for (const [column, cell] of row.entries()) {
      const wide = widths[column] ?? 0;
      if (rules) pdf.rect(left, below, wide, height).lineWidth(0.5).stroke();
      pdf.text(cell, left + 4, below + 4, {
        width: wide - 8,
        align: column === 0 ? 'left' : 'right',
      });
      left += wide;
    }
    below += height;
  }
  return below;
}

function turn(pdf: PDFKit.PDFDocument): void {
  const { data } = pdf.page.dictionary as unknown as { data: Record<string, unknown> };
  data['Rotate'] = 90;
  pdf.transform(0, -1, 1, 0, 0, pdf.page.height);
}
