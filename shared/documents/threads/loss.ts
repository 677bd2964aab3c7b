/** Why a thread is of no more use: its time or its memory was up, or it broke. */
export type Loss = 'time' | 'memory' | 'crash';

/** What Emscripten throws through a C library that aborts. GLib does where it gets no memory. */
const aborted = 'unwind';

/** A trap or an abort of WebAssembly, or JavaScript out of stack; the last, in freeing what an abort had left. */
const crashes = ['RuntimeError', 'RangeError', 'SuppressedError'];

/** Returns how a thread was lost by an error, after which what it knows may be in any state. Undefined for others. */
export function lossOf(error: unknown): Loss | undefined {
  if (error === aborted) return 'memory';
  if (!(error instanceof Error)) return 'crash';
  if (!crashes.includes(error.name)) return undefined;
  return /memory|allocat/i.test(error.message) ? 'memory' : 'crash';
}
