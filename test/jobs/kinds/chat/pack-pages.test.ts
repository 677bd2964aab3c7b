import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packPages } from '../../../../shared/jobs/kinds/chat/pack-pages.ts';
import { estimateTokens } from '../../../../shared/models/token-bounds.ts';

const inked = (text: string) => text.replace(/\s/g, '');

describe('packing pages', () => {
  const page = fc.string({
    unit: fc.oneof(fc.constantFrom(' ', '\n', '\n\n', 'word', 'ü', '漢', '😀'), fc.string()),
    maxLength: 60,
  });
  const pages = fc.array(page, { maxLength: 12 });
  const room = fc.integer({ min: 1, max: 40 });

  it('keeps all text, in its order', () => {
    fc.assert(
      fc.property(pages, room, (given, tokens) => {
        const packed = packPages(given, tokens);

        expect(inked(packed.map(({ text }) => text).join(''))).toBe(inked(given.join('')));
      }),
    );
  });

  it('cuts no character in two', () => {
    fc.assert(
      fc.property(pages, room, (given, tokens) => {
        const packed = packPages(given, tokens);

        expect(packed.filter(({ text }) => !text.isWellFormed())).toEqual([]);
      }),
    );
  });

  it('makes no part larger than the room, unless a single character is', () => {
    fc.assert(
      fc.property(pages, room, (given, tokens) => {
        for (const { text } of packPages(given, tokens)) {
          expect(estimateTokens(text) <= tokens || [...text].length === 1).toBe(true);
        }
      }),
    );
  });

  it('says which pages a part holds, one after the other', () => {
    fc.assert(
      fc.property(fc.array(page, { minLength: 1, maxLength: 12 }), room, (given, tokens) => {
        const packed = packPages(given, tokens);

        expect(packed[0]?.first).toBe(1);
        expect(packed.at(-1)?.last).toBe(given.length);
        for (const [index, { first, last }] of packed.entries()) {
          expect(first).toBeLessThanOrEqual(last);
          const before = packed[index - 1]?.last;
          if (before !== undefined) expect(first - before).toBeOneOf([0, 1]);
        }
      }),
    );
  });

  it('puts whole pages together where they fit, and divides none that fits', () => {
    const [short, long] = ['a'.repeat(40), 'b'.repeat(80)];

    const packed = packPages([short, short, long, short], 25);

    expect(packed).toEqual([
      { text: `${short}\n\n${short}`, first: 1, last: 2 },
      { text: long, first: 3, last: 3 },
      { text: short, first: 4, last: 4 },
    ]);
  });

  it('divides a page that is too long between its paragraphs', () => {
    const [one, other] = ['a '.repeat(30).trim(), 'b '.repeat(30).trim()];

    const packed = packPages([`${one}\n\n${other}`], 16);

    expect(packed.map(({ text }) => text)).toEqual([one, other]);
  });
});
