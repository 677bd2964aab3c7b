import { describe, expect, it } from 'vitest';
import { type PdfPage, pdfOf } from '../support/fixtures/pdfs.ts';
import { scanOf } from '../support/fixtures/scans.ts';
import { photograph } from '../support/fixtures/small-documents.ts';
import { open } from './open-bytes.ts';

const receipt =
  'TAXI BERLIN\nFahrpreis 23,40 EUR\nDatum 04.05.2026\nVielen Dank und gute Fahrt\n'.repeat(4);
const paragraph = 'The committee met on Tuesday to review the annual report. '.repeat(8);

async function layerOf(page: PdfPage) {
  const document = await open(await pdfOf([page]), 'pdf');
  return (await document.readPage(1, { draw: false })).textLayer;
}

describe('a page with pictures and text', () => {
  it('is drawn for OCR if a picture beside the text shows words', async () => {
    const scan = await scanOf({ text: receipt, dpi: 150 });

    expect(
      await layerOf({ pictures: [{ picture: scan, width: 240, y: 400 }], text: paragraph }),
    ).toBeUndefined();
  });

  it('is drawn if a stamp is all that is printed on a scan', async () => {
    const scan = await scanOf({ text: paragraph, dpi: 150 });
    const stamp = 'Bates stamp HERON-0000123 produced subject to protective order, page 1 of 44';

    expect(await layerOf({ scan, stamp })).toBeUndefined();
  });

  it.each([
    ['over a picture of the whole page', 595, 0],
    ['beside a photograph', 240, 400],
  ])('is read by its layer %s', async (_, width, y) => {
    const picture = await photograph(400, 560);

    expect(await layerOf({ pictures: [{ picture, width, y }], text: paragraph })).toContain(
      'annual report',
    );
  });
});
