import PDFDocument from 'pdfkit';
import type { RecognizedPage } from '../../lib/local/textract/recognized-page.ts';
import { loadVips } from '../../shared/documents/vips.ts';
import { collected } from './scans.ts';

/** A page of a small document: printed words, or a picture of so much grey. */
export type SmallPage = { words: string } | { grey: number };

/** Long enough to count as a text layer. */
export const words = (page: number) =>
  `These words of page ${page} are printed, not scanned, and cost nothing to read.`;

/** A PDF of inch-sized pages: read in no time, and all a large one is otherwise. */
export async function smallPdf(pages: SmallPage[]): Promise<Uint8Array> {
  const pdf = new PDFDocument({ size: [72, 72], margin: 4, autoFirstPage: false });
  const pictures = new Map<number, Buffer>();
  for (const page of pages) {
    pdf.addPage();
    if ('words' in page) {
      pdf.fontSize(5).text(page.words);
      continue;
    }
    const picture = pictures.get(page.grey) ?? Buffer.from(await greyJpeg(page.grey));
    pictures.set(page.grey, picture);
    pdf.image(picture, 0, 0, { width: 72, height: 72 });
  }
  return collected(pdf);
}

/** A picture of one grey, 60 pixels a side. */
export async function greyJpeg(grey: number, size = 60): Promise<Uint8Array> {
  const vips = await loadVips();
  const image = vips.Image.black(size, size).linear([1], [grey]).cast('uchar');
  const jpeg = image.jpegsaveBuffer({ Q: 90 });
  image.delete();
  return jpeg;
}

/** Reads a picture of one grey as the words `grey 120`. */
export async function readGrey(image: Uint8Array): Promise<RecognizedPage> {
  const vips = await loadVips();
  const picture = vips.Image.newFromBuffer(image);
  const grey = Math.round(picture.avg() / 10) * 10;
  const { width, height } = picture;
  picture.delete();
  const box = { x0: 10, y0: 10, x1: width - 10, y1: 40 };
  const texts = ['grey', String(grey)];
  const recognized = texts.map((text) => ({ text, confidence: 90, box }));
  return { width, height, blocks: [{ kind: 'text', box, paragraphs: [[{ words: recognized }]] }] };
}

/** A message's part that is a picture of one grey. */
export async function imagePart(grey: number) {
  const base64 = Buffer.from(await greyJpeg(grey)).toString('base64');
  return { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${base64}` } };
}
