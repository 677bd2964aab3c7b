import { describe, expect, it } from 'vitest';
import {
  decodeGrey,
  type GreyImage,
  measurePaper,
  whiten,
} from '../../../lib/local/textract/grey-image.ts';
import { eraseRules } from '../../../lib/local/textract/ruling-lines.ts';
import { loadVips } from '../../../shared/documents/vips.ts';

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

describe('an image', () => {
  const blank = async (format: string, width: number) => {
    const vips = await loadVips();
    const image = vips.Image.black(width, 60);
    const bytes = image.writeToBuffer(format);
    image.delete();
    return bytes;
  };

  it.each(['.jpg', '.png'])(
    'in the format %s is decoded, a small one at twice its size',
    async (format) => {
      const { width, height } = await decodeGrey(await blank(format, 80));

      expect([width, height]).toEqual([160, 120]);
    },
  );

  it.each(['.gif', '.tif', '.webp'])('in the format %s is refused', async (format) => {
    const decoded = decodeGrey(await blank(format, 80));

    await expect(decoded).rejects.toMatchObject({ type: 'UnsupportedDocumentException' });
  });

  it.each([
    ['text', 'Hello'],
    ['a PDF', '%PDF-1.7 and more'],
  ])('that is %s is refused', async (_, text) => {
    const decoded = decodeGrey(new TextEncoder().encode(text));

    await expect(decoded).rejects.toMatchObject({ type: 'UnsupportedDocumentException' });
  });

  it('of more than 10,000 pixels a side is refused', async () => {
    const decoded = decodeGrey(await blank('.png', 10_001));

    await expect(decoded).rejects.toMatchObject({ type: 'BadDocumentException' });
  });
});
