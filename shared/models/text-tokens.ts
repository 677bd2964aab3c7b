import { functionMemoryBytes } from '../config.ts';
import type { Model } from './catalogue.ts';

/** The most tokens of a text that stands alone between the marks of its message. */
export type TokensOf = (text: string) => number;

/** Where the tables of a vocabulary lie: megabytes beside a bundle, which few calls need. */
const tables = new URL(
  import.meta.url.endsWith('.ts') ? './o200k-tokens.ts' : './o200k-tokens.mjs',
  import.meta.url,
);

/** The tables take 75 MB, for which a smaller function has no room beside a large request and its answer. */
const leastMemoryBytes = 2 ** 29;

/**
 * Loads what counts the texts of one prompt for a model; undefined if nobody knows its vocabulary, or the function is
 * too small.
 */
export async function textTokens({ vocabulary }: Model): Promise<TokensOf | undefined> {
  if (!vocabulary || functionMemoryBytes() < leastMemoryBytes) return undefined;
  const { o200kCounter } = (await import(tables.href)) as typeof import('./o200k-tokens.ts');
  return o200kCounter();
}
