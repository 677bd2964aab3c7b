const everyMs = 1000;

type Told = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

/**
 * Tells on standard error how far a long work has come, once a second and not in its first: on a terminal always on
 * one line. Returns the function that is told how much is done; `end` clears the line.
 */
export function progress(what: string, total?: number, stream: Told = process.stderr) {
  let toldAtMs = Date.now();
  let told = false;
  return {
    note(done: number): void {
      if (Date.now() - toldAtMs < everyMs) return;
      toldAtMs = Date.now();
      told = true;
      const line = total === undefined ? `${what}: ${done}` : `${what}: ${done} of ${total}`;
      stream.write(stream.isTTY ? `\r${line}` : `${line}\n`);
    },
    end(): void {
      if (told && stream.isTTY) stream.write('\r\u001b[K');
    },
  };
}
