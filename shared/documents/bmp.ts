import { unreadableDocument } from './errors.ts';

/** A picture of grey pixels, the top row first. */
interface GreyPicture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** A letter-size page at 600 dpi has 34. */
const maxPixels = 100e6;
const uncompressed = 0;
const bitFields = 3;
const alphaBitFields = 6;
/** The bits of red, green and blue where a picture doesn't name them. */
const usualMasks: Record<number, readonly number[]> = {
  16: [0x7c00, 0x03e0, 0x001f],
  32: [0xff0000, 0x00ff00, 0x0000ff],
};

const rgbToGrey = (red: number, green: number, blue: number) =>
  Math.round(0.299 * red + 0.587 * green + 0.114 * blue);

/**
 * Decodes a BMP in shades of grey. Throws 422 for one that is cut off, compressed, or over 100 megapixels. Packages
 * read fewer depths, or trust the size that a file says.
 * @see https://learn.microsoft.com/en-us/windows/win32/gdi/bitmap-storage
 */
export function greyPicture(file: Buffer): GreyPicture {
  try {
    return new BmpFile(file).decode();
  } catch (error) {
    throw error instanceof RangeError ? damaged(error) : error;
  }
}

class BmpFile {
  private readonly file: Buffer;
  private readonly headerBytes: number;
  private readonly isOld: boolean;
  private readonly width: number;
  private readonly height: number;
  private readonly isTopDown: boolean;
  private readonly depth: number;
  private readonly compression: number;

  constructor(file: Buffer) {
    this.file = file;
    this.headerBytes = file.readUInt32LE(14);
    this.isOld = this.headerBytes === 12;
    const height = this.isOld ? file.readInt16LE(20) : file.readInt32LE(22);
    this.width = this.isOld ? file.readUInt16LE(18) : file.readInt32LE(18);
    this.height = Math.abs(height);
    this.isTopDown = height < 0;
    this.depth = file.readUInt16LE(this.isOld ? 24 : 28);
    this.compression = this.isOld ? uncompressed : file.readUInt32LE(30);
  }

  decode(): GreyPicture {
    const { file, width, height, depth } = this;
    if (width <= 0 || height <= 0) throw damaged();
    if (width * height > maxPixels) throw unreadableDocument('it has more than 100 megapixels');
    const toGrey = this.greyOf();
    const start = file.readUInt32LE(10);
    const rowBytes = Math.ceil((width * depth) / 32) * 4;
    // Asked before any memory is taken.
    if (start + rowBytes * height > file.length) throw damaged();
    const pixels = new Uint8Array(width * height);
    for (let y = 0; y < height; y++) {
      const row = start + rowBytes * (this.isTopDown ? y : height - 1 - y);
      for (let x = 0; x < width; x++) pixels[y * width + x] = toGrey(row, x);
    }
    return { width, height, pixels };
  }

  /** Returns what makes grey of the pixel that stands so far into a row. */
  private greyOf(): (row: number, x: number) => number {
    const { file, depth, compression } = this;
    const hasMasks = compression === bitFields || compression === alphaBitFields;
    if (compression !== uncompressed && !hasMasks) {
      throw unreadableDocument('it is compressed in a way that is not read: save it as a PNG');
    }
    if (depth === 24) {
      return (row, x) => {
        const at = row + 3 * x;
        return rgbToGrey(file[at + 2] ?? 0, file[at + 1] ?? 0, file[at] ?? 0);
      };
    }
    if (depth === 1 || depth === 4 || depth === 8) return this.greyOfPalette();
    const usual = usualMasks[depth];
    if (!usual) throw damaged();
    return this.greyOfMasks(hasMasks ? [54, 58, 62].map((at) => file.readUInt32LE(at)) : usual);
  }

  private greyOfPalette(): (row: number, x: number) => number {
    const { file, depth } = this;
    const entryBytes = this.isOld ? 3 : 4;
    const palette = Array.from({ length: 2 ** depth }, (_, index) => {
      const at = 14 + this.headerBytes + entryBytes * index;
      return rgbToGrey(file[at + 2] ?? 0, file[at + 1] ?? 0, file[at] ?? 0);
    });
    const perByte = 8 / depth;
    const mask = 2 ** depth - 1;
    return (row, x) => {
      const byte = file[row + Math.floor(x / perByte)] ?? 0;
      return palette[(byte >> (8 - depth * ((x % perByte) + 1))) & mask] ?? 0;
    };
  }

  private greyOfMasks(masks: readonly number[]): (row: number, x: number) => number {
    const { file, depth } = this;
    const [red, green, blue] = masks.map((mask) => {
      const lowest = mask & -mask;
      const scale = lowest === 0 ? 0 : 255 / ((mask >>> 0) / (lowest >>> 0));
      return (pixel: number) => (((pixel & mask) >>> 0) / (lowest >>> 0 || 1)) * scale;
    });
    if (!red || !green || !blue) throw damaged();
    const bytes = depth / 8;
    return (row, x) => {
      const pixel = file.readUIntLE(row + bytes * x, bytes);
      return rgbToGrey(red(pixel), green(pixel), blue(pixel));
    };
  }
}

const damaged = (cause?: unknown) => unreadableDocument('its picture is damaged or cut off', cause);
