/** Tesseract takes a grain of this much or more for ink, and reads nothing. */
export const coarseGrain = 8;

/** One pixel in so many is measured. The number is prime, so that the samples don't line up in columns. */
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
