import type { PoisonedPage } from '../support/fixtures/poison.ts';

/** A page of so many lines of text, written from the bottom up, six points apart. */
export const linesPage =
  (lines: number) =>
  (first: number): PoisonedPage => {
    const line = (_: unknown, n: number) => `BT /F1 4 Tf 10 ${6 * n} Td (line) Tj ET`;
    return {
      content: Array.from({ length: lines }, line).join('\n'),
      resources: `/Font<</F1 ${first} 0 R>>`,
      objects: ['<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'],
    };
  };
