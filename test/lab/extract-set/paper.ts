import PDFDocument from 'pdfkit';
import { collected } from '../../support/fixtures/scans.ts';
import type { MarkedValue, MarkRow, PageBox } from './truth.ts';

/** A piece of a line, and the field that it is the value of. */
export interface Piece {
  x: number;
  text: string;
  /** A JSON pointer, or in a row the name of its field. */
  field?: string;
  /** What the text says, where that is another than the text. */
  value?: unknown;
  bold?: boolean;
}

export interface SheetOptions {
  size?: [widthPoints: number, heightPoints: number];
  /** Has the page turned when it is shown, and what is written on it turned back. */
  rotate?: 90 | 270;
}

const a4: [number, number] = [595.28, 841.89];
/** The same drawings make the same bytes. */
const day = new Date('2026-06-02T10:00:00Z');

/** A PDF that is drawn text by text, and keeps where each value stands. Boxes are of pages as they are shown. */
export class Paper {
  readonly values: MarkedValue[] = [];
  readonly rows: MarkRow[] = [];
  page = 0;
  private readonly pdf = new PDFDocument({ autoFirstPage: false, info: { CreationDate: day } });
  private shown = a4;

  /** Begins a page. */
  sheet({ size = a4, rotate }: SheetOptions = {}): this {
    this.pdf.addPage({ size, margin: 0 });
    this.page += 1;
    this.shown = rotate ? [size[1], size[0]] : size;
    if (rotate) this.turn(rotate, size);
    return this;
  }

  /** Writes a line: its pieces together are the quote of each value in it. Returns the line's box. */
  line(y: number, pieces: string | Piece[], fontSize = 10): PageBox {
    const all = typeof pieces === 'string' ? [{ x: 60, text: pieces }] : pieces;
    const boxes = all.map((piece) => this.write(piece, y, fontSize));
    const quote = this.quoteOf(all, fontSize);
    for (const [index, { field, text, value = text }] of all.entries()) {
      const box = boxes[index] as PageBox;
      if (field) this.values.push({ path: field, page: this.page, box, quote, value });
    }
    return around(boxes);
  }

  /** Writes a row of the array at this pointer; a row may stand on several lines. */
  row(path: string, y: number, lines: Piece[][], { fontSize = 9, leading = 12 } = {}): void {
    const written = lines.flatMap((pieces, index) =>
      pieces.map((piece) => ({ piece, box: this.write(piece, y + index * leading, fontSize) })),
    );
    const cells: MarkRow['cells'] = {};
    for (const { piece, box } of written) {
      if (!piece.field) continue;
      const { text, value = text } = piece;
      const earlier = cells[piece.field];
      cells[piece.field] = earlier
        ? { value: `${earlier.value} ${text}`, box: around([earlier.box, box]) }
        : { value, box };
    }
    this.rows.push({
      path,
      page: this.page,
      box: around(written.map(({ box }) => box)),
      quote: lines.map((pieces) => this.quoteOf(pieces, fontSize)).join('\n'),
      cells,
    });
  }

  /** Marks what is no text of its own, such as a tick, by the box of what tells it. */
  mark(path: string, value: unknown, box: PageBox, quote: string): void {
    this.values.push({ path, page: this.page, box, quote, value });
  }

  /** Draws an empty square, or one with a cross in it. */
  tickBox(x: number, y: number, isTicked: boolean, size = 11): void {
    this.pdf.lineWidth(1).rect(x, y, size, size).stroke();
    if (!isTicked) return;
    this.pdf.lineWidth(1.6);
    this.pdf.moveTo(x + 2, y + 2).lineTo(x + size - 2, y + size - 2);
    this.pdf.moveTo(x + size - 2, y + 2).lineTo(x + 2, y + size - 2);
    this.pdf.stroke();
  }

  /** Draws a rule from left to right. */
  rule(y: number, from = 60, to = this.shown[0] - 60): void {
    this.pdf.lineWidth(0.5).moveTo(from, y).lineTo(to, y).stroke();
  }

  /** How wide a text is in points. */
  width(text: string, fontSize = 10): number {
    return this.pdf.font('Helvetica').fontSize(fontSize).widthOfString(text);
  }

  /** Ends the document, and returns its bytes. */
  bytes(): Promise<Uint8Array> {
    return collected(this.pdf);
  }

  private write({ x, text, bold }: Piece, y: number, fontSize: number): PageBox {
    this.pdf.font(bold ? 'Helvetica-Bold' : 'Helvetica').fontSize(fontSize);
    this.pdf.text(text, x, y, { lineBreak: false });
    return this.boxOf(x, y, this.pdf.widthOfString(text), fontSize);
  }

  /** A line as it is read: a piece that begins where the one before ends goes on with it. */
  private quoteOf(pieces: readonly Piece[], fontSize: number): string {
    return pieces
      .map(({ x, text }, index) => {
        const before = pieces[index - 1];
        const gap = before ? x - before.x - this.width(before.text, fontSize) : 0;
        return gap > 0.5 ? ` ${text}` : text;
      })
      .join('');
  }

  /** Letters stand between their ascent and descent; the line of a font is a little higher. */
  private boxOf(x: number, y: number, width: number, fontSize: number): PageBox {
    const [w, h] = this.shown;
    const perMille = (points: number, of: number) => Math.round((points / of) * 10_000) / 10;
    return [
      perMille(x, w),
      perMille(y, h),
      perMille(x + width, w),
      perMille(y + fontSize * 0.93, h),
    ];
  }

  private turn(rotate: 90 | 270, [width, height]: [number, number]): void {
    const { data } = this.pdf.page.dictionary as unknown as { data: Record<string, unknown> };
    data['Rotate'] = rotate;
    if (rotate === 90) this.pdf.transform(0, -1, 1, 0, 0, height);
    else this.pdf.transform(0, 1, -1, 0, width, 0);
  }
}

/** The smallest box around these. */
export const around = (boxes: readonly PageBox[]): PageBox => [
  Math.min(...boxes.map(([left]) => left)),
  Math.min(...boxes.map(([, top]) => top)),
  Math.max(...boxes.map(([, , right]) => right)),
  Math.max(...boxes.map(([, , , bottom]) => bottom)),
];
