import type Vips from 'wasm-vips';

/** What the OCR engine takes in one call. */
export const largestSide = 10_000;
export const largestPixels = 64_000_000;
const largestBytes = 5_000_000;

/** Good enough for print of any size first; then what a very noisy page needs to fit. */
const qualities = [85, 65, 45, 25];

/** A grey JPEG under 5 MB; an image that no quality brings under it is made smaller. */
export function encodeJpeg(image: Vips.Image): Uint8Array {
  for (const Q of qualities) {
    const jpeg = image.jpegsaveBuffer({ Q, keep: 'none' });
    if (jpeg.length < largestBytes) return jpeg;
  }
  using smaller = image.resize(0.7);
  return encodeJpeg(smaller);
}

/** By how much an image has to shrink to be taken, at most 1. */
export function scaleToFit(width: number, height: number): number {
  return Math.min(
    1,
    largestSide / Math.max(width, height),
    Math.sqrt(largestPixels / (width * height)),
  );
}
