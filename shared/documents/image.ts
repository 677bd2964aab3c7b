import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import type Vips from 'wasm-vips';
import { ServiceError } from '../http/errors.ts';
import { greyPicture } from './bmp.ts';
import type { Document } from './document.ts';
import { unreadableDocument, unreadablePage } from './errors.ts';
import { encodeJpeg, scaleToFit } from './jpeg.ts';
import type { MemoryLimit } from './memory-limit.ts';
import { typeBySignature } from './signatures.ts';
import { vipsError } from './vips.ts';

/** Pixels whose sides differ by this factor are made square: a fax may have twice as many across as down. */
const minStretch = 1.2;

/** An image that is decoded row by row takes little memory, but time. */
const maxMegapixels = 1000;
/** An image that must be decoded as a whole takes memory too. */
const maxWholeMegapixels = 100;

/** Opens an image: all pages of a TIFF, the first picture of an animation. Throws 422. `memory` is told what it takes. */
export async function openImage(
  path: string,
  vips: typeof Vips,
  memory?: MemoryLimit,
): Promise<Document> {
  try {
    return isBmp(path) ? bmpImage(path, vips) : imageFile(path, vips, memory);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw unreadableDocument('it is no valid image', vipsError(error));
  }
}

function isBmp(path: string): boolean {
  const start = Buffer.alloc(64);
  const file = openSync(path, 'r');
  try {
    return typeBySignature(start.subarray(0, readSync(file, start))) === 'image/bmp';
  } finally {
    closeSync(file);
  }
}

/** libvips has no decoder for a BMP; it makes the JPEG. The file is read anew for its page. */
const bmpImage = (path: string, vips: typeof Vips): Document => ({
  pageCount: 1,
  async readPage(page) {
    if (page !== 1) throw new RangeError(`There is no page ${page}`);
    const { width, height, pixels } = greyPicture(readFileSync(path));
    const { uchar } = vips.BandFormat;
    using image = vips.Image.newFromMemory(pixels, width, height, 1, uchar);
    const scale = scaleToFit(width, height);
    using small = scale < 1 ? image.resize(scale) : image.copy();
    return { jpeg: encodeJpeg(small) };
  },
  close: () => {},
});

/** The file is opened anew for each page, and closed after it. */
function imageFile(path: string, vips: typeof Vips, memory?: MemoryLimit): Document {
  const { isTiff, pageCount, firstSize } = describe(path, vips);
  const unreadable = (page: number, why: string, cause?: Error) =>
    pageCount === 1 ? unreadableDocument(why, cause) : unreadablePage(page, why, cause);
  const tooLarge = (page: number, limit: number) =>
    unreadable(page, `it has more than ${limit} megapixels`);

  function jpegOf(page: number): Uint8Array {
    using source = vips.Source.newFromFile(path);
    using image = vips.Image.newFromSource(source, isTiff ? `page=${page - 1}` : '', {
      access: 'sequential',
      fail_on: 'error',
    });
    const limit = megapixelLimitOf(image);
    using square = isTiff ? withSquarePixels(image) : image.copy();
    // Nothing is decoded yet.
    if (megapixels(image) > limit || megapixels(square) > limit) throw tooLarge(page, limit);
    if (isWhole(image)) memory?.use(4 * image.width * image.height);
    const { width, height } = square;
    const side = Math.floor(Math.max(width, height) * scaleToFit(width, height));
    using whole = isFloat(square) ? inBytes(square) : square.copy();
    using upright = whole.thumbnailImage(side, { height: side, size: 'down' });
    using drawn = upright.colourspace('b-w');
    using grey = drawn.copyMemory();
    using opaque = withoutAlpha(grey);
    using bytes = opaque.cast('uchar');
    return encodeJpeg(bytes);
  }

  if (pageCount === 1 && firstSize.megapixels > firstSize.limit) throw tooLarge(1, firstSize.limit);
  return {
    pageCount,
    async readPage(page, { draw = true } = {}) {
      if (!(page >= 1 && page <= pageCount)) throw new RangeError(`There is no page ${page}`);
      if (!draw) return {};
      try {
        return { jpeg: jpegOf(page) };
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        throw unreadable(page, 'its picture is damaged or cut off', vipsError(error));
      }
    },
    close: () => {},
  };
}

function describe(path: string, vips: typeof Vips) {
  using source = vips.Source.newFromFile(path);
  using image = vips.Image.newFromSource(source);
  const isTiff = image.getString('vips-loader').startsWith('tiff');
  const firstSize = { megapixels: megapixels(image), limit: megapixelLimitOf(image) };
  return { isTiff, pageCount: isTiff ? image.getInt('n-pages') : 1, firstSize };
}

/** Lays a picture on white; or on black, and in negative, where it shows nothing on white, as light letters don't. */
function withoutAlpha(grey: Vips.Image): Vips.Image {
  if (!grey.hasAlpha()) return grey.copy();
  const onWhite = grey.flatten({ background: 255 });
  if (onWhite.min() < lightest) return onWhite;
  using onBlack = grey.flatten({ background: 0 });
  const negative = onBlack.invert();
  if (negative.min() >= lightest) return onWhite;
  onWhite.delete();
  return negative;
}

function withSquarePixels(image: Vips.Image): Vips.Image {
  const stretch = image.xres / image.yres;
  if (stretch < minStretch && stretch > 1 / minStretch) return image.copy();
  return image.resize(Math.max(1, 1 / stretch), { vscale: Math.max(1, stretch) });
}

const isFloat = ({ format }: Vips.Image) => format === 'float' || format === 'double';

/** Floating point may count from 0 to 1, of which bytes would keep nothing. */
function inBytes(image: Vips.Image): Vips.Image {
  using whole = image.copyMemory();
  using scaled = whole.max() <= 1 ? whole.linear(255, 0) : whole.copy();
  return scaled.cast('uchar');
}

/** Greys that are lighter than this are not seen on white. */
const lightest = 200;

const megapixels = ({ width, height }: Vips.Image) => (width * height) / 1e6;

/** Returns how many megapixels an image may have. Each page of a TIFF is an image with a size of its own. */
function megapixelLimitOf(image: Vips.Image): number {
  return isWhole(image) ? maxWholeMegapixels : maxMegapixels;
}

/** Whether an image is decoded as a whole, with four bytes for each pixel, and not row by row. */
function isWhole(image: Vips.Image): boolean {
  const isInterlaced = image.getTypeof('interlaced') !== 0 && image.getInt('interlaced') === 1;
  return isInterlaced || isFloat(image) || /^(webp|heif|gif)/.test(image.getString('vips-loader'));
}
