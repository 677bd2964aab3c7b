import type { ReadPage } from './read-page.ts';

const written = /(?<![\d.,])(?:19|20)\d\d(?!\d|[.,]\d)|(?<=\d[./]\d{1,2}[./])(?:19|20)\d\d(?!\d)/g;

const years = new WeakMap<ReadPage, Set<string>>();

/** Whether a date that stands without a year is of this one: its line has it, or the page has no other. */
export function hasYear(page: ReadPage, { start }: { start: number }, year: string): boolean {
  const line = page.words[start]?.line;
  let from = start;
  while (from > 0 && page.words[from - 1]?.line === line) from -= 1;
  for (let at = from; page.words[at]?.line === line && at < page.words.length; at++) {
    if (yearsIn(page.words[at]?.text as string).includes(year)) return true;
  }
  const known = years.get(page) ?? new Set(page.words.flatMap(({ text }) => yearsIn(text)));
  years.set(page, known);
  return known.size === 1 && known.has(year);
}

const yearsIn = (text: string): string[] => text.match(written) ?? [];
