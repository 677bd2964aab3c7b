import { describe, expect, it } from 'vitest';
import { plainText } from '../../shared/ocr/layout.ts';
import { wordsOf } from '../../shared/ocr/words.ts';
import { columnBlocks, lineBlocks, turned } from '../support/fixtures/blocks.ts';

const height = 1.4;

describe('the words of a page', () => {
  it('have their places in per mille of the page, and how sure their reading is', () => {
    const blocks = lineBlocks('One line', [0.1, 0.25, 0.5], 93.456);

    expect(wordsOf(blocks, height)).toEqual({
      words: [
        { text: 'One', box: [100, 250, 300, 270], confidence: 93.5 },
        { text: 'line', box: [300, 250, 500, 270], confidence: 93.5 },
      ],
      turn: 0,
    });
  });

  it('come in the order of its text', () => {
    const left = ['The committee met in the town hall', 'on Thursday evening to consider the'];
    const right = ['The engineer told of the eastern', 'breakwater, which was damaged by'];
    const blocks = Array.from({ length: 4 }, (_, at) => [
      ...lineBlocks(left[at % 2] ?? '', [0.1, 0.2 + at * 0.025, 0.46]),
      ...lineBlocks(right[at % 2] ?? '', [0.54, 0.201 + at * 0.025, 0.9]),
    ]).flat();

    const { words } = wordsOf(blocks, Math.SQRT2);

    expect(words.map(({ text }) => text)).toEqual(plainText(blocks).text.split(/\s+/));
    expect(words[7]?.text).toBe('on');
  });

  it.each([
    [1, 270],
    [2, 180],
    [3, 90],
  ])(
    'of a page that lies turned by %i quarters are placed as if it stood upright',
    (quarters, turn) => {
      const upright = columnBlocks(['Some words that', 'stand on a page'], [0.1, 0.2, 0.6]);
      const { words } = wordsOf(upright, height);

      const lying = wordsOf(turned(upright, quarters), quarters % 2 ? 1 / height : height);

      expect(lying).toEqual({ words, turn });
    },
  );

  it('are none on an empty page', () => {
    expect(wordsOf([], height)).toEqual({ words: [], turn: 0 });
  });
});
