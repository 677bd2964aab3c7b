import { flushCompileCache } from 'node:module';

/** A start and the first requests have the processor for themselves. */
const afterMs = 10_000;

/**
 * Has Node keep what this thread has compiled, a while from now. It would do so when the thread ends, and a stage may be
 * killed, or start a new program.
 */
export const keepCompiled = () => void setTimeout(flushCompileCache, afterMs).unref();
