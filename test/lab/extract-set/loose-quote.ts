/**
 * A quote as models give them: in another case, with other spaces, hyphens and forms of numbers. The nth is loose in its
 * own way; what it says is the same.
 */
export function looseQuote(quote: string, n: number): string {
  const way = ways[n % ways.length] as (quote: string) => string;
  return way(quote);
}

const ways: ((quote: string) => string)[] = [
  (quote) => quote.toUpperCase(),
  (quote) => quote.replace(/ /g, '  ').replace(/\n/g, ' '),
  (quote) => quote.replace(/(\p{L})-(\p{L}|\d)/gu, '$1\u2013$2').replace(/-(\d)/g, '\u2212$1'),
  // Without what groups a number's thousands; of one written in German its comma stays.
  (quote) =>
    quote.replace(/(\d),(\d{3})(?=\D|$)/g, '$1$2').replace(/(\d)\.(\d{3})(?=,|$)/g, '$1$2'),
  (quote) => `\u201c${quote.replace(/\s+/g, ' ')}\u201d`,
  (quote) => quote.replace(/\s+/g, '\u00a0').toLowerCase(),
  // As a table in Markdown has it.
  (quote) => `| ${quote.replace(/\s+(?=[\d$\u00a3-])/g, ' | ')} |`,
];
