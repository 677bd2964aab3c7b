const nanoPerUsd = 1_000_000_000;

/** The largest budget, and that of a key without one. A double counts its nano-dollars exactly. */
export const maxBudgetNanoUsd = 9_000_000 * nanoPerUsd;

/** Converts dollars to whole nano-dollars, the ledger's only unit. */
export const toNanoUsd = (usd: number) => Math.round(usd * nanoPerUsd);

/** Converts nano-dollars to dollars, for people and JSON. */
export const toUsd = (nanoUsd: number) => nanoUsd / nanoPerUsd;
