const nanoPerUsd = 1_000_000_000;

/** The largest budget; a key without a budget has it. A double counts its nano-dollars exactly. */
export const maxBudgetNanoUsd = 9_000_000 * nanoPerUsd;

/** Converts dollars to whole nano-dollars, the ledger's only unit. */
export const toNanoUsd = (usd: number) => Math.round(usd * nanoPerUsd);

/** Converts nano-dollars to dollars, for people and JSON. */
export const toUsd = (nanoUsd: number) => nanoUsd / nanoPerUsd;

/** Writes nano-dollars as dollars with nine decimals, exactly. */
export function usdText(nanoUsd: bigint): string {
  const digits = String(nanoUsd < 0n ? -nanoUsd : nanoUsd).padStart(10, '0');
  return `${nanoUsd < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}
