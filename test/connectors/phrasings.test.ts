import fc from 'fast-check';
import { expect, it } from 'vitest';
import { phrasingsOf, quoted } from '../../shared/connectors/phrasings.ts';

it.each<[string, string[]]>([
  ['lamp', ['lamp']],
  ['brass lamp', ['brass lamp']],
  ['the brass lamp', ['the brass lamp', 'brass lamp']],
  [
    'When is the next meeting of the glass shop?',
    ['When is the next meeting of the glass shop', 'next meeting glass shop', 'next meeting glass'],
  ],
  [
    'Wer hat die Rechnung 4711 bezahlt?',
    ['Wer hat die Rechnung 4711 bezahlt', 'Rechnung 4711 bezahlt', 'Rechnung 4711'],
  ],
  ['who is it', ['who is it']],
  ['"brass lamp"', ['"brass lamp"']],
  ['the "brass lamp" price', ['the "brass lamp" price', '"brass lamp"', '"brass lamp" price']],
  ['“brass lamp”', ['"brass lamp"']],
  ['"lamp"', ['lamp']],
  ['an "open quote', ['an open quote', 'open quote']],
  [
    "O'Brien's e-mail of 1,250.50",
    ["O'Brien's e-mail of 1,250.50", "O'Brien's e-mail 1,250.50", "O'Brien's 1,250.50"],
  ],
  ['名前 ランプ', ['名前 ランプ']],
  ['?! -- ""', []],
  ['', []],
])('%j is asked for as %j', (query, phrasings) => {
  expect(phrasingsOf(query)).toEqual(phrasings);
});

it('a very long query is asked for by its first words', () => {
  const [first] = phrasingsOf('word '.repeat(1_000));

  expect(first?.split(' ')).toHaveLength(16);
});

it('whatever the query, no phrasing ends the value that it is put into', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'\'\\" ab') })),
      (query) => {
        const phrasings = phrasingsOf(query);

        expect(phrasings.length).toBeLessThanOrEqual(3);
        expect(new Set(phrasings).size).toBe(phrasings.length);
        for (const phrasing of phrasings) {
          expect(quoted(phrasing)).toMatch(/^'(?:\\.|[^'\\])*'$/su);
          expect((phrasing.match(/"/g) ?? []).length % 2).toBe(0);
        }
      },
    ),
  );
});

it('quotes and backslashes are escaped', () => {
  expect(quoted("a'b\\c")).toBe("'a\\'b\\\\c'");
});
