import { PDFiumLibrary } from '@hyzyla/pdfium';
import PDFDocument from 'pdfkit';
import type Vips from 'wasm-vips';
import { loadVips } from '../../shared/documents/vips.ts';

/** How a page of known text gets onto glass. */
export interface ScanOptions {
  text: string;
  columns?: 1 | 2;
  /** Standard deviation of each pixel's grey, of 255. */
  noise?: number;
  skewDegrees?: number;
  /** Radius of the blur in pixels. */
  blur?: number;
  dpi?: number;
  format?: 'jpeg' | 'png' | 'tiff';
  /** Of a JPEG, to 100. */
  quality?: number;
}

/** A grey A4 page of `text` as a scanner would give it; what doesn't fit on the page throws. */
export async function scanOf(options: ScanOptions): Promise<Uint8Array> {
  const { noise = 8, skewDegrees = 0, blur = 0.6, dpi = 300, format = 'jpeg' } = options;
  const vips = await loadVips();
  const page = await rendered(await printedPage(options), dpi);
  const clean = vips.Image.newFromMemory(
    page.data,
    page.width,
    page.height,
    1,
    vips.BandFormat.uchar,
  );
  const scanned = withNoise(vips, skewed(blurred(clean, blur), skewDegrees), noise);
  if (format === 'png') return scanned.pngsaveBuffer({ compression: 4 });
  if (format === 'tiff') return scanned.tiffsaveBuffer({ compression: 'deflate' });
  return scanned.jpegsaveBuffer({ Q: options.quality ?? 75 });
}

/** A clean PNG of a table with ruled cells, as a screenshot shows it. */
export async function tableImageOf(rows: string[][], dpi = 150): Promise<Uint8Array> {
  const vips = await loadVips();
  const pdf = new PDFDocument({ size: [480, 19 * rows.length + 48], margin: 24 });
  pdf.font('Helvetica').fontSize(11).table({ data: rows });
  const page = await rendered(await collected(pdf), dpi);
  const image = vips.Image.newFromMemory(
    page.data,
    page.width,
    page.height,
    1,
    vips.BandFormat.uchar,
  );
  return image.pngsaveBuffer({ compression: 9 });
}

/** One A4 page with `text` set in a serif face, in one column or two. */
export async function printedPage({
  text,
  columns = 1,
}: Pick<ScanOptions, 'text' | 'columns'>): Promise<Uint8Array> {
  const pdf = new PDFDocument({ size: 'A4', margin: 64 });
  pdf.font('Times-Roman').fontSize(11);
  pdf.text(text, { columns, columnGap: 28, lineGap: 2, paragraphGap: 6 });
  const pages = pdf.bufferedPageRange().count;
  const bytes = await collected(pdf);
  if (pages > 1) throw new Error(`The text takes ${pages} pages`);
  return bytes;
}

/** Ends a document that is being written, and gives its bytes. */
export async function collected(pdf: PDFKit.PDFDocument): Promise<Uint8Array> {
  pdf.end();
  const chunks: Buffer[] = [];
  for await (const chunk of pdf) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

let pdfium: Promise<PDFiumLibrary> | undefined;

async function rendered(pdf: Uint8Array, dpi: number) {
  pdfium ??= PDFiumLibrary.init();
  const document = await (await pdfium).loadDocument(pdf);
  try {
    return await document
      .getPage(0)
      .render({ scale: dpi / 72, render: 'bitmap', colorSpace: 'Gray' });
  } finally {
    document.destroy();
  }
}

function blurred(image: Vips.Image, sigma: number): Vips.Image {
  return sigma > 0 ? image.gaussblur(sigma) : image;
}

/** Turned about its middle and cut to its old size, as a sheet laid askew. */
function skewed(image: Vips.Image, angle: number): Vips.Image {
  if (angle === 0) return image;
  const turned = image.similarity({ angle, background: [255] });
  const left = Math.floor((turned.width - image.width) / 2);
  const top = Math.floor((turned.height - image.height) / 2);
  return turned.crop(left, top, image.width, image.height);
}

function withNoise(vips: typeof Vips, image: Vips.Image, sigma: number): Vips.Image {
  if (sigma === 0) return image.cast('uchar');
  const grain = vips.Image.gaussnoise(image.width, image.height, { mean: 0, sigma, seed: 1 });
  return image.linear(0.9, 14).add(grain).cast('uchar');
}

/** The share of characters read wrongly, from 0; any run of white space counts as one space. */
export function characterErrorRate(expected: string, actual: string): number {
  const from = withSingleSpaces(expected);
  const to = withSingleSpaces(actual);
  return editDistance(from, to) / Math.max(1, from.length);
}

function withSingleSpaces(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** Levenshtein's distance by Myers' bit vectors: 32 rows of the table at a time. */
function editDistance(from: string, to: string): number {
  const steps = new Int8Array(to.length).fill(1);
  const rowsOf = new Int32Array(0x10000);
  for (let top = 0; top < from.length; top += 32) {
    const letters = from.slice(top, top + 32);
    rowsOf.fill(0);
    for (let row = 0; row < letters.length; row++) {
      const code = letters.charCodeAt(row);
      rowsOf[code] = (rowsOf[code] ?? 0) | (1 << row);
    }
    advance(steps, to, rowsOf, letters.length - 1);
  }
  return steps.reduce((sum, step) => sum + step, from.length);
}

/** Moves `steps`, the differences along one row of the table, down to row `last` of the next block. */
function advance(steps: Int8Array, to: string, rowsOf: Int32Array, last: number): void {
  let up = -1;
  let down = 0;
  for (let column = 0; column < steps.length; column++) {
    const rises = steps[column] === 1 ? 1 : 0;
    const falls = steps[column] === -1 ? 1 : 0;
    const same = rowsOf[to.charCodeAt(column)] ?? 0;
    const across = ((((same | falls) & up) + up) ^ up) | same | falls;
    const risesHere = down | ~(across | up);
    const fallsHere = up & across;
    steps[column] = ((risesHere >>> last) & 1) - ((fallsHere >>> last) & 1);
    const risesBelow = (risesHere << 1) | rises;
    const fallsBelow = (fallsHere << 1) | falls;
    up = fallsBelow | ~(same | down | risesBelow);
    down = risesBelow & (same | down);
  }
}
