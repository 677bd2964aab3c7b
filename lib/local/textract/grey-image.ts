import type Vips from 'wasm-vips';
import { TextractError, unsupportedDocument } from './textract-error.ts';
import type { QuarterTurns } from './upright.ts';

/** An image in shades of grey: one byte a pixel, row by row; 0 is black. */
export interface GreyImage {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** A narrower page is enlarged to twice its size: A4 then has under 150 dpi, which Tesseract reads badly. */
const minWidthPx = 1240;

/** @see https://docs.aws.amazon.com/textract/latest/dg/limits-document.html */
const maxSidePx = 10_000;

/** The names of quarter turns, by their number. */
const angles = ['d0', 'd90', 'd180', 'd270'] as const;

let loading: Promise<typeof Vips> | undefined;

function loadVips(): Promise<typeof Vips> {
  loading ??= startVips();
  return loading;
}

async function startVips(): Promise<typeof Vips> {
  const { default: start } = await import('wasm-vips');
  const vips = await start({ dynamicLibraries: [] });
  // A cache would only cost memory: no image comes twice.
  vips.Cache.max(0);
  return vips;
}

/**
 * Decodes a JPEG or PNG in grey, turned upright by its EXIF data, then by `turns`. Coarse paper is made white. Throws
 * `TextractError` for what Textract would refuse.
 */
export async function decodeGrey(image: Uint8Array, turns: QuarterTurns = 0): Promise<GreyImage> {
  const vips = await loadVips();
  const decoded: Vips.Image[] = [];
  const keep = (made: Vips.Image) => {
    decoded.push(made);
    return made;
  };
  try {
    const given = keep(vips.Image.newFromBuffer(image));
    requireReadable(given);
    const laid = keep(given.autorot());
    const upright = turns ? keep(laid.rot(angles[turns])) : laid;
    const opaque = upright.hasAlpha() ? keep(upright.flatten({ background: [255] })) : upright;
    const grey = keep(keep(opaque.colourspace('b-w')).cast('uchar'));
    const scaled = grey.width < minWidthPx ? keep(grey.resize(2)) : grey;
    const { width, height } = scaled;
    const pixels = scaled.writeToMemory() as Uint8Array;
    const { paper, grain } = measurePaper(pixels);
    if (grain < coarseGrain) return { width, height, pixels };
    const smooth = keep(scaled.gaussblur(1.2)).writeToMemory() as Uint8Array;
    return { width, height, pixels: whiten(smooth, paper) };
  } catch (error) {
    throw error instanceof TextractError ? error : unsupportedDocument();
  } finally {
    for (const made of decoded) made.delete();
  }
}

function requireReadable(image: Vips.Image): void {
  if (!/^(jpeg|png)load/.test(image.getString('vips-loader'))) throw unsupportedDocument();
  const { width, height } = image;
  if (Math.max(width, height) <= maxSidePx) return;
  throw new TextractError('BadDocumentException', `${width} × ${height} pixels are not read`);
}

/** Returns the image as a PGM file, which is written and read without compressing. */
export function toPgm({ width, height, pixels }: GreyImage): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels]);
}

/** Tesseract takes a grain of this much or more for ink, and reads nothing. */
const coarseGrain = 8;

/** Each 101st pixel is measured. The number is prime, so that the samples don't line up in columns. */
const sampleStep = 101;

/** Returns a page's usual grey, and its grain: the greys' standard deviation, estimated by a median that ink hardly moves. */
export function measurePaper(pixels: Uint8Array): { paper: number; grain: number } {
  const length = Math.ceil(pixels.length / sampleStep);
  const sample = Uint8Array.from({ length }, (_, index) => pixels[index * sampleStep] ?? 0).sort();
  const paper = middleOf(sample);
  const grain = deviationPerMedian * middleOf(sample.map((grey) => Math.abs(grey - paper)).sort());
  return { paper, grain };
}

/**
 * The factor from a normal distribution's median absolute deviation to its standard deviation.
 * @see https://en.wikipedia.org/wiki/Median_absolute_deviation
 */
const deviationPerMedian = 1.4826;

/** Makes paper white, in place, and stretches the darker greys to the whole range from black to white. */
export function whiten(pixels: Uint8Array, paper: number): Uint8Array {
  const { grain } = measurePaper(pixels);
  const white = Math.max(64, paper - 3 * grain);
  const shades = Uint8Array.from({ length: 256 }, (_, grey) => Math.min(255, (grey * 255) / white));
  for (let at = 0; at < pixels.length; at++) pixels[at] = shades[pixels[at] as number] as number;
  return pixels;
}

const middleOf = (sorted: Uint8Array) => sorted[sorted.length >> 1] ?? 255;
