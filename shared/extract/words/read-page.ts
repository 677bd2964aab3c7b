import type { PageBox, PageWord, SourcePage } from './page.ts';

/** A word of a page, and which line it stands in. */
export interface LinedWord extends PageWord {
  line: number;
  /** Left and right: per mille, or where boxes aren't known a table's column. */
  across: readonly [number, number] | null;
}

export interface ReadPage {
  page: number;
  text: string;
  words: LinedWord[];
}

const read = new WeakMap<SourcePage, ReadPage>();

/** Returns a page's words by lines; for a page without places, the words of its text. */
export function readPage(page: SourcePage): ReadPage {
  const known = read.get(page);
  if (known) return known;
  const isPlaced = page.words.some(({ box }) => box);
  const words = isPlaced ? placedWords(page.words) : textWords(page);
  const made = { page: page.page, text: page.text, words };
  read.set(page, made);
  return made;
}

/** A word begins a line unless it stands to the right of the one before it, at the same height. */
function placedWords(words: readonly PageWord[]): LinedWord[] {
  let line = 0;
  let before: PageBox | null = null;
  return words.map((word) => {
    const { box } = word;
    if (before && box && !follows(before, box)) line += 1;
    if (box) before = box;
    return { ...word, line, across: box && [box[0], box[2]] };
  });
}

function follows(before: PageBox, box: PageBox): boolean {
  const shared = Math.min(before[3], box[3]) - Math.max(before[1], box[1]);
  const height = Math.min(before[3] - before[1], box[3] - box[1]);
  return shared >= height / 2 && box[0] >= before[0];
}

function textWords({ text, words }: SourcePage): LinedWord[] {
  const source = text.trim() ? text : words.map((word) => word.text).join(' ');
  return source.split(/\r?\n/).flatMap((written, line) => {
    const isRow = /^\s*\|.*\|\s*$/.test(written);
    if (isRow && /^[\s|:-]+$/.test(written)) return [];
    const cells = isRow
      ? written
          .trim()
          .slice(1, -1)
          .split(/(?<!\\)\|/)
      : [written];
    return cells.flatMap((cell, column) =>
      (cell.match(/\S+/g) ?? []).map((word): LinedWord => {
        const across = isRow ? ([column * 100, column * 100 + 80] as const) : null;
        return { text: word, box: null, confidence: null, line, across };
      }),
    );
  });
}
