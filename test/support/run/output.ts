/**
 * Keeps what a worker's tests write to stdout and stderr, so that a passing test prints nothing. Node loads this
 * module once in a worker, and not anew for each file: there is one stdout.
 */
const print = process.stdout.write.bind(process.stdout);
const kept: string[] = [];
let runningTests = 0;

function keep(
  chunk: string | Uint8Array,
  encodingOrCallback?: BufferEncoding | ((error?: Error | null) => void),
  callback?: (error?: Error | null) => void,
): boolean {
  kept.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
  const written = typeof encodingOrCallback === 'function' ? encodingOrCallback : callback;
  if (written) process.nextTick(written);
  return true;
}

process.stdout.write = keep;
process.stderr.write = keep;

/** Returns the lines that the test has written to stdout and stderr so far. */
export const writtenLines = (): string[] => kept.join('').split('\n').filter(Boolean);

/** Forgets what was written before a test, unless others run beside it. */
export function beginOutput(): void {
  if (runningTests === 0) kept.length = 0;
  runningTests += 1;
}

export function endOutput(): void {
  runningTests -= 1;
}

/** Prints what was written since the test began; what tests beside it wrote too. */
export function printOutput(): void {
  print(kept.join(''));
}
