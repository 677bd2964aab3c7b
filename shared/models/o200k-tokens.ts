import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';

// Pieces of prompts are kept for one prompt alone.
setMergeCacheSize(0);

/** Special tokens that a caller writes are text. */
const asPlainText = { disallowedSpecial: new Set<string>() };

/** Merging takes time quadratic in a piece's length. */
const longestPiece = 64;
/** The most characters of a prompt's different pieces that are merged, in a tenth of a second. */
const mostMerged = 50_000;

/**
 * What other tables may class as another kind: white space and case as JavaScript knows them, letters younger
 * than Unicode 14, and all beyond the first plane.
 * @see https://github.com/openai/tiktoken/blob/main/tiktoken_ext/openai_public.py
 */
const classedOtherwise =
  /[\u0085\u017f\u0295\u088f\u0c5c\u0cdc\u1c89\u1c8a\ua7cb-\ua7dc\ua7f1\ufeff]|\u0897|\u0cf3|\u0ece|[\u1acf-\u1aeb]|(?=[\p{L}\p{M}\p{N}])[\u{10000}-\u{10ffff}]/u;

/**
 * Returns a count of a prompt's texts that is never below o200k_base's: exact for pieces that it merges, else their
 * bytes.
 */
export function o200kCounter(): (text: string) => number {
  const counts = new Map<string, number>();
  let merged = 0;
  const countOf = (piece: string) => {
    if (piece.length > longestPiece || merged > mostMerged) return Buffer.byteLength(piece);
    merged += piece.length;
    return countTokens(piece, asPlainText);
  };
  return (text) => {
    // A lone surrogate is sent as U+FFFD.
    const sent = text.toWellFormed();
    if (classedOtherwise.test(sent)) return Buffer.byteLength(sent);
    let tokens = 0;
    for (const [piece] of sent.matchAll(O200K_TOKEN_SPLIT_REGEX)) {
      const count = counts.get(piece) ?? countOf(piece);
      counts.set(piece, count);
      tokens += count;
    }
    return tokens;
  };
}
