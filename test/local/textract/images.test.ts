import { describe, expect, it } from 'vitest';
import { type GreyImage, measurePaper, whiten } from '../../../lib/local/textract/grey-image.ts';
import { readImageHeader } from '../../../lib/local/textract/operation-request.ts';
import { eraseRules } from '../../../lib/local/textract/ruling-lines.ts';
import { jpegHeader } from '../../support/servers/textract.ts';

/** A white page with black rectangles. */
function drawn(...boxes: { x0: number; y0: number; x1: number; y1: number }[]): GreyImage {
  const [width, height] = [1_000, 600];
  const pixels = new Uint8Array(width * height).fill(255);
  for (const { x0, y0, x1, y1 } of boxes) {
    for (let y = y0; y < y1; y++) pixels.fill(0, y * width + x0, y * width + x1);
  }
  return { width, height, pixels };
}

const darkIn = ({ pixels }: GreyImage) => pixels.reduce((sum, grey) => sum + Number(grey < 128), 0);

describe('rules', () => {
  it('are found and whitened', () => {
    const image = drawn(
      { x0: 100, y0: 100, x1: 900, y1: 103 },
      { x0: 500, y0: 50, x1: 503, y1: 400 },
    );

    const rules = eraseRules(image);

    expect(rules).toHaveLength(2);
    expect(rules[0]?.x1).toBeGreaterThan(890);
    expect(darkIn(image)).toBe(0);
  });

  it('that are not quite level are one each', () => {
    const steps = Array.from({ length: 16 }, (_, step) => ({
      x0: 100 + step * 50,
      y0: 100 + step,
      x1: 150 + step * 50,
      y1: 103 + step,
    }));

    const rules = eraseRules(drawn(...steps));

    expect(rules).toHaveLength(1);
  });

  it('leave letters that touch them, and dark areas', () => {
    const letter = { x0: 300, y0: 80, x1: 305, y1: 120 };
    const area = { x0: 100, y0: 300, x1: 900, y1: 400 };
    const image = drawn({ x0: 100, y0: 100, x1: 900, y1: 103 }, letter, area);

    eraseRules(image);

    expect(darkIn(image)).toBe(5 * 40 + 800 * 100);
  });
});

describe('paper', () => {
  it('with grain becomes white, and ink stays dark', () => {
    const pixels = Uint8Array.from({ length: 100_000 }, (_, at) =>
      at % 50 === 0 ? 20 : 215 + ((at * 7_919) % 31) - 15,
    );
    const { paper, grain } = measurePaper(pixels);

    const whitened = whiten(pixels, paper);

    expect(grain).toBeGreaterThan(8);
    expect(whitened.filter((grey) => grey === 255).length).toBeGreaterThan(97_000);
    expect(whitened[50]).toBeLessThan(60);
  });
});

describe('an image header', () => {
  const png = Uint8Array.from([
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    ...[0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0x09, 0xb0, 0, 0, 0x0d, 0xb3],
  ]);
  const withComment = Uint8Array.from([
    0xff,
    0xd8,
    0xff,
    0xfe,
    0,
    4,
    1,
    2,
    ...jpegHeader().slice(2),
  ]);

  it.each([
    ['a JPEG', jpegHeader(2_480, 3_508), { format: 'jpeg', width: 2_480, height: 3_508 }],
    ['a JPEG with a comment', withComment, { format: 'jpeg', width: 1_000, height: 1_400 }],
    ['a PNG', png, { format: 'png', width: 2_480, height: 3_507 }],
  ])('of %s tells its size', (_what, bytes, header) => {
    expect(readImageHeader(bytes)).toEqual(header);
  });

  it.each([
    ['nothing', []],
    ['a JPEG that breaks off', [0xff, 0xd8, 0xff, 0xe0, 0, 200]],
    ['a JPEG without a frame', [0xff, 0xd8, 0xff, 0xd9, 0, 2, 0, 0]],
    ['a TIFF', [0x49, 0x49, 0x2a, 0, 8, 0, 0, 0]],
  ])('of %s is none', (_what, bytes) => {
    expect(readImageHeader(Uint8Array.from(bytes))).toBeUndefined();
  });
});
