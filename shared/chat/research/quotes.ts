/** A shorter quote is found in any text. */
const minQuoteCharacters = 12;

/** Whether a text says a quote word for word. Case, spacing, typographic marks and Markdown don't matter. */
export function saysVerbatim(text: string, quote: string): boolean {
  const plain = plainText(quote);
  return plain.length >= minQuoteCharacters && plainText(text).includes(plain);
}

function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[‘’‚‛`´]/g, "'")
    .replace(/[“”„‟«»]/g, '"')
    .replace(/[‐-―−]/g, '-')
    .replace(/[*_#>|\u00ad\u200b-\u200d\ufeff]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
