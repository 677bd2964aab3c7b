/** Bytes of lines that a process has in hand at once, of all its files: each line takes several times its size. */
const mostBytes = 24 * 1024 * 1024;

let held = 0;
let waiting: (() => void)[] = [];

/** Waits until there is room for a line; answers how to give it back. */
export async function roomFor(bytes: number): Promise<() => void> {
  while (held > 0 && held + bytes > mostBytes) {
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  held += bytes;
  return () => {
    held -= bytes;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
}
