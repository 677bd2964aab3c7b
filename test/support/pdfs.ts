import PDFDocument from 'pdfkit';
import { collected } from './scans.ts';

type Size = [widthPoints: number, heightPoints: number];

/** One page of a document made for a test. */
export type PdfPage =
  | { text: string; columns?: 1 | 2; size?: Size }
  /** A picture over the whole page; the stamp is visible text on it, the hidden text an older OCR's. */
  | { scan: Uint8Array; stamp?: string; hiddenText?: string; size?: Size }
  | { hiddenText: string }
  | { rows: string[][] }
  /** Text placed line by line, in the order given; turned by quarters as a whole. */
  | { lines: { text: string; x: number; y: number }[]; rotate?: 90 | 180 | 270 }
  /** Fields that someone has filled in, with a label each. */
  | { fields: Record<string, string> }
  | { blank: true };

export interface PdfOptions {
  /** Needed to open it. */
  userPassword?: string;
  /** Needed to change it; it opens without. */
  ownerPassword?: string;
}

/** The same pages make the same bytes. */
const day = new Date('2026-06-02T10:00:00Z');
const a4 = { width: 595.28, height: 841.89 };
const margin = 64;

/** A PDF of these pages; the same scan on many pages is stored once. */
export async function pdfOf(pages: PdfPage[], options: PdfOptions = {}): Promise<Uint8Array> {
  const pdf = new PDFDocument({ autoFirstPage: false, info: { CreationDate: day }, ...options });
  const pictures = new Map<Uint8Array, PDFKit.Mixins.ImageSrc>();
  for (const page of pages) {
    const size = 'size' in page && page.size ? page.size : 'A4';
    pdf.addPage({ size, margin });
    pdf.font('Times-Roman').fontSize(11);
    if ('scan' in page) addScan(pdf, page, pictures);
    else if ('hiddenText' in page) addHiddenText(pdf, page.hiddenText);
    else if ('text' in page) addText(pdf, page.text, page.columns);
    else if ('rows' in page) pdf.table({ data: page.rows });
    else if ('lines' in page) addLines(pdf, page.lines, page.rotate);
    else if ('fields' in page) addFields(pdf, page.fields);
  }
  return collected(pdf);
}

/** The first part of a file, as a broken download leaves it. */
export function cutOff(bytes: Uint8Array, share = 0.6): Uint8Array {
  return bytes.slice(0, Math.floor(bytes.length * share));
}

function addText(pdf: PDFKit.PDFDocument, text: string, columns: 1 | 2 = 1): void {
  pdf.text(text, { columns, columnGap: 28, lineGap: 2, paragraphGap: 6 });
}

function addScan(
  pdf: PDFKit.PDFDocument,
  { scan, stamp, hiddenText }: Extract<PdfPage, { scan: unknown }>,
  pictures: Map<Uint8Array, PDFKit.Mixins.ImageSrc>,
): void {
  const picture = pictures.get(scan) ?? openPicture(pdf, scan);
  pictures.set(scan, picture);
  const { width, height } = pdf.page;
  pdf.image(picture, 0, 0, { width, height });
  if (stamp) pdf.fontSize(8).text(stamp, margin, 20, { lineBreak: false });
  if (hiddenText) addHiddenText(pdf, hiddenText);
}

function addHiddenText(pdf: PDFKit.PDFDocument, text: string): void {
  pdf.addContent('3 Tr').fontSize(8).text(text, margin, margin);
}

/** pdfkit's types leave this out. */
function openPicture(pdf: PDFKit.PDFDocument, scan: Uint8Array): PDFKit.Mixins.ImageSrc {
  const { openImage } = pdf as unknown as { openImage(src: Buffer): PDFKit.Mixins.ImageSrc };
  return openImage.call(pdf, Buffer.from(scan));
}

function addLines(
  pdf: PDFKit.PDFDocument,
  lines: { text: string; x: number; y: number }[],
  rotate?: 90 | 180 | 270,
): void {
  if (rotate) turn(pdf, rotate);
  for (const { text, x, y } of lines) pdf.text(text, x, y, { lineBreak: false });
}

/** Has the page turned when it is shown, and what is written on it turned back. */
function turn(pdf: PDFKit.PDFDocument, rotate: 90 | 180 | 270): void {
  const { width, height } = a4;
  const { data } = pdf.page.dictionary as unknown as { data: Record<string, unknown> };
  data['Rotate'] = rotate;
  if (rotate === 90) pdf.transform(0, -1, 1, 0, 0, height);
  if (rotate === 180) pdf.transform(-1, 0, 0, -1, width, height);
  if (rotate === 270) pdf.transform(0, 1, -1, 0, width, 0);
}

function addFields(pdf: PDFKit.PDFDocument, fields: Record<string, string>): void {
  pdf.initForm();
  for (const [label, value] of Object.entries(fields)) {
    const { y } = pdf;
    pdf.text(label, margin, y).moveDown();
    pdf.formText(label, margin + 200, y, 200, 18, { value });
  }
}
