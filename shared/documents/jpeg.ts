import type Vips from 'wasm-vips';
import { maxPictureBytes } from '../http/bounds.ts';

/**
 * What Textract takes in one call.
 * @see https://docs.aws.amazon.com/textract/latest/dg/limits-document.html
 * @see https://docs.aws.amazon.com/textract/latest/dg/API_Document.html
 */
const maxSidePixels = 10_000;
/** 64 MB of memory: a page is drawn with a byte for each pixel. */
const maxPixels = 64_000_000;

/** The first is good enough for print of any size; the others are for very noisy pages. */
const qualities = [85, 65, 45, 25];

/** Returns a grey image as a JPEG under 5 MB. It is made smaller if no quality brings it under that. */
export function encodeJpeg(image: Vips.Image): Uint8Array {
  for (const Q of qualities) {
    const jpeg = image.jpegsaveBuffer({ Q, keep: 'none' });
    if (jpeg.length < maxPictureBytes) return jpeg;
  }
  using smaller = image.resize(0.7);
  return encodeJpeg(smaller);
}

/** Returns the factor by which an image of this size must shrink to be within limits, at most 1. */
export function scaleToFit(width: number, height: number): number {
  return Math.min(
    1,
    maxSidePixels / Math.max(width, height),
    Math.sqrt(maxPixels / (width * height)),
  );
}
