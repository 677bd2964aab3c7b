/** Signs of a text in one form, without spaces, and of each which of its words it stands in. */
export interface Folded {
  signs: string;
  wordAt: Uint32Array;
  /** Of each sign, whether a value may begin there, and whether one may end before it. */
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
    const plain = plainWord(word);
    const text = confused
      ? confusable.reduce((made, [from, to]) => made.replace(from, to), plain)
      : plain;
    let isEdge = true;
    for (const sign of text) {
      if (sign === '\u0000') isEdge = true;
      else {
        for (const unit of sign.split('')) {
          signs.push(unit);
          wordAt.push(index);
          edges.push(isEdge ? 1 : 0);
          isEdge = false;
        }
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

/** A zero stands where something was left out that parts what is around it. */
const plainWord = (word: string): string =>
  word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[\u00ad\u200b-\u200d\ufeff]/g, '')
    .replace(/[€$£¥]/g, (sign) => `\u0000${currencies[sign]}\u0000`)
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\d[\d.,'’]*\d/g, plainNumber)
    .replace(/(?<=\p{L})-(?=\p{L})|(?<=\p{L})-$|^-(?=\p{L})/gu, '')
    .replace(/(?<=[\p{L}\d])[.,/:-](?=\d)|(?<![\p{L}\d])-(?=\d)|[\p{P}`^|]/gu, (sign, at, whole) =>
      /[.,/:-]/.test(sign) && /\d/.test(whole[at + 1] ?? '') ? sign : '\u0000',
    );

function plainNumber(digits: string): string {
  const bare = digits.replace(/['’]/g, '');
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(bare)) return bare.replaceAll(',', '');
  if (/^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(bare))
    return bare.replaceAll('.', '').replace(',', '.');
  return /^\d+,\d+$/.test(bare) ? bare.replace(',', '.') : bare;
}
