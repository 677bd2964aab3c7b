import type { Folded } from './fold.ts';

/** A code so long is the same one with its groups parted or not, such as an account's number. */
const minCodeLength = 10;

/**
 * Whether a text that stands at a place has its digits parted as they are there. Spaces count between digits alone, and not
 * where they group thousands: `1 234` is 1234, `1 2026` isn't 12026.
 */
export function areSpacesAlike(hay: Folded, at: number, needle: Folded): boolean {
  const { length } = needle.signs;
  const isDigit = (n: number) => n >= 0 && n < length && /\d/.test(needle.signs[n] as string);
  for (let n = 1; n < length; n++) {
    if (!isDigit(n - 1) || !isDigit(n)) continue;
    const isParted = isPartedAt(hay, at + n);
    if (isParted === isPartedAt(needle, n)) continue;
    const parts = isParted
      ? (m: number) => isPartedAt(hay, at + m)
      : (m: number) => isPartedAt(needle, m);
    let [from, to] = [n - 1, n + 1];
    while (isDigit(from - 1) && !parts(from)) from -= 1;
    while (isDigit(to) && !parts(to)) to += 1;
    const [before, after] = [n - from, to - n];
    const isGroup = after === 3 && before <= 3;
    const isCode = length >= minCodeLength && before >= 2 && after >= 2;
    if (!isGroup && !isCode) return false;
  }
  return true;
}

const isPartedAt = ({ wordAt }: Folded, at: number) => wordAt[at - 1] !== wordAt[at];
