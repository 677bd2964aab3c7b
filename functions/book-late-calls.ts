import { bookLateCalls } from '../shared/ledger/book-late.ts';

/** Reads the queue of late calls. */
export const handler = bookLateCalls;
