import type { SourcePage } from '../../shared/extract/words/page.ts';

const lefts = [60, 200, 700, 820];

/** Makes a page of lines, each with its cells in columns. */
export function pageOf(page: number, lines: readonly (readonly string[])[]): SourcePage {
  const words = lines.flatMap((cells, line) =>
    cells.flatMap((cell, column) =>
      (cell.match(/\S+/g) ?? []).map((text, n) => {
        const left = (lefts[column] as number) + n * 90;
        const top = 20 + line * 20;
        return { text, box: [left, top, left + 80, top + 12] as const, confidence: 90 };
      }),
    ),
  );
  const text = lines.map((cells) => cells.join(' ')).join('\n');
  return { page, status: 'read', source: 'ocr', text, words, confidence: 90 };
}

/** Makes a page of which only the text is known. */
export const textPage = (page: number, text: string): SourcePage => ({
  ...{ page, status: 'read', source: 'text_layer', text, words: [], confidence: null },
});
