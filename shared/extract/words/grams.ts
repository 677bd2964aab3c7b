const bits = 1 << 15;

/** Three signs each that a text has, as a filter: what may be in the text passes, and nearly nothing else. */
export function gramsOf(signs: string): Uint8Array {
  const grams = new Uint8Array(bits / 8);
  for (let at = 0; at + 2 < signs.length; at++) {
    const gram = gramAt(signs, at);
    grams[gram >> 3] = (grams[gram >> 3] as number) | (1 << (gram & 7));
  }
  return grams;
}

/** Whether a text of these grams may contain another one. */
export function mayContain(grams: Uint8Array, signs: string): boolean {
  for (let at = 0; at + 2 < signs.length; at++) {
    const gram = gramAt(signs, at);
    if (!((grams[gram >> 3] as number) & (1 << (gram & 7)))) return false;
  }
  return true;
}

const gramAt = (signs: string, at: number) =>
  (signs.charCodeAt(at) * 961 + signs.charCodeAt(at + 1) * 31 + signs.charCodeAt(at + 2)) &
  (bits - 1);
