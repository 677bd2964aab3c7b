import type { Needle } from './needle.ts';
import type { PageIndex } from './page-index.ts';
import type { Place } from './place.ts';

const minShare = 0.75;
const minWords = 3;
const maxWords = 300;
const maxPlaces = 20;

/** Returns where most of a quote's words stand together, in any order: models leave words out, and rewrite dates. */
export function looselyAt({ keys, knownKeys, lines }: PageIndex, needle: Needle): Place[] {
  const { words } = needle;
  if (words.length < minWords || words.length > maxWords) return [];
  const asked = needle.keys;
  if (asked.length < minWords) return [];
  const total = asked.reduce((sum, key) => sum + key.length, 0);
  const present = asked.reduce((sum, key) => sum + (knownKeys.has(key) ? key.length : 0), 0);
  if (present < total * minShare) return [];
  const wanted = new Map<string, number>();
  for (const key of asked) wanted.set(key, (wanted.get(key) ?? 0) + 1);
  const width = asked.length + Math.max(2, Math.floor(asked.length / 2));
  const candidates = windowsAt(keys, wanted, width)
    .filter(({ matched }) => matched >= total * minShare)
    .map(({ start, matched }): Place => {
      const end = lastOf(keys, wanted, start, width);
      return { start, end, found: 'normalized', share: matched / total, isLoose: true };
    })
    .sort(byLikeness(lines));
  const places: Place[] = [];
  for (const place of candidates) {
    if (places.length === maxPlaces) break;
    if (!places.some(({ start, end }) => start < place.end && place.start < end))
      places.push(place);
  }
  return places;
}

/** Among places with the same words, the one in the fewest lines is best: others mix two rows. */
const byLikeness = (lines: readonly number[]) => (one: Place, other: Place) =>
  other.share - one.share ||
  linesIn(lines, one) - linesIn(lines, other) ||
  one.end - one.start - (other.end - other.start) ||
  one.start - other.start;

const linesIn = (lines: readonly number[], { start, end }: Place) =>
  (lines[end - 1] as number) - (lines[start] as number);

/** For each wanted word: how many wanted characters the next words have, counted from it. */
function windowsAt(keys: readonly string[], wanted: ReadonlyMap<string, number>, width: number) {
  const counts = new Map<string, number>();
  const found: { start: number; matched: number }[] = [];
  let matched = 0;
  let end = 0;
  for (const [start, first] of keys.entries()) {
    for (; end < Math.min(keys.length, start + width); end++) {
      const key = keys[end] as string;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count <= (wanted.get(key) ?? 0)) matched += key.length;
    }
    if (wanted.has(first)) found.push({ start, matched });
    const count = counts.get(first) ?? 0;
    if (count <= (wanted.get(first) ?? 0)) matched -= first.length;
    counts.set(first, count - 1);
  }
  return found;
}

function lastOf(
  keys: readonly string[],
  wanted: ReadonlyMap<string, number>,
  start: number,
  width: number,
) {
  const left = new Map(wanted);
  let end = start + 1;
  for (let at = start; at < Math.min(keys.length, start + width); at++) {
    const key = keys[at] as string;
    const count = left.get(key) ?? 0;
    if (count === 0) continue;
    left.set(key, count - 1);
    end = at + 1;
  }
  return end;
}
