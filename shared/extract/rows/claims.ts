import { overlaps, type Place } from '../words/place.ts';
import type { ReadPage } from '../words/read-page.ts';

/** Words of a page that a row stands in. */
export interface RowPart {
  page: ReadPage;
  place: Place;
}

interface Claim<Owner> {
  place: Place;
  owner: Owner;
}

/** The rows that words of pages belong to, found by word: a page may have thousands of rows. */
export class Claims<Owner> {
  readonly #byWord = new Map<ReadPage, (Claim<Owner>[] | undefined)[]>();
  readonly #exhausted = new Map<ReadPage, Set<string>>();

  claim(parts: readonly RowPart[], owner: Owner): void {
    for (const { page, place } of parts) {
      const words = this.#byWord.get(page) ?? [];
      this.#byWord.set(page, words);
      const claim = { place, owner };
      for (let at = place.start; at < place.end; at++) {
        const known = words[at];
        if (known) known.push(claim);
        else words[at] = [claim];
      }
    }
  }

  release(parts: readonly RowPart[], owner: Owner): void {
    for (const { page, place } of parts) {
      const words = this.#byWord.get(page);
      for (let at = place.start; at < place.end; at++) {
        if (words) words[at] = words[at]?.filter((claim) => claim.owner !== owner);
      }
    }
  }

  /** Returns the owners of these places. */
  at(parts: readonly RowPart[]): Owner[] {
    const owners = new Set<Owner>();
    for (const { page, place } of parts) {
      for (let at = place.start; at < place.end; at++) {
        for (const claim of this.#byWord.get(page)?.[at] ?? []) {
          if (overlaps(place, claim.place)) owners.add(claim.owner);
        }
      }
    }
    return [...owners];
  }

  /** Returns the first places that are nobody's. */
  freeOf(page: ReadPage, places: readonly Place[], count: number): Place[] {
    const free: Place[] = [];
    for (const place of places) {
      if (free.length === count) break;
      if (this.at([{ page, place }]).length === 0) free.push(place);
    }
    return free;
  }

  freeFirst(page: ReadPage, places: readonly Place[]): Place[] {
    const free = this.freeOf(page, places, places.length);
    return [...free, ...places.filter((place) => !free.includes(place))];
  }

  /** Remembers that all places of a quote are somebody's. */
  exhaust(page: ReadPage, quote: string): void {
    this.#exhausted.set(page, (this.#exhausted.get(page) ?? new Set()).add(quote));
  }

  isExhausted = (page: ReadPage, quote: string): boolean =>
    this.#exhausted.get(page)?.has(quote) ?? false;
}
