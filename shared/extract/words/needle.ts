import { type Folded, fold } from './fold.ts';
import { keyOf } from './page-index.ts';

/** A text that is looked for, in the forms that pages are searched by. */
export interface Needle {
  words: string[];
  written: string;
  plain: Folded;
  confused: Folded;
  keys: string[];
}

const maxKept = 100;
const kept = new Map<string, Needle>();

/** Returns a text's forms; the same one is looked for on page after page. */
export function needleOf(text: string): Needle {
  const known = kept.get(text);
  if (known) return known;
  const words = text.match(/\S+/g) ?? [];
  const [plain, confused] = [fold(words), fold(words, { confused: true })];
  const keys = words.map(keyOf).filter((key) => key !== '');
  const made = { words, written: words.join(' '), plain, confused, keys };
  if (kept.size === maxKept) kept.clear();
  kept.set(text, made);
  return made;
}
