import { watchSpend } from '../shared/webhooks/watch-spend.ts';

/** Reads the stream of the ledger. */
export const handler = watchSpend;
