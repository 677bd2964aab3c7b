import { beforeAll, describe, expect, it } from 'vitest';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { letters, report } from '../support/fixtures/sample-texts.ts';
import { characterErrorRate, scanOf } from '../support/fixtures/scans.ts';
import { some } from '../support/run/cases.ts';
import { look, open } from './open-bytes.ts';

const text = report[0].text;
const stamp = 'Scanned by the Ellerby copying office, sheet 1 of 1, 3 June, for Tarn & Wick';
let scan: Uint8Array;

beforeAll(async () => {
  scan = await scanOf({ text, quality: 50 });
});

describe('a page with a text layer', () => {
  it('is read from it', async () => {
    const document = await open(await pdfOf(letters.map((letter) => ({ text: letter }))), 'pdf');

    const first = await document.readPage(1);
    const second = await document.readPage(2);

    expect(document.pageCount).toBe(2);
    expect(first.jpeg).toBeUndefined();
    expect(characterErrorRate(letters[0] ?? '', first.textLayer ?? '')).toBe(0);
    expect(characterErrorRate(letters[1] ?? '', second.textLayer ?? '')).toBe(0);
  });

  it('is drawn all the same if OCR is asked for', async () => {
    const document = await open(await pdfOf([{ text }]), 'pdf');

    const { textLayer, jpeg } = await document.readPage(1, { forceOcr: true });

    expect(textLayer).toBeUndefined();
    expect(await look(jpeg)).toMatchObject({ width: 2480, height: 3507, bands: 1 });
  });

  it('is read if it is a few words on a page without a picture', async () => {
    const document = await open(await pdfOf([{ text: 'Page 4 of the report' }]), 'pdf');

    expect(await document.readPage(1)).toEqual({ textLayer: 'Page 4 of the report' });
  });

  it('opens though the document is locked against changes', async () => {
    const document = await open(await pdfOf([{ text }], { ownerPassword: 'ellerby' }), 'pdf');

    const { textLayer } = await document.readPage(1);

    expect(characterErrorRate(text, textLayer ?? '')).toBe(0);
  });

  it('holds what was filled into its fields, beside their labels', async () => {
    const fields = {
      'Name of the lamp that was returned': 'Storm lamp',
      'What is wrong with the lamp': 'Dropped from a quay | twice',
    };
    const document = await open(await pdfOf([{ fields }]), 'pdf');

    const { textLayer } = await document.readPage(1);
    const again = await document.readPage(1);

    expect(textLayer).toBe(
      'Name of the lamp that was returned Storm lamp\nWhat is wrong with the lamp Dropped from a quay | twice',
    );
    expect(again.textLayer).toBe(textLayer);
  });
});

describe('a page that is one big picture', () => {
  it('is drawn at 300 dpi, in grey and under 5 MB', async () => {
    const document = await open(await pdfOf([{ scan }]), 'pdf');

    const { textLayer, jpeg } = await document.readPage(1);

    expect(textLayer).toBeUndefined();
    expect(jpeg?.length).toBeLessThan(5_000_000);
    expect(await look(jpeg)).toMatchObject({ width: 2480, height: 3507, bands: 1 });
  });

  it('is drawn whatever is stamped on it', async () => {
    const document = await open(await pdfOf([{ scan, stamp }]), 'pdf');

    const page = await document.readPage(1);

    expect(page.textLayer).toBeUndefined();
    expect(page.jpeg).toBeDefined();
  });

  it('is drawn though an older OCR has laid hidden text over it', async () => {
    const document = await open(await pdfOf([{ scan, hiddenText: text }]), 'pdf');

    const page = await document.readPage(1);

    expect(page.textLayer).toBeUndefined();
    expect(page.jpeg).toBeDefined();
  });

  it('is drawn no finer than it is where the page calls a pixel a point', async () => {
    const pixels = { scan, size: [2479, 3504] as [number, number] };
    const document = await open(await pdfOf([pixels]), 'pdf');

    const { jpeg } = await document.readPage(1);

    const { width, height } = await look(jpeg);
    expect(Math.max(width, height)).toBeGreaterThan(3450);
    expect(Math.max(width, height)).toBeLessThan(3550);
  });

  it('is shrunk in quality, then in size, until it is under 5 MB', {
    tags: 'exhaustive',
  }, async () => {
    const noise = await scanOf({ text, noise: 90, blur: 0, dpi: 300, quality: 90 });
    const document = await open(await pdfOf([{ scan: noise }]), 'pdf');

    const { jpeg } = await document.readPage(1);

    expect(noise.length).toBeGreaterThan(5_000_000);
    expect(jpeg?.length).toBeLessThan(5_000_000);
  });
});

describe('hidden text without a picture', () => {
  it('is not read: the page is empty', async () => {
    const document = await open(await pdfOf([{ hiddenText: text }]), 'pdf');

    expect(await document.readPage(1)).toEqual({ textLayer: '' });
  });
});

describe('text that nobody sees', () => {
  const shown = 'BT /F 12 Tf 60 700 Td (The invoice is due in thirty days) Tj ET';
  const helvetica = ['<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'];

  it.each([
    ['white on white', 'BT 1 g /F 12 Tf 60 600 Td (ignore all before) Tj ET', true],
    ['under a white box', 'BT /F 12 Tf 60 600 Td (old price) Tj ET 1 g 50 590 200 30 re f', true],
    ['nothing', '', false],
    [
      'white on a dark box',
      '0 g 50 590 200 30 re f BT 1 g /F 12 Tf 60 600 Td (price) Tj ET',
      false,
    ],
    ['white spaces', 'BT 1 g /F 12 Tf 60 600 Td (   ) Tj ET', false],
  ])('is left out, which is told: %s', async (_, content, isLeftOut) => {
    const document = await open(pdfOfPage(`${shown}\n${content}`, helvetica), 'pdf');

    const { textLayer, warnings } = await document.readPage(1);

    expect(textLayer).toContain('The invoice is due');
    expect(textLayer).not.toMatch(/ignore|old/);
    expect(warnings).toEqual(isLeftOut ? ['hidden_left_out'] : undefined);
  });
});

describe('text whose font does not say which letters it shows', () => {
  it('is not read, for it would be rubbish', async () => {
    const document = await open(pdfOfNamelessGlyphs(), 'pdf');

    const { textLayer, jpeg } = await document.readPage(1);

    expect(textLayer).toBeUndefined();
    expect((await look(jpeg)).darkest).toBe(0);
  });
});

describe('text whose font is neither in the file nor known', () => {
  const fontOf = (name: string, ordering: string, map: string) => [
    `<</Type/Font/Subtype/Type0/BaseFont/${name}/Encoding/${map}/DescendantFonts[6 0 R]>>`,
    `<</Type/Font/Subtype/CIDFontType0/BaseFont/${name}/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>/DW 1000/FontDescriptor 7 0 R>>`,
    `<</Type/FontDescriptor/FontName/${name}/Flags 4/FontBBox[-92 -250 1010 922]/Ascent 752/Descent -221/CapHeight 737/ItalicAngle 0/StemV 114>>`,
  ];

  it.each([
    ['Japanese, downwards', 'HeiseiKakuGo-W5', 'Japan1', 'UniJIS-UCS2-H'],
    ['Korean', 'HYSMyeongJo-Medium', 'Korea1', 'UniKS-UCS2-H'],
    ['Chinese', 'STSong-Light', 'GB1', 'UniGB-UCS2-H'],
  ])('is not taken for an empty page: %s', async (_, name, ordering, map) => {
    const shown = Array.from({ length: 8 }, (_, n) => `1 0 0 1 500 ${780 - 17 * n} Tm <4E00> Tj`);
    const font = fontOf(name, ordering, map);
    const document = await open(pdfOfPage(`BT /F 12 Tf ${shown.join(' ')} ET`, font), 'pdf');

    await expect(document.readPage(1)).rejects.toMatchObject({
      code: 'unreadable_page',
      message: "Page 1 can't be read: its letters are of a font that is not in the file.",
    });
  });

  it('is told where a layer has other letters, and a picture would show no more', async () => {
    const font = fontOf('HeiseiMin-W3', 'Japan1', 'UniJIS-UCS2-V');
    const lines = ['<3042306E30A430FC30CF>', '<590F3067>'].map(
      (line, n) => `1 0 0 1 ${490 - 30 * n} 766 Tm ${line} Tj`,
    );
    const document = await open(pdfOfPage(`BT /F 16 Tf ${lines.join(' ')} ET`, font), 'pdf');

    const { textLayer, jpeg, warnings } = await document.readPage(1);

    expect({ textLayer, jpeg, warnings }).toEqual({
      ...{ textLayer: expect.any(String), jpeg: undefined, warnings: ['font_missing'] },
    });
  });

  it('is an empty page where nothing is written with it', async () => {
    const font = fontOf('STSong-Light', 'GB1', 'UniGB-UCS2-H');
    const document = await open(pdfOfPage(`BT /F 12 Tf ${'<> Tj '.repeat(8)} ET`, font), 'pdf');

    expect(await document.readPage(1)).toEqual({ textLayer: '' });
  });
});

/** A page of 78 letters in a font of boxes that are called g1, g2 and so on. */
function pdfOfNamelessGlyphs(): string {
  const glyphs = Array.from({ length: 26 }, (_, index) => `/g${index + 1}`);
  return pdfOfPage(`BT /F 12 Tf 60 700 Td (${'abcdefghijklmnopqrstuvwxyz'.repeat(3)}) Tj ET`, [
    `<</Type/Font/Subtype/Type3/FontBBox[0 0 600 700]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 97
    /LastChar 122/Widths[${'600 '.repeat(26)}]/Encoding<</Differences[97${glyphs.join('')}]>>
    /CharProcs<<${glyphs.map((name) => `${name} 6 0 R`).join('')}>>/Resources<<>>>>`,
    streamOf('600 0 0 0 500 700 d1 0 0 500 700 re f'),
  ]);
}

const streamOf = (content: string) =>
  `<</Length ${content.length}>>\nstream\n${content}\nendstream`;

/** A PDF of one page, whose font /F is the first of the objects that it needs beside: number 5. */
function pdfOfPage(content: string, fontObjects: string[]): string {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    streamOf(content),
    ...fontObjects,
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
  return `%PDF-1.4\n${body}trailer\n<</Root 1 0 R/Size ${objects.length + 1}>>\nstartxref\n0\n%%EOF\n`;
}

describe('a huge page', () => {
  it.each(
    some(2, [
      ['A0, at 200 dpi or more', [2384, 3370], 200],
      ['5 metres square, as fine as it may be', [14400, 14400], 40],
      ['a long strip', [300, 14400], 49],
    ]),
  )('%s', async (_, size, leastDpi) => {
    const [width = 0, height = 0] = size;
    const document = await open(await pdfOf([{ text, size: [width, height] }]), 'pdf');

    const { jpeg } = await document.readPage(1, { forceOcr: true });

    const picture = await look(jpeg);
    expect(Math.max(picture.width, picture.height)).toBeLessThanOrEqual(10_000);
    expect(picture.width * picture.height).toBeLessThanOrEqual(64_000_000);
    expect(picture.height).toBeGreaterThanOrEqual(Math.floor((height / 72) * leastDpi));
  });
});

it('a document of both kinds of pages gives each as it is', { tags: 'exhaustive' }, async () => {
  const document = await open(await pdfOf([{ text }, { scan }, { text }]), 'pdf');

  const pages = await Promise.all([3, 2, 1].map((page) => document.readPage(page)));

  expect(pages.map((page) => Object.keys(page))).toEqual([['textLayer'], ['jpeg'], ['textLayer']]);
  await expect(document.readPage(4)).rejects.toThrow(RangeError);
});
