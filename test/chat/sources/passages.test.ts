import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pickPassages } from '../../../shared/chat/sources/passages.ts';

const filler = (word: string, paragraphs: number) =>
  Array.from({ length: paragraphs }, (_, n) => `${word} ${n} `.repeat(60).trim()).join('\n\n');
const tokensIn = (passages: { text: string }[]) =>
  passages.reduce((sum, { text }) => sum + Math.ceil(Buffer.byteLength(text) / 4), 0);

describe('of texts that fit', () => {
  it('all is returned, in order', () => {
    const sources = [
      { n: 2, text: 'first\n\nsecond' },
      { n: 1, text: 'third' },
    ];

    expect(pickPassages(sources, ['nothing'], 100)).toEqual([
      { n: 2, text: 'first\n\nsecond' },
      { n: 1, text: 'third' },
    ]);
  });

  it.each([
    ['no sources', []],
    ['an empty text', [{ n: 1, text: '' }]],
    ['white space', [{ n: 1, text: ' \n\n \n' }]],
  ])('nothing is returned for %s', (_, sources) => {
    expect(pickPassages(sources, ['lamp'])).toEqual([]);
  });
});

describe('of texts that are too long', () => {
  const long = `${filler('oil', 40)}\n\nThe brass lamp costs twelve pounds.\n\n${filler('wick', 40)}\n\nIts handle has two bends.\n\n${filler('glass', 40)}`;

  it('the passages that say most are picked, in the order of the text', () => {
    const picked = pickPassages([{ n: 1, text: long }], ['handle bends', 'brass lamp cost'], 1_000);

    const text = picked.map((passage) => passage.text).join('\n');
    expect(text).toMatch(/brass lamp costs.*two bends/s);
    expect(tokensIn(picked)).toBeLessThanOrEqual(1_000);
  });

  it('each source is among them, with its best passage or its first', () => {
    const sources = [
      { n: 1, text: long },
      { n: 2, text: filler('canvas', 50) },
      { n: 3, text: `${filler('curtain', 50)}\n\nA lamp of tin.` },
    ];

    const picked = pickPassages(sources, ['lamp'], 1_200);

    expect([...new Set(picked.map(({ n }) => n))]).toEqual([1, 2, 3]);
    expect(picked.find(({ n }) => n === 2)?.text).toContain('canvas 0');
    expect(picked.filter(({ n }) => n === 3).at(-1)?.text).toContain('A lamp of tin.');
  });

  it.each([[[]], [['']], [['?!']], [['unheard']]])(
    'without a match for %j, how each begins',
    (queries) => {
      const sources = [
        { n: 1, text: filler('oil', 40) },
        { n: 2, text: filler('wick', 40) },
      ];

      const picked = pickPassages(sources, queries, 1_500);

      expect(picked.map(({ n }) => n)).toEqual([1, 1, 1, 2, 2, 2]);
      expect(picked[0]?.text).toContain('oil 0');
      expect(picked.find(({ n }) => n === 2)?.text).toContain('wick 0');
    },
  );

  it('words of scripts without spaces are found', () => {
    const text = `${'油壺。'.repeat(400)}\n\n真鍮のランプは十二ポンドです。\n\n${'硝子。'.repeat(400)}`;

    const picked = pickPassages([{ n: 1, text }], ['真鍮'], 400);

    expect(picked.map((passage) => passage.text).join()).toContain('真鍮のランプ');
  });

  it('a plural is found by its singular', () => {
    const text = `${filler('oil', 40)}\n\nForty lanterns.\n\n${filler('wick', 40)}`;

    const picked = pickPassages([{ n: 1, text }], ['lantern'], 600);

    expect(picked.map((passage) => passage.text).join()).toContain('Forty lanterns.');
  });
});

describe('a passage', () => {
  const split = (text: string) => pickPassages([{ n: 1, text }], [], 1_000_000).map((p) => p.text);

  it('holds short paragraphs that follow each other', () => {
    expect(split('one\n\ntwo\n \nthree')).toEqual(['one\n\ntwo\n\nthree']);
  });

  it('of a long paragraph ends with a line, a sentence or a word', () => {
    const row = `| ${'x'.repeat(80)} |`;
    const sentence = `${'Wick '.repeat(20).trim()}.`;

    for (const passage of split(Array(40).fill(row).join('\n'))) expect(passage).toMatch(/\|$/);
    for (const passage of split(Array(40).fill(sentence).join(' '))) expect(passage).toMatch(/\.$/);
    for (const passage of split('wick '.repeat(1_000))) expect(passage).toMatch(/^wick.*wick$/);
  });

  it('loses nothing but white space, and is never too long', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '\n\n', '. ', '😀', 'word '.repeat(50)),
      maxLength: 200,
    });
    fc.assert(
      fc.property(text, (whole) => {
        const passages = split(whole);

        expect(passages.join('').replace(/\s/g, '')).toBe(whole.replace(/\s/g, ''));
        for (const passage of passages) {
          expect(passage.length).toBeLessThanOrEqual(1_200);
          expect(passage.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});

it('the budget is kept, whatever the texts and the queries are', () => {
  const text = fc.string({
    unit: fc.constantFrom('lamp ', 'wick. ', 'é', '字', '\n\n'),
    maxLength: 3_000,
  });
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 4 }),
      fc.array(fc.constantFrom('lamp', 'wick', '字', '')),
      fc.integer({ min: 0, max: 2_000 }),
      (texts, queries, maxTokens) => {
        const sources = texts.map((each, index) => ({ n: index + 1, text: each }));

        const picked = pickPassages(sources, queries, maxTokens);

        expect(tokensIn(picked)).toBeLessThanOrEqual(maxTokens);
        expect(picked.map(({ n }) => n)).toEqual(
          picked.map(({ n }) => n).toSorted((a, b) => a - b),
        );
      },
    ),
    { numRuns: 50 },
  );
});

it('megabytes take about a second', () => {
  const words = Array.from({ length: 5_000 }, (_, n) => `word${(n * 7_919) % 5_000}`).join(' ');
  const text = Array(10).fill(words).join('\n\n').slice(0, 400_000);
  const sources = Array.from({ length: 6 }, (_, n) => ({ n, text }));
  const start = performance.now();

  pickPassages(sources, ['word17 word4242', 'word99']);

  expect(performance.now() - start).toBeLessThan(15_000);
});
