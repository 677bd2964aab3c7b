import { describe, expect, it } from 'vitest';
import { placesOf } from '../../shared/extract/words/locate.ts';
import { readPage } from '../../shared/extract/words/read-page.ts';
import { pageOf, textPage } from './page-of.ts';

type Way = 'whole' | 'loose';

/** Returns the page's words where a quote stands, how, and what share of it. */
function shown(quote: string, text: string, way: Way = 'whole') {
  const page = readPage(textPage(1, text));
  return placesOf(page, quote, way).map(({ start, end, found, share }) => {
    const words = page.words.slice(start, end).map((word) => word.text);
    return [words.join(' '), found, Math.round(share * 1000) / 1000] as const;
  });
}
const words = (...asked: Parameters<typeof shown>) => shown(...asked).map(([text]) => text);

describe('a quote stands', () => {
  it.each<[string, string, string[]]>([
    ['at each place, from the top', 'Tea 2', ['Tea 2', 'Tea 2,']],
    ['within words that punctuation parts', 'Milk', ['Tea,Milk;Rum']],
    ['with the tick before it', '☒ Yes', ['☒ Yes']],
    ['with the dash before it', '- Rum', ['Tea,Milk;Rum', '- Rum']],
    ['with the signs after it', 'Rum — *', ['Tea,Milk;Rum', 'Rum — *']],
    ['without signs that it lacks', 'Rum', ['Tea,Milk;Rum', 'Rum']],
    ['as a sign of its own', '☒', ['☒']],
    ['nowhere as a sign within a word', ',', []],
    ['nowhere as nothing', ' ', []],
    ['nowhere past its page’s end', 'Rum — * Tea', []],
  ])('%s: %j', (_, quote, places) => {
    const text = 'Tea 2 and Tea 2, not Tea 22\nTea,Milk;Rum ☒ Yes ☐ No\nmore - Rum — *';

    expect(words(quote, text)).toEqual(places);
  });

  it('exactly or in another form', () => {
    expect(shown('Tea 2', 'Tea 2')).toEqual([['Tea 2', 'exact', 1]]);
    expect(shown('tea  2', 'Tea 2')).toEqual([['Tea 2', 'normalized', 1]]);
    expect(shown('“Tea” 1234,50 EUR', 'Tea 1.234,50 €')).toEqual([
      ['Tea 1.234,50 €', 'normalized', 1],
    ]);
  });

  it.each([
    ['aba', 'a b a b a', ['a b a', 'a b a']],
    ['ab ab ac', 'ab ab ab ac', ['ab ab ac']],
    ['aab', 'a a a b', ['a a b']],
  ])('%j in %j also where it begins within itself', (quote, text, places) => {
    expect(words(quote, text)).toEqual(places);
  });

  it.each([
    ['1234', '1 234', true],
    ['1 234', '1234', true],
    ['1234567', '1 234 567', true],
    ['12 345', '12345', true],
    ['123 456', '123456', true],
    ['1234', '12 34', false],
    ['1234567', '1234 567', false],
    ['12345', '1 2345', false],
    ['Item 1 2026', 'Item 12026', false],
    ['DE89370400440532013000', 'DE89 3704 0044 0532 0130 00', true],
    ['1234567890', '12 34 56 78 90', true],
    ['1234567890', '12345 67890', true],
    ['123456789', '12345 6789', false],
    ['1234567890', '1 234567890', false],
    ['1234567890', '123456789 0', false],
    ['A 12 34 56 78', 'A 1234 5678', false],
    ['room 12 34', 'room 12 34', true],
  ])('%j in %j by how its digits are parted: %j', (quote, text, isThere) => {
    expect(words(quote, text)).toEqual(isThere ? [text] : []);
  });

  it.each([
    ['Invoice 1050', 'lnvoice 1O5O', 0.727],
    ['modern', 'rnodern', 0.833],
    ['Service', '5ervice', 0.857],
    ['Bob', 'B0b', 0.667],
    ['Robot', 'Ro8ot', 0.8],
    ['corner', 'comer', 0.667],
    ['Bill 08', 'BiII O8', 0.5],
    ['Sole', '5013', 0.25],
    ['solo5', 's0lo5', 0.8],
    ['oil', '01l', 0.333],
    ['tool', 't0ol', 0.75],
  ])(
    '%j in %j though OCR took signs for each other, if two thirds are the same',
    (quote, text, share) => {
      const places = shown(quote, text);

      if (share < 0.66) expect(places).toEqual([]);
      else expect(places).toEqual([[text, 'normalized', share]]);
    },
  );

  it('up to 5,000 characters', () => {
    const quote = (length: number) => `${'tea '.repeat(length / 4 - 1)}team`;

    expect(shown(quote(5_000), `${quote(5_000)} end`)).toHaveLength(1);
    expect(shown(`x${quote(5_000)}`, `x${quote(5_000)} end`)).toEqual([]);
  });
});

describe('most of a quote stands', () => {
  const text =
    'Date Details Amount\n05.01.2026 Coffee Corner Leeds 3.20\n06.01.2026 Rent for May 950.00';

  it.each<[string, string, string[]]>([
    [
      'in another order',
      '3.20 Coffee Corner Leeds 05.01.2026',
      ['05.01.2026 Coffee Corner Leeds 3.20'],
    ],
    ['with a date in another form', '2026-01-05 Coffee Leeds', ['05.01.2026 Coffee Corner Leeds']],
    ['without three quarters of its signs nowhere', 'Coffee Corner York Minster', []],
    ['with three quarters', 'Coffee Corner abcd', ['Coffee Corner']],
    ['without three words nowhere', 'Corner Coffee', []],
    ['without three words of letters nowhere', 'Corner — Coffee', []],
    ['not in words too far apart', 'Date Rent 950.00', []],
  ])('%s: %j', (_, quote, places) => {
    expect(words(quote, text, 'loose')).toEqual(places);
  });

  it('with its share of signs, the likest first, no place twice', () => {
    const rows = 'Tea green 2.00 4.00\nTea green 3.00 5.00\nTea black 2.00 4.00';

    expect(shown('green Tea 2.00 4.00', rows, 'loose')).toEqual([
      ['Tea green 2.00 4.00', 'normalized', 1],
      ['green 3.00 5.00 Tea black 2.00', 'normalized', 0.75],
    ]);
    expect(words('green Tea 3.00 9.00', rows, 'loose')).toEqual(['Tea green 3.00']);
  });

  it('in one line rather than in two', () => {
    const rows = 'Tea 1.00\nMilk 2.00\nTea Milk 2.00';

    expect(words('Milk Tea 2.00', rows, 'loose')[0]).toBe('Tea Milk 2.00');
  });

  it('at 20 places at most', () => {
    const rows = Array.from({ length: 30 }, () => 'Tea green two').join('\n');

    expect(words('two green Tea', rows, 'loose')).toHaveLength(20);
  });

  it('each beside the next', () => {
    const rows = 'Tea green two\nTea green two\nTea green two';

    expect(words('two green Tea', rows, 'loose')).toEqual(rows.split('\n'));
  });

  it('up to 300 words', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`);
    const page = many(400).join(' ');

    expect(words(many(300).toReversed().join(' '), page, 'loose')).toHaveLength(1);
    expect(words(many(301).toReversed().join(' '), page, 'loose')).toEqual([]);
  });
});

it('words stand in a line from left to right at one height, at least by half of the lower one', () => {
  const page = pageOf(1, [['a', 'b', 'c']]);
  const at = (tops: [left: number, top: number, bottom: number][]) => {
    const words = page.words.map((word, n) => {
      const [left, top, bottom] = tops[n] as [number, number, number];
      return { ...word, box: [left, top, left + 50, bottom] as const };
    });
    return readPage({ ...page, words }).words.map(({ line }) => line);
  };

  expect(
    at([
      [10, 20, 32],
      [100, 24, 36],
      [200, 26, 38],
    ]),
  ).toEqual([0, 0, 0]);
  expect(
    at([
      [10, 20, 32],
      [100, 26, 38],
      [200, 33, 45],
    ]),
  ).toEqual([0, 0, 1]);
  expect(
    at([
      [10, 20, 60],
      [100, 20, 32],
      [100, 40, 52],
    ]),
  ).toEqual([0, 0, 1]);
  expect(
    at([
      [10, 20, 32],
      [9, 20, 32],
      [9, 20, 32],
    ]),
  ).toEqual([0, 1, 1]);
});

it('a table’s cells stand in their columns, its rule is no row, and a bar may be a sign', () => {
  const text = '| Name | Sum |\n|:--|--:|\n| a \\| b | 1 |\n x | y ';
  const page = { ...textPage(1, ''), words: [{ text: 'Lone', box: null, confidence: null }] };

  expect(
    readPage(textPage(1, text)).words.map(({ text: word, line, across }) => [
      word,
      line,
      across?.[0],
    ]),
  ).toEqual([
    ...[
      ['Name', 0, 0],
      ['Sum', 0, 100],
    ],
    ...[
      ['a', 2, 0],
      ['\\|', 2, 0],
      ['b', 2, 0],
      ['1', 2, 100],
    ],
    ...[
      ['x', 3, undefined],
      ['|', 3, undefined],
      ['y', 3, undefined],
    ],
  ]);
  expect(readPage(page).words).toMatchObject([{ text: 'Lone', line: 0 }]);
});
