/** Signs of a text in one form, without spaces, and of each which of its words it stands in. */
export interface Folded {
  signs: string;
  wordAt: Uint32Array;
  /** For each sign 1 where a value may begin, or end before it; 2 where letters meet digits. */
  isEdge: Uint8Array;
}

const currencies: Record<string, string> = { '€': 'eur', $: 'usd', '£': 'gbp', '¥': 'jpy' };

/** Signs that OCR takes for each other. */
const confusable: [RegExp, string][] = [
  [/rn/g, 'm'],
  [/[oO]/g, '0'],
  [/[lLiI|]/g, '1'],
  [/s/g, '5'],
  [/b/g, '8'],
];

/** Puts words into one form: case, dashes, quotes, ligatures, hyphens between letters, thousands and decimals. */
export function fold(words: readonly string[], { confused = false } = {}): Folded {
  const signs: string[] = [];
  const wordAt: number[] = [];
  const edges: number[] = [];
  for (const [index, word] of words.entries()) {
    const plain = plainForm(word);
    const text = confused
      ? confusable.reduce((made, [from, to]) => made.replace(from, to), plain)
      : plain;
    let edge = 1;
    for (const sign of text.split('')) {
      if (sign === '\u0000') edge = 1;
      else if (sign === '\u0001') edge ||= 2;
      else {
        signs.push(sign);
        wordAt.push(index);
        edges.push(edge);
        edge = 0;
      }
    }
  }
  edges.push(1);
  return {
    signs: signs.join(''),
    wordAt: Uint32Array.from(wordAt),
    isEdge: Uint8Array.from(edges),
  };
}

/** A zero stands where something was left out that parts what is around it, a one where letters meet digits. */
const plainForm = (word: string): string =>
  word
    .normalize('NFKC')
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, '\u0001')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[\u00ad\u200b-\u200d\ufeff]/g, '')
    .replace(/[€$£¥]/g, (sign) => `\u0000${currencies[sign]}\u0000`)
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\d[\d.,'’]*\d/g, plainNumber)
    .replace(/(?<=\p{L})-(?=\p{L})|(?<=\p{L})-$|^-(?=\p{L})/gu, '')
    .replace(/(?!(?:-|(?<=\d)[.,/:]|(?<![\p{L}.,:/])[.,])(?=\d))[\p{P}`^|]/gu, '\u0000')
    .replace(/(?<=\p{L})(?=\d)|(?<=\d)(?=\p{L})/gu, '\u0001');

function plainNumber(digits: string): string {
  const bare = digits.replace(/['’]/g, '');
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(bare)) return bare.replaceAll(',', '');
  if (/^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(bare))
    return bare.replaceAll('.', '').replace(',', '.');
  return /^\d+,\d+$/.test(bare) ? bare.replace(',', '.') : bare;
}
