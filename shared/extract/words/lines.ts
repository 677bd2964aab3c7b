import type { PageBox } from './page.ts';
import type { LinedWord, ReadPage } from './read-page.ts';

/** Words of a page that stand in one line; `start` and `end` count the page's words. */
export interface Line {
  start: number;
  end: number;
  text: string;
  box: PageBox | null;
}

/** Returns the lines of a page, or of a part of its words. */
export function linesOf({ words }: ReadPage, start = 0, end = words.length): Line[] {
  const lines: Line[] = [];
  for (let from = start; from < end; ) {
    let to = from + 1;
    while (to < end && words[to]?.line === words[from]?.line) to += 1;
    const within = words.slice(from, to);
    const text = within.map((word) => word.text).join(' ');
    lines.push({ start: from, end: to, text, box: boxAround(within) });
    from = to;
  }
  return lines;
}

function boxAround(words: readonly LinedWord[]): PageBox | null {
  const boxes = words.flatMap(({ box }) => (box ? [box] : []));
  const [first] = boxes;
  if (!first) return null;
  let [left, top, right, bottom] = first;
  for (const box of boxes) {
    left = Math.min(left, box[0]);
    top = Math.min(top, box[1]);
    right = Math.max(right, box[2]);
    bottom = Math.max(bottom, box[3]);
  }
  return [left, top, right, bottom];
}
