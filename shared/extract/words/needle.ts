import { type Folded, fold } from './fold.ts';
import { keyOf } from './page-index.ts';

const maxKept = 100;
const kept = new Map<string, Needle>();

/** A text that is looked for, in the forms that pages are searched by. */
export class Needle {
  readonly words: string[];
  readonly written: string;
  #plain: Folded | undefined;
  #confused: Folded | undefined;
  #keys: string[] | undefined;

  private constructor(text: string) {
    this.words = text.match(/\S+/g) ?? [];
    this.written = this.words.join(' ');
  }

  /** The same text is looked for on page after page. */
  static of(text: string): Needle {
    const known = kept.get(text);
    if (known) return known;
    const made = new Needle(text);
    if (kept.size === maxKept) kept.clear();
    kept.set(text, made);
    return made;
  }

  get plain(): Folded {
    this.#plain ??= fold(this.words);
    return this.#plain;
  }

  get confused(): Folded {
    this.#confused ??= fold(this.words, { confused: true });
    return this.#confused;
  }

  get keys(): string[] {
    this.#keys ??= this.words.map(keyOf).filter((key) => key !== '');
    return this.#keys;
  }
}
