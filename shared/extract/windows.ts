import type { PageWindow, SourcePage } from './page.ts';
import { type ExtractSpec, fieldsOf, type Group } from './schema.ts';

interface Limits {
  maxPages: number;
  maxCharacters: number;
}

/**
 * Parts the pages that were read into windows that a model is asked about. One takes all if it fits. Where the schema has
 * lists, each has the last page of the one before too, so that no row is cut by a border.
 */
export function windowsOf(
  spec: ExtractSpec,
  pages: readonly SourcePage[],
  { maxPages, maxCharacters }: Limits,
): PageWindow[] {
  const read = pages.filter(({ status }) => status === 'read');
  const overlap = hasLists(fieldsOf(spec.schema)) ? 1 : 0;
  // Without rows an answer is short, however many pages there are.
  const mostPages = overlap ? maxPages : Number.POSITIVE_INFINITY;
  const windows: PageWindow[] = [];
  for (let start = 0; start < read.length; ) {
    let end = start;
    let characters = 0;
    while (end < read.length) {
      characters += read[end]?.text.length ?? 0;
      if (end > start && (end - start >= mostPages || characters > maxCharacters)) break;
      end += 1;
    }
    const [first, last] = [read[start], read[end - 1]];
    if (first && last) windows.push({ index: windows.length, first: first.page, last: last.page });
    if (end >= read.length) break;
    start = Math.max(start + 1, end - overlap);
  }
  return windows;
}

const hasLists = ({ fields }: Group): boolean =>
  fields.some(([, field]) => field.is === 'list' || (field.is === 'group' && hasLists(field)));
