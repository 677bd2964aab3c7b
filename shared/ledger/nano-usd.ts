const nanoPerUsd = 1_000_000_000;

/** The most one account can hold: $9,000,000, well within what a double counts exactly. */
export const ceilingNanoUsd = 9_000_000 * nanoPerUsd;

/** Dollars as whole nano-dollars, the ledger's only unit. */
export const toNanoUsd = (usd: number) => Math.round(usd * nanoPerUsd);

/** Whole nano-dollars as dollars, for people and JSON. */
export const toUsd = (nanoUsd: number) => nanoUsd / nanoPerUsd;
