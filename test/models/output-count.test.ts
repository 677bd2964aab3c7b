import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LeastTokens } from '../../shared/models/output-count.ts';
import { countTokens } from '../support/fixtures/tokens.ts';

function leastOf(...pieces: string[]): number {
  const least = new LeastTokens();
  for (const piece of pieces) least.add(piece);
  return least.count;
}

const aText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc
    .array(
      fc.constantFrom(
        ...['a', ' a', 'word ', "don't ", '\n', '\t', '    ', '\u3000', ' हिन्दी', 'สวัสดี'],
        ...[
          '{"',
          '":"',
          '的',
          '习近平新时代中国特色社会主义思想',
          'ありがとうございました',
          '안녕',
        ],
        ...[
          'สำนักเลขานุการองค์กร',
          '🏳️‍🌈',
          '========',
          '0000000000',
          'abcdefghijklmnopqrstuvwxyz',
          '\ud800',
        ],
      ),
      { maxLength: 60, size: 'max' },
    )
    .map((parts) => parts.join('')),
);

it('never counts more tokens than GPT-4o’s tokenizer makes', () => {
  fc.assert(
    fc.property(aText, (text) => {
      expect(leastOf(text)).toBeLessThanOrEqual(countTokens(text));
    }),
    { numRuns: 2_000 },
  );
});

it('counts the same however a text is cut', () => {
  fc.assert(
    fc.property(fc.array(aText.filter((text) => text.isWellFormed())), (pieces) => {
      expect(leastOf(...pieces)).toBe(leastOf(pieces.join('')));
    }),
  );
});

it.each([
  ['nothing', '', 0],
  ['a word', 'word', 1],
  ['a piece without a letter', ' -- ', 1],
  ['words', 'Five words, and no more.', 5],
  ['25,000 words', 'word '.repeat(25_000), 25_000],
  ['2,400 letters of Chinese', '中文'.repeat(1_200), 100],
  ['a thousand spaces', ' '.repeat(1_000), 4],
])('of %s', (_, text, tokens) => {
  expect(leastOf(text)).toBe(tokens);
});
