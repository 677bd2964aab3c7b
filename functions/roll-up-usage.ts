import { rollUpUsage } from '../shared/usage/roll-up.ts';

/** Reads the stream of the ledger. */
export const handler = rollUpUsage;
