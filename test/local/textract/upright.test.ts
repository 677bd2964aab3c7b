import { expect, it } from 'vitest';
import { blocksOf } from '../../../lib/local/textract/blocks.ts';
import type { RecognizedPage } from '../../../lib/local/textract/recognized-page.ts';
import { type QuarterTurns, readUpright } from '../../../lib/local/textract/upright.ts';

interface Reading {
  confidence: number;
  isUpended?: boolean;
}

/** A page of one word. */
function pageOf({ confidence, isUpended = false }: Reading): RecognizedPage {
  const box = { x0: 100, y0: 200, x1: isUpended ? 120 : 180, y1: isUpended ? 280 : 220 };
  const words = [{ text: 'breakwater', confidence, box }];
  return {
    width: 1_000,
    height: 1_400,
    blocks: [{ kind: 'text', box, paragraphs: [[{ words }]] }],
  };
}

/** Reads a page whose readings are given by how it is turned; returns which were made, and which was taken. */
async function readingsOf(readings: Partial<Record<QuarterTurns, Reading>>) {
  const made: number[] = [];
  const pages = new Map<RecognizedPage, number>();
  const taken = await readUpright(async (turns) => {
    const page = pageOf(readings[turns] ?? { confidence: 10 });
    made.push(turns);
    pages.set(page, turns);
    return page;
  });
  return { made, taken: pages.get(taken) };
}

it.each<[string, Partial<Record<QuarterTurns, Reading>>, number[], number]>([
  ['upright is read once', { 0: { confidence: 70 } }, [0], 0],
  ['on its head is turned', { 0: { confidence: 30 }, 2: { confidence: 90 } }, [0, 2], 2],
  ['read badly either way stays', { 0: { confidence: 40 }, 2: { confidence: 35 } }, [0, 2], 0],
  [
    'turned to the right is turned back',
    { 0: { confidence: 90, isUpended: true }, 3: { confidence: 90 } },
    [0, 3],
    3,
  ],
  [
    'turned to the left is turned back',
    { 0: { confidence: 30, isUpended: true }, 1: { confidence: 90 } },
    [0, 1],
    1,
  ],
  [
    'on its side and read badly either way has the surer reading',
    { 0: { confidence: 50, isUpended: true }, 1: { confidence: 30 }, 3: { confidence: 50 } },
    [0, 1, 3],
    3,
  ],
])('a page %s', async (_, readings, made, taken) => {
  expect(await readingsOf(readings)).toEqual({ made, taken });
});

it('an empty page is read once', async () => {
  let count = 0;
  const empty = { width: 100, height: 100, blocks: [] };

  const page = await readUpright(async () => {
    count += 1;
    return empty;
  });

  expect({ page, count }).toEqual({ page: empty, count: 1 });
});

it.each<[QuarterTurns, { X: number; Y: number }, { X: number; Y: number }]>([
  [0, { X: 0.1, Y: 1 / 7 }, { X: 0.18, Y: 1 / 7 }],
  [1, { X: 1 / 7, Y: 0.9 }, { X: 1 / 7, Y: 0.82 }],
  [2, { X: 0.9, Y: 6 / 7 }, { X: 0.82, Y: 6 / 7 }],
  [3, { X: 6 / 7, Y: 0.1 }, { X: 6 / 7, Y: 0.18 }],
])(
  'what was read after %i quarter turns has its places on the image as it was sent',
  (quarterTurns, start, end) => {
    const blocks = blocksOf({ ...pageOf({ confidence: 90 }), quarterTurns }, []);

    const word = blocks.find(({ BlockType }) => BlockType === 'WORD');
    const [first, second] = word?.Geometry?.Polygon ?? [];
    expect(first?.X).toBeCloseTo(start.X);
    expect(first?.Y).toBeCloseTo(start.Y);
    expect(second?.X).toBeCloseTo(end.X);
    expect(second?.Y).toBeCloseTo(end.Y);
  },
);
