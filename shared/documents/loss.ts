/** Why a process is of no more use: its time or its memory was up, or it broke. */
export type Loss = 'time' | 'memory' | 'crash';

/** The words in which a loss is told as a fault of its document. */
export const lossInWords: Record<Loss, string> = {
  time: 'it takes too long to read',
  memory: 'it takes too much memory to read',
  crash: 'it is damaged',
};

/** What Emscripten throws through a C library that aborts. GLib does where it gets no memory. */
const aborted = 'unwind';

/** A trap or an abort of WebAssembly, or JavaScript out of stack; the last, in freeing what an abort had left. */
const crashes = ['RuntimeError', 'RangeError', 'SuppressedError'];

/** Returns how a process was lost by an error, after which what it knows may be in any state. Undefined for others. */
export function lossOf(error: unknown): Loss | undefined {
  if (error === aborted) return 'memory';
  if (!(error instanceof Error)) return 'crash';
  if (!crashes.includes(error.name)) return undefined;
  return /memory|allocat/i.test(error.message) ? 'memory' : 'crash';
}

/** V8 aborts where its heap is full, and the kernel kills a process when the machine's memory is. */
const endsOfMemory: (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGKILL'];

/** Returns how a process was lost that has ended, by a signal or by itself. */
export const lossByEnd = (signal: NodeJS.Signals | null): Loss =>
  endsOfMemory.includes(signal) ? 'memory' : 'crash';
