import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { characterErrorRate } from '../support/fixtures/scans.ts';

/** Levenshtein's distance, the plain way. */
function distance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...from].entries()) {
    const next = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const changed = (above[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (next[column] ?? 0) + 1, (above[column + 1] ?? 0) + 1));
    }
    above = next;
  }
  return above[to.length] ?? 0;
}

it('counts wrongly read characters as Levenshtein does', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 150 });
  fc.assert(
    fc.property(words, words, (from, to) => {
      expect(characterErrorRate(from, to) * from.length).toBeCloseTo(distance(from, to));
    }),
  );
});

it('counts line ends as spaces', () => {
  expect(characterErrorRate('one two\nthree', ' one\n\ntwo  three ')).toBe(0);
  expect(characterErrorRate('', '')).toBe(0);
  expect(characterErrorRate('abcd', '')).toBe(1);
});
