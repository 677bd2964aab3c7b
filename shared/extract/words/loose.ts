import { datesIn } from './dates.ts';
import { fold } from './fold.ts';
import type { Place } from './place.ts';

const minShare = 0.75;
const minWords = 3;
const maxWords = 300;
const maxPlaces = 20;

/** Returns where most of a quote's words stand together, in whichever order: models leave words out, and rewrite dates. */
export function looselyAt(texts: readonly string[], quote: string): Place[] {
  const asked = (quote.match(/\S+/g) ?? []).map(keyOf).filter((key) => key !== '');
  if (asked.length < minWords || asked.length > maxWords) return [];
  const total = asked.reduce((sum, key) => sum + key.length, 0);
  const wanted = new Map<string, number>();
  for (const key of asked) wanted.set(key, (wanted.get(key) ?? 0) + 1);
  const keys = texts.map(keyOf);
  const width = asked.length + Math.max(2, Math.floor(asked.length / 2));
  const candidates = windowsAt(keys, wanted, width)
    .map(({ start, matched }) => ({ start, share: matched / total }))
    .filter(({ share }) => share >= minShare)
    .sort((one, other) => other.share - one.share || one.start - other.start);
  const places: Place[] = [];
  for (const { start, share } of candidates) {
    if (places.length === maxPlaces) break;
    const end = lastOf(keys, wanted, start, width);
    if (places.some((place) => place.start < end && start < place.end)) continue;
    places.push({ start, end, found: 'normalized', share, isLoose: true });
  }
  return places.sort((one, other) => other.share - one.share || one.start - other.start);
}

/** How many of the wanted characters stand in so many words from each word on that is wanted. */
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

/** A date is the same in all its forms. */
function keyOf(word: string): string {
  const [date] = /\d/.test(word) && word.length < 20 ? (datesIn(word)[0]?.dates ?? []) : [];
  return date?.length === 10
    ? [date.slice(0, 4), ...date.slice(5).split('-').sort()].join('-')
    : fold([word]).signs;
}
