import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CitationFilter, numbersIn } from '../../../shared/chat/sources/citations.ts';

/** Sends a text through a filter that knows sources 1 to `known`, cut into pieces. */
function filtered(pieces: string[], known = 3): string {
  const filter = new CitationFilter((n) => (n >= 1 && n <= known ? n : undefined));
  return pieces.map((piece) => filter.push(piece)).join('') + filter.rest();
}

describe('a citation', () => {
  it.each([
    ['of a source is kept', 'It is so [1].', 'It is so [1].'],
    ['of no source is dropped with its space', 'It is so [9].', 'It is so.'],
    ['without a space is dropped alone', 'It is so[9].', 'It is so.'],
    ['of several keeps those that there are', 'So [1, 9, 3].', 'So [1][3].'],
    ['of a range is spelled out', 'So [1-3].', 'So [1][2][3].'],
    ['of a range ends with the sources', 'So [2–7].', 'So [2][3].'],
    ['of zero is none', 'So [0].', 'So.'],
    ['beside another is kept by itself', 'So [1][9][2].', 'So [1][2].'],
    ['at the end of the text is kept', 'So [2]', 'So [2]'],
    ['that is never closed stays as it is', 'So [2', 'So [2'],
  ])('%s', (_, text, expected) => {
    expect(filtered([text])).toBe(expected);
  });

  it.each([
    ['a word in brackets', 'See [the docs] and [x] and [12a].'],
    ['a link', 'See [the site](https://example.com/a[9]b).'.replace('[9]', '')],
    ['a year', 'It was so [2024].'],
    ['inline code', 'Write `list[9]` and `[8]`.'],
    ['a code block', 'Write:\n\n```js\nlist[9] = other[8]\n\n[7]\n```\n'],
  ])('is not %s', (_, text) => {
    expect(filtered([text])).toBe(text);
  });

  it('is one again after code, and after a paragraph whose backtick was never closed', () => {
    expect(filtered(['`a[9]` but [9] so'])).toBe('`a[9]` but so');
    expect(filtered(['a ` b [9]\n\nc [9].'])).toBe('a ` b [9]\n\nc.');
  });
});

describe('a filter', () => {
  const text = 'One [1], two[2, 9] and `[9]` ```\n[9]\n``` three [ 3 ] four [9][1-2].\n\n- [x] [8]';

  it('gives the same for a text however it is cut', () => {
    const whole = filtered([text]);
    const cuts = fc.array(fc.nat(text.length), { maxLength: 30 });
    fc.assert(
      fc.property(cuts, (places) => {
        const edges = [0, ...places.sort((a, b) => a - b), text.length];
        const pieces = edges.slice(1).map((edge, index) => text.slice(edges[index], edge));
        expect(filtered(pieces)).toBe(whole);
      }),
    );
  });

  it('changes nothing but citations', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (pieces) => {
        const text = pieces.join('');
        fc.pre(!/\[[\d\s,–-]+\]/.test(text));
        expect(filtered(pieces)).toBe(text);
      }),
    );
  });

  it('holds nothing back but what may be a citation', () => {
    const filter = new CitationFilter((n) => n);
    expect(filter.push('It is')).toBe('It is');
    expect(filter.push(' so [')).toBe(' so');
    expect(filter.push('1')).toBe('');
    expect(filter.push('] and')).toBe(' [1] and');
    expect(filter.push(' [12 apples')).toBe(' [12 apples');
  });

  it('numbers sources anew', () => {
    const numbers = new Map([
      [4, 1],
      [2, 2],
    ]);
    const filter = new CitationFilter((n) => numbers.get(n));
    expect(filter.push('a [4] b [2] c [1].') + filter.rest()).toBe('a [1] b [2] c.');
  });
});

describe('numbersIn', () => {
  it('lists what a citation names', () => {
    expect(numbersIn('[1, 3-5]')).toEqual([1, 3, 4, 5]);
  });

  it('takes no more than twenty of a range', () => {
    expect(numbersIn('[1-999]')).toHaveLength(20);
  });
});
