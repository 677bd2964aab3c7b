import type Vips from 'wasm-vips';
import { ServiceError } from '../http/errors.ts';
import type { Document, PageContent } from './document.ts';
import { unreadableDocument, unreadablePage } from './errors.ts';
import { encodeJpeg, scaleToFit } from './jpeg.ts';
import { loadVips, vipsError } from './vips.ts';

/** A fax may be twice as fine from side to side as it is from top to bottom. */
const obviousStretch = 1.2;

/** What comes row by row takes time alone; what must be unpacked whole takes memory too. */
const largestMegapixels = 1000;
const largestUnpackedMegapixels = 100;

/** Opens an image: each page of a TIFF is one, and of what moves the first picture alone counts. */
export async function openImage(path: string): Promise<Document> {
  const vips = await loadVips();
  try {
    return new ImageFile(path, vips);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw unreadableDocument('it is no valid image', vipsError(error));
  }
}

class ImageFile implements Document {
  readonly pageCount: number;
  private readonly path: string;
  private readonly vips: typeof Vips;
  private readonly isTiff: boolean;

  constructor(path: string, vips: typeof Vips) {
    this.path = path;
    this.vips = vips;
    using source = vips.Source.newFromFile(path);
    using image = vips.Image.newFromSource(source);
    refuseHuge(image);
    this.isTiff = image.getString('vips-loader').startsWith('tiff');
    this.pageCount = this.isTiff ? image.getInt('n-pages') : 1;
  }

  async readPage(page: number): Promise<PageContent> {
    if (!(page >= 1 && page <= this.pageCount)) throw new RangeError(`There is no page ${page}`);
    try {
      return { jpeg: this.jpegOf(page) };
    } catch (error) {
      const why = 'its picture is damaged or cut off';
      throw this.pageCount === 1
        ? unreadableDocument(why, vipsError(error))
        : unreadablePage(page, why, vipsError(error));
    }
  }

  /** Every image is read as it comes and opened anew for each page: nothing of it stays behind. */
  close(): void {}

  private jpegOf(page: number): Uint8Array {
    using source = this.vips.Source.newFromFile(this.path);
    using image = this.vips.Image.newFromSource(source, this.isTiff ? `page=${page - 1}` : '', {
      access: 'sequential',
      fail_on: 'error',
    });
    using square = this.withSquarePixels(image);
    const { width, height } = square;
    const side = Math.floor(Math.max(width, height) * scaleToFit(width, height));
    using upright = square.thumbnailImage(side, { height: side, size: 'down' });
    using grey = upright.colourspace('b-w');
    using opaque = grey.hasAlpha() ? grey.flatten({ background: 255 }) : grey.copy();
    using bytes = opaque.cast('uchar');
    using pixels = bytes.copyMemory();
    return encodeJpeg(pixels);
  }

  private withSquarePixels(image: Vips.Image): Vips.Image {
    const stretch = image.xres / image.yres;
    if (!this.isTiff || (stretch < obviousStretch && stretch > 1 / obviousStretch)) {
      return image.copy();
    }
    return image.resize(Math.max(1, 1 / stretch), { vscale: Math.max(1, stretch) });
  }
}

function refuseHuge(image: Vips.Image): void {
  const isInterlaced = image.getTypeof('interlaced') !== 0 && image.getInt('interlaced') === 1;
  const isWhole = isInterlaced || /^(webp|heif)/.test(image.getString('vips-loader'));
  const most = isWhole ? largestUnpackedMegapixels : largestMegapixels;
  if (image.width * image.height > most * 1e6) {
    throw unreadableDocument(`it has more than ${most} megapixels`);
  }
}
