import { beforeAll, describe, expect, it } from 'vitest';
import type Vips from 'wasm-vips';
import { loadVips } from '../../shared/documents/vips.ts';
import { ServiceError } from '../../shared/http/errors.ts';
import { bmpOf, hugeBmp } from '../support/fixtures/bmps.ts';
import { cutOff } from '../support/fixtures/pdfs.ts';
import { some } from '../support/run/cases.ts';
import { look, open } from './open-bytes.ts';

let vips: typeof Vips;
/** Light, 400 by 200, with a dark quarter at the top left. */
let grey: Vips.Image;
let rgb: Vips.Image;

beforeAll(async () => {
  vips = await loadVips();
  const light = vips.Image.black(400, 200).add(230).cast('uchar');
  grey = light.insert(vips.Image.black(200, 100), 0, 0).copy({ interpretation: 'b-w' });
  rgb = grey.bandjoin([grey, grey]).copy({ interpretation: 'srgb' });
});

function animated(): Uint8Array {
  const both = rgb.join(rgb.invert(), vips.Direction.vertical);
  both.setInt('page-height', 200);
  return both.gifsaveBuffer();
}

async function pageOf(bytes: Uint8Array, page = 1) {
  const document = await open(bytes, 'image');
  const { jpeg } = await document.readPage(page);
  return look(jpeg);
}

function withOrientation(orientation: number): Uint8Array {
  const image = rgb.copy();
  image.setInt('orientation', orientation);
  return image.jpegsaveBuffer();
}

/** Opaque where it is dark, else clear. */
function withAlpha(image: Vips.Image, opaque: number): Vips.Image {
  const alpha = grey.less(100).linear(opaque / 255, 0);
  return image.bandjoin(alpha.cast(image.format)).copy({ interpretation: image.interpretation });
}

it('light letters on nothing are drawn in negative, as white paper hides them', async () => {
  const letters = grey.less(100);
  const light = letters.linear(0, 255).bandjoin(letters).cast('uchar');
  const page = await pageOf(light.copy({ interpretation: 'b-w' }).pngsaveBuffer());

  expect(page.greyAt(0.1, 0.1)).toBeLessThan(10);
  expect(page.greyAt(0.9, 0.9)).toBeGreaterThan(245);
});

describe('a picture of any kind becomes a grey JPEG', () => {
  it.each<[string, () => Uint8Array, number?]>([
    ['a grey JPEG', () => grey.jpegsaveBuffer()],
    ['a JPEG in colour', () => rgb.jpegsaveBuffer()],
    ['a JPEG that comes in passes', () => rgb.jpegsaveBuffer({ interlace: true })],
    ['a JPEG in CMYK', () => rgb.colourspace('cmyk').jpegsaveBuffer()],
    ['a PNG in colour', () => rgb.pngsaveBuffer()],
    ['a PNG of 16 bits', () => rgb.colourspace('rgb16').pngsaveBuffer()],
    ['a grey PNG of 16 bits', () => grey.colourspace('grey16').pngsaveBuffer()],
    ['a PNG with a palette', () => rgb.pngsaveBuffer({ palette: true })],
    ['a PNG that comes in passes', () => rgb.pngsaveBuffer({ interlace: true })],
    ['a clear PNG', () => withAlpha(rgb, 255).pngsaveBuffer(), 255],
    [
      'a clear PNG of 16 bits',
      () => withAlpha(rgb.colourspace('rgb16'), 65535).pngsaveBuffer(),
      255,
    ],
    ['a TIFF', () => rgb.tiffsaveBuffer({ compression: 'lzw' })],
    ['a TIFF in tiles', () => rgb.tiffsaveBuffer({ compression: 'deflate', tile: true })],
    ['a TIFF with a JPEG in it', () => rgb.tiffsaveBuffer({ compression: 'jpeg' })],
    ['a TIFF in CMYK', () => rgb.colourspace('cmyk').tiffsaveBuffer()],
    ['a fax', () => grey.tiffsaveBuffer({ bitdepth: 1, compression: 'ccittfax4' }), 255],
    [
      'a fax with white as 0',
      () => grey.tiffsaveBuffer({ bitdepth: 1, compression: 'ccittfax4', miniswhite: true }),
      255,
    ],
    [
      'a TIFF with smaller copies in it',
      () =>
        rgb.tiffsaveBuffer({
          pyramid: true,
          tile: true,
          subifd: true,
          tile_width: 64,
          tile_height: 64,
        }),
    ],
    [
      'a TIFF in floating point',
      () =>
        grey
          .linear(1 / 255, 0)
          .cast('float')
          .tiffsaveBuffer(),
    ],
    ['a WebP', () => rgb.webpsaveBuffer()],
    ['a GIF', () => rgb.gifsaveBuffer()],
    ['a GIF that moves, by its first picture', () => animated()],
    ['a BMP of 1 bit', () => bmpOf(1)],
    ['a BMP of 4 bits', () => bmpOf(4)],
    ['a BMP of 8 bits', () => bmpOf(8)],
    ['a BMP of 16 bits', () => bmpOf(16)],
    ['a BMP of 24 bits', () => bmpOf(24)],
    ['a BMP of 32 bits', () => bmpOf(32)],
    ['a BMP whose top row is first', () => bmpOf(24, { isTopDown: true })],
    ['a BMP that names its bits', () => bmpOf(32, { compression: 3 })],
    ['a BMP of 16 bits that names them', () => bmpOf(16, { compression: 3 })],
    ['a BMP of OS/2', () => bmpOf(8, { isOld: true })],
    ['an AVIF', () => rgb.heifsaveBuffer({ compression: 'av1' })],
  ])('%s', async (_, bytes, light = 230) => {
    const page = await pageOf(bytes());

    expect(page).toMatchObject({ width: 400, height: 200, bands: 1 });
    expect(page.greyAt(0.1, 0.1)).toBeLessThan(50);
    expect(Math.abs(page.greyAt(0.9, 0.1) - light)).toBeLessThan(12);
    expect(Math.abs(page.greyAt(0.9, 0.9) - light)).toBeLessThan(12);
  });
});

describe('a photo', () => {
  it.each([
    [3, 400, 200, [0.9, 0.9]],
    [6, 200, 400, [0.9, 0.1]],
    [8, 200, 400, [0.1, 0.9]],
  ] as const)(
    'whose camera was held as orientation %s says stands upright',
    async (orientation, width, height, dark) => {
      const page = await pageOf(withOrientation(orientation));

      expect(page).toMatchObject({ width, height });
      expect(page.greyAt(dark[0], dark[1])).toBeLessThan(20);
      expect(page.greyAt(1 - dark[0], 1 - dark[1])).toBeGreaterThan(200);
    },
  );
});

describe('pages', () => {
  it('each of a TIFF is one, and may have a size of its own', async () => {
    const strip = vips.Image.arrayjoin([grey, grey.invert(), grey], { across: 1 });
    const bytes = strip.tiffsaveBuffer({ page_height: 200 });
    const document = await open(bytes, 'image');

    const second = await look((await document.readPage(2)).jpeg);

    expect(document.pageCount).toBe(3);
    expect(second.greyAt(0.1, 0.1)).toBeGreaterThan(200);
    await expect(document.readPage(4)).rejects.toThrow(RangeError);
  });

  it('of what moves only the first counts', async () => {
    const frames = vips.Image.arrayjoin([rgb, rgb.invert()], { across: 1 });
    const document = await open(frames.webpsaveBuffer({ page_height: 200 }), 'image');

    const first = await look((await document.readPage(1)).jpeg);

    expect(document.pageCount).toBe(1);
    expect(first).toMatchObject({ width: 400, height: 200 });
    expect(first.greyAt(0.1, 0.1)).toBeLessThan(20);
  });

  it('that are twice as fine across as down, as of a fax, get square pixels', async () => {
    const fax = grey.copy({ xres: 8, yres: 4 });

    const page = await pageOf(fax.tiffsaveBuffer({ bitdepth: 1, compression: 'ccittfax4' }));

    expect(page).toMatchObject({ width: 400, height: 400 });
  });
});

describe('size', () => {
  const blank = (width: number, height: number) =>
    vips.Image.black(width, height).add(230).cast('uchar');

  it('a small picture stays as small as it is', async () => {
    expect(await pageOf(blank(30, 20).pngsaveBuffer())).toMatchObject({ width: 30, height: 20 });
    expect(await pageOf(blank(1, 1).pngsaveBuffer())).toMatchObject({ width: 1, height: 1 });
  });

  it.each(
    some(1, [
      ['long', 30_000, 100, 10_000, 33],
      ['large', 12_000, 9000, 9237, 6928],
    ]),
  )('a %s picture is shrunk', async (_, width, height, shrunkWidth, shrunkHeight) => {
    const page = await pageOf(blank(width, height).pngsaveBuffer({ compression: 1 }));

    expect(page.width).toBe(shrunkWidth);
    expect(page.height).toBe(shrunkHeight);
  });

  it('a noisy picture is brought under 5 MB', { tags: 'exhaustive' }, async () => {
    const noise = vips.Image.gaussnoise(4000, 4000, { mean: 128, sigma: 60 }).cast('uchar');
    const bytes = noise.jpegsaveBuffer({ Q: 90 });
    const document = await open(bytes, 'image');

    const { jpeg } = await document.readPage(1);

    expect(bytes.length).toBeGreaterThan(5_000_000);
    expect(jpeg?.length).toBeLessThan(5_000_000);
  });

  it('a picture that must be unpacked whole and is too large for that is refused', async () => {
    const bytes = blank(12_000, 9000).pngsaveBuffer({ interlace: true, compression: 1 });

    await expect(open(bytes, 'image')).rejects.toMatchObject({
      statusCode: 422,
      code: 'unreadable_document',
      message: "The document can't be read: it has more than 100 megapixels.",
    });
  });
});

describe('what is no picture', () => {
  it.each([
    ['nothing', () => Buffer.alloc(0), 'empty_document'],
    ['text', () => Buffer.from('To whom it may concern'), 'unreadable_document'],
    ['SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'unreadable_document'],
    ['half a GIF', () => cutOff(rgb.gifsaveBuffer()), 'unreadable_document'],
    ['half a BMP', () => cutOff(bmpOf(24)), 'unreadable_document'],
    ['a BMP that says it is huge', () => hugeBmp(), 'unreadable_document'],
    ['a BMP that is compressed', () => bmpOf(24, { compression: 1 }), 'unreadable_document'],
    ['a BMP of an unknown depth', () => bmpOf(24, { saidDepth: 13 }), 'unreadable_document'],
    ['half a TIFF', () => cutOff(rgb.tiffsaveBuffer()), 'unreadable_document'],
    ['half a WebP', () => cutOff(rgb.webpsaveBuffer()), 'unreadable_document'],
    [
      'half an AVIF',
      () => cutOff(rgb.heifsaveBuffer({ compression: 'av1' })),
      'unreadable_document',
    ],
    ['half a JPEG', () => cutOff(rgb.jpegsaveBuffer()), 'unreadable_document'],
    ['half a PNG', () => cutOff(rgb.pngsaveBuffer({ compression: 0 })), 'unreadable_document'],
  ])('%s is refused', async (_, bytes, code) => {
    const reading = open(bytes(), 'image').then((document) => document.readPage(1));

    await expect(reading).rejects.toMatchObject({ statusCode: 422, code });
    await expect(reading).rejects.toBeInstanceOf(ServiceError);
  });

  it('among the pages of a TIFF fails alone', async () => {
    const noise = vips.Image.gaussnoise(100, 300, { mean: 128, sigma: 40, seed: 1 });
    const bytes = Buffer.from(
      noise.cast('uchar').tiffsaveBuffer({ page_height: 100, compression: 'deflate' }),
    );
    const middle = bytes.length / 2;
    const document = await open(bytes.fill(0xff, middle, middle + 500), 'image');

    const reading = [1, 2, 3].map((page) =>
      document.readPage(page).then(
        () => 'read',
        ({ code }) => code,
      ),
    );

    expect(await Promise.all(reading)).toEqual(['read', 'unreadable_page', 'read']);
  });
});
