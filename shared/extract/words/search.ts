/** Returns where a text occurs in another one, in time that grows with their lengths alone (Knuth, Morris and Pratt). */
export function occurrences(needle: string, hay: string): number[] {
  if (needle.length === 0 || needle.length > hay.length) return [];
  const borders = new Uint32Array(needle.length + 1);
  for (let at = 1, border = 0; at < needle.length; at++) {
    while (border > 0 && needle[at] !== needle[border]) border = borders[border] as number;
    if (needle[at] === needle[border]) border += 1;
    borders[at + 1] = border;
  }
  const found: number[] = [];
  for (let at = 0, matched = 0; at < hay.length; at++) {
    while (matched > 0 && hay[at] !== needle[matched]) matched = borders[matched] as number;
    if (hay[at] === needle[matched]) matched += 1;
    if (matched === needle.length) {
      found.push(at - matched + 1);
      matched = borders[matched] as number;
    }
  }
  return found;
}
