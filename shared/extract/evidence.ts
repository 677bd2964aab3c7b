import type { Claim } from './answer.ts';
import { PageIndex, type WordRange } from './folded.ts';
import type { PageBox, PageWindow, PageWord, SourcePage } from './page.ts';
import type { Scalar } from './schema.ts';
import { tells } from './values.ts';

/** Where a value stands, and how it was found. */
export interface Evidence {
  /** The value's place in the data, as a JSON pointer. */
  path: string;
  page: number | null;
  quote: string | null;
  /** One for each line of its words. */
  boxes: PageBox[];
  found: 'exact' | 'normalized' | 'not found';
  /** From 0 to 1, as it was measured; null for what was not found. */
  confidence: number | null;
}

/** Words of a page that a quote was found in. */
export interface Found {
  index: PageIndex;
  range: WordRange;
  found: 'exact' | 'normalized';
  /** The share of characters that match as they stand. */
  share: number;
}

/** How sure a match is by the way in which it was found. */
const shares = { exact: 1, normalized: 0.95, misread: 0.8 };

/** Looks for quotes in the pages of a document. */
export class Finder {
  private readonly indexes: Map<number, PageIndex>;

  constructor(pages: readonly SourcePage[]) {
    const read = pages.filter(({ status }) => status === 'read');
    this.indexes = new Map(read.map((page) => [page.page, new PageIndex(page)]));
  }

  /** Every page that was read, in order. */
  get pages(): readonly PageIndex[] {
    return [...this.indexes.values()];
  }

  /** Finds a quote on its page, or on another one of its window; on the page itself from a word on. */
  find(
    quote: string,
    page: number | null,
    window: PageWindow,
    fromWord = (_page: number) => 0,
  ): Found | undefined {
    const within = this.pages.filter(({ page: { page: number } }) => isIn(number, window));
    const [own, others] = [
      within.filter((each) => each.page.page === page),
      within.filter((each) => each.page.page !== page),
    ];
    for (const indexes of [own, others]) {
      for (const how of ['exact', 'normalized', 'misread'] as const) {
        for (const index of indexes) {
          const range = index[how](quote, fromWord(index.page.page));
          const found = how === 'exact' ? how : 'normalized';
          if (range) return { index, range, found, share: shares[how] };
        }
      }
    }
    return undefined;
  }
}

const isIn = (page: number, { first, last }: PageWindow) => first <= page && page <= last;

/** Looks for a claimed value: its quote on the pages, and the value within that. */
export function evidenceOf(
  path: string,
  { value, quote, page }: Claim,
  scalar: Scalar,
  finder: Finder,
  window: PageWindow,
): Evidence {
  const found = quote === null ? undefined : finder.find(quote, page, window);
  return found ? evidenceWithin(path, value, scalar, found, quote) : notFound(path, quote);
}

export const notFound = (path: string, quote: string | null): Evidence => ({
  ...{ path, page: null, quote, boxes: [], found: 'not found', confidence: null },
});

/** Looks for a value within words that were found. An invented one is not proved by a quote that is true. */
export function evidenceWithin(
  path: string,
  value: unknown,
  scalar: Scalar,
  found: Found,
  quote: string | null,
): Evidence {
  const { index, range } = found;
  if (!tells(textOf(index, range), value, scalar)) return notFound(path, quote);
  const own = narrowed(index, range, value, scalar);
  const isWhole = textOf(index, own) === String(value);
  return {
    path,
    page: index.page.page,
    quote: textOf(index, own),
    boxes: boxesOf(wordsOf(index, own)),
    found:
      isWhole || (typeof value === 'string' && textOf(index, own).includes(value))
        ? found.found
        : 'normalized',
    confidence: confidenceOf(found, wordsOf(index, own)),
  };
}

const wordsOf = ({ words }: PageIndex, { from, to }: WordRange) => words.slice(from, to + 1);

/** Returns the words of a range as one text. */
export const textOf = (index: PageIndex, range: WordRange): string =>
  wordsOf(index, range)
    .map(({ text }) => text)
    .join(' ');

/** A number or date takes no more words than this. */
const mostWords = 6;

/** Returns the fewest words within a range that tell a value. */
function narrowed(index: PageIndex, range: WordRange, value: unknown, scalar: Scalar): WordRange {
  if (scalar.choices || typeof value === 'boolean') return range;
  if (typeof value === 'string' && !scalar.isDate) {
    const within = index.exact(value, range.from) ?? index.normalized(value, range.from);
    if (within && within.to <= range.to) return within;
  }
  for (let length = 1; length <= Math.min(mostWords, range.to - range.from); length += 1) {
    for (let from = range.from; from + length - 1 <= range.to; from += 1) {
      const part = { from, to: from + length - 1 };
      if (tells(textOf(index, part), value, scalar)) return part;
    }
  }
  return range;
}

/** The match's share times the mean confidence of the words' own reading, each counted by its length. */
function confidenceOf({ share }: Found, words: readonly PageWord[]): number {
  let [letters, sum] = [0, 0];
  for (const { text, confidence } of words) {
    letters += text.length;
    sum += text.length * (confidence ?? 100);
  }
  return Math.round(share * (letters > 0 ? sum / letters / 100 : 1) * 1000) / 1000;
}

/** Returns a box around the words of each line. */
export function boxesOf(words: readonly PageWord[]): PageBox[] {
  const boxes: PageBox[] = [];
  for (const { box } of words) {
    const last = boxes.at(-1);
    if (!box) continue;
    if (last && isOnLine(last, box)) boxes[boxes.length - 1] = around(last, box);
    else boxes.push(box);
  }
  return boxes;
}

/** Whether two boxes share more than half the height of the flatter one. */
export const isOnLine = ([, top, , bottom]: PageBox, [, otherTop, , otherBottom]: PageBox) =>
  Math.min(bottom, otherBottom) - Math.max(top, otherTop) >
  0.5 * Math.min(bottom - top, otherBottom - otherTop);

const around = (one: PageBox, other: PageBox): PageBox => [
  Math.min(one[0], other[0]),
  Math.min(one[1], other[1]),
  Math.max(one[2], other[2]),
  Math.max(one[3], other[3]),
];
