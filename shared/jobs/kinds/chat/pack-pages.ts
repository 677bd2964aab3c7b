import { estimateTokens } from '../../../models/token-bounds.ts';

/** Some of a document's pages that go to a model together. */
export interface PackedPages {
  text: string;
  first: number;
  last: number;
}

/** Packs pages, in their order, into the fewest parts within a number of tokens. */
export function packPages(pages: string[], room: number): PackedPages[] {
  const packed: PackedPages[] = [];
  let filled = 0;
  for (const [index, page] of pages.entries()) {
    for (const text of divided(page, room)) {
      const tokens = estimateTokens(text) + 1;
      const last = packed.at(-1);
      if (last && filled + tokens <= room) {
        last.text += `\n\n${text}`;
        last.last = index + 1;
        filled += tokens;
      } else {
        packed.push({ text, first: index + 1, last: index + 1 });
        filled = tokens;
      }
    }
  }
  return packed;
}

/** A page longer than a part is divided between its paragraphs, lines or words, wherever the half is near. */
function divided(page: string, room: number): string[] {
  const middle = middleOf(page);
  if (estimateTokens(page) <= room || middle === page.length) return [page];
  const border = ['\n\n', '\n', ' ']
    .map((separator) => page.lastIndexOf(separator, middle))
    .find((at) => at > middle / 2);
  const cut = border ?? middle;
  return [page.slice(0, cut), page.slice(cut)].flatMap((half) => divided(half.trim(), room));
}

/** Never between the two halves of a character; the end where there is but one. */
function middleOf(page: string): number {
  const middle = Math.ceil(page.length / 2);
  if (!/^[\uDC00-\uDFFF]/.test(page.slice(middle, middle + 1))) return middle;
  return middle > 1 ? middle - 1 : middle + 1;
}
