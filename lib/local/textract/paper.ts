/** From this on, Tesseract takes the paper's grain for ink, and reads nothing. */
export const coarseGrain = 8;

/** Of pixels enough to know the paper by. */
const sampleStep = 101;

/** The grey that most of a page has, and how far its pixels are from it, as a standard deviation. */
export function measurePaper(pixels: Uint8Array): { paper: number; grain: number } {
  const length = Math.ceil(pixels.length / sampleStep);
  const sample = Uint8Array.from({ length }, (_, index) => pixels[index * sampleStep] ?? 0).sort();
  const paper = middleOf(sample);
  const grain = 1.4826 * middleOf(sample.map((grey) => Math.abs(grey - paper)).sort());
  return { paper, grain };
}

/** Makes paper white, in place; what is darker is stretched between black and white. */
export function whiten(pixels: Uint8Array, paper: number): Uint8Array {
  const { grain } = measurePaper(pixels);
  const white = Math.max(64, paper - 3 * grain);
  const shades = Uint8Array.from({ length: 256 }, (_, grey) => Math.min(255, (grey * 255) / white));
  for (let at = 0; at < pixels.length; at++) pixels[at] = shades[pixels[at] as number] as number;
  return pixels;
}

const middleOf = (sorted: Uint8Array) => sorted[sorted.length >> 1] ?? 255;
