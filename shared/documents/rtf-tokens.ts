/** A piece of an RTF file: the edge of a group, a control word with its number, a byte of text, or text. */
export type RtfToken =
  | { type: 'open' }
  | { type: 'close' }
  | { type: 'word'; word: string; value: number | undefined }
  | { type: 'byte'; byte: number }
  | { type: 'text'; text: string }
  | { type: 'binary'; start: number; end: number };

/** A group's edge, a control word with the space that ends it, a hex byte, a control symbol, or text. */
const token =
  /([{}])|\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([^{}\\\r\n]+)|[\r\n]+|\\/giy;

/** Yields the tokens of an RTF file, given as Latin-1. @see https://interoperability.blob.core.windows.net/files/Archive_References/[MSFT-RTF].pdf */
export function* rtfTokens(file: string): Generator<RtfToken> {
  token.lastIndex = 0;
  for (;;) {
    const at = token.lastIndex;
    const [, edge, word, number, hex, symbol, text] = token.exec(file) ?? [];
    if (token.lastIndex === 0 || token.lastIndex === at) return;
    const end = token.lastIndex;
    if (edge) yield edge === '{' ? { type: 'open' } : { type: 'close' };
    else if (word) {
      const value = number === undefined ? undefined : Number(number);
      if (word.toLowerCase() === 'bin') {
        const binaryEnd = Math.min(file.length, end + Math.max(0, value ?? 0));
        yield { type: 'binary', start: end, end: binaryEnd };
        token.lastIndex = binaryEnd;
      } else {
        yield { type: 'word', word, value };
        token.lastIndex = end;
      }
    } else if (hex) yield { type: 'byte', byte: Number.parseInt(hex, 16) };
    else if (symbol) yield { type: 'word', word: symbol, value: undefined };
    else if (text) yield { type: 'text', text };
    token.lastIndex = Math.max(end, token.lastIndex);
  }
}
