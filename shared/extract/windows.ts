import { arraysOf } from './asked/field.ts';
import { readSchema } from './asked/read-schema.ts';
import type { ExtractSpec } from './asked/spec.ts';
import type { PageWindow, SourcePage } from './words/page.ts';

export interface WindowLimits {
  maxPages: number;
  maxCharacters: number;
}

/**
 * Cuts pages into what is put to a model at once. Where rows are asked for, a window begins with the last page of the one
 * before it, if that leaves room for another page.
 */
export function windowsOf(
  spec: ExtractSpec,
  pages: readonly SourcePage[],
  limits: WindowLimits,
): PageWindow[] {
  const read = pages.filter(({ status }) => status === 'read');
  const overlap = arraysOf(readSchema(spec.schema)).length > 0 ? 1 : 0;
  const windows: PageWindow[] = [];
  let from = 0;
  let done = 0;
  while (done < read.length) {
    let end = endOf(read, from, limits);
    if (end <= done) {
      from = done;
      end = endOf(read, from, limits);
    }
    const [first, last] = [read[from], read[end - 1]] as [SourcePage, SourcePage];
    windows.push({ index: windows.length, first: first.page, last: last.page });
    done = end;
    from = end - overlap;
  }
  return windows;
}

/** A page that is too long for any window has one of its own. */
function endOf(pages: readonly SourcePage[], from: number, limits: WindowLimits): number {
  let characters = pages[from]?.text.length ?? 0;
  let end = from + 1;
  for (; end < pages.length && end - from < limits.maxPages; end++) {
    characters += pages[end]?.text.length ?? 0;
    if (characters > limits.maxCharacters) break;
  }
  return end;
}
